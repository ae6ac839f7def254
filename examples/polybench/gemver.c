/* Rank-two update of a matrix and two products with it (PolyBench gemver):
   a += u1 v1' + u2 v2', x += beta a' y + z, w += alpha a x. Update and first product share their tiles. */
#pragma loadstone default(n = 116)
void gemver(int n, double alpha, double beta, double a[n][n], double u1[n], double v1[n], double u2[n], double v2[n],
            double w[n], double x[n], double y[n], double z[n])
{
#pragma loadstone tile schedule(S0: 0, i, j; S1: 0, j, i; S2: 1, i, 0; S3: 2, i, j) size(1, 8, 8)
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = a[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i] += beta * a[j][i] * y[j];
  for (int i = 0; i < n; i++)
    x[i] += z[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      w[i] += alpha * a[i][j] * x[j];
#pragma endscop
}
