/* Product with the transpose of a unit lower triangular matrix in place, b = alpha a' b (PolyBench trmm). */
#pragma loadstone default(m = 44, n = 36)
void trmm(int m, int n, double alpha, double a[m][m], double b[m][n])
{
#pragma loadstone tile schedule(S0: i, j, k; S1: i, j, m - 1) size(8, 8, 8)
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      for (int k = i + 1; k < m; k++)
        b[i][j] += a[k][i] * b[k][j];
      b[i][j] *= alpha;
    }
#pragma endscop
}
