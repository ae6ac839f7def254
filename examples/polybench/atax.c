/* Matrix and then its transpose times a vector, y = a' (a x) (PolyBench atax).
   Both products of a block of rows run before the next block, so a strip reads these rows once. */
#pragma loadstone default(m = 116, n = 124)
void atax(int m, int n, double a[m][n], double x[n], double y[n])
{
  double tmp[m];

#pragma loadstone tile schedule(S0: 0, 0, 0, j; S1: 1, i, 0, 0; S2: 1, i, 0, j; S3: 1, i, 1, j) \
  size(1, 8, 1, 8) strip(2)
#pragma scop
  for (int j = 0; j < n; j++)
    y[j] = 0.0;
  for (int i = 0; i < m; i++) {
    tmp[i] = 0.0;
    for (int j = 0; j < n; j++)
      tmp[i] += a[i][j] * x[j];
    for (int j = 0; j < n; j++)
      y[j] += a[i][j] * tmp[i];
  }
#pragma endscop
}
