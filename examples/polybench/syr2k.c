/* Symmetric rank-2m update of the lower half, c = alpha (a b' + b a') + beta c (PolyBench syr2k). */
#pragma loadstone default(n = 44, m = 36)
void syr2k(int n, int m, double alpha, double beta, double c[n][n], double a[n][m], double b[n][m])
{
#pragma loadstone tile size(8, 8, 8)
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      c[i][j] *= beta;
      for (int k = 0; k < m; k++)
        c[i][j] += alpha * (a[j][k] * b[i][k] + b[j][k] * a[i][k]);
    }
#pragma endscop
}
