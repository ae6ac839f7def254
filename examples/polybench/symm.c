/* Product with a symmetric matrix of which the lower half is stored, c = alpha a b + beta c (PolyBench symm). */
#pragma loadstone default(m = 36, n = 30)
void symm(int m, int n, double alpha, double beta, double c[m][n], double a[m][m], double b[m][n])
{
#pragma loadstone tile size(8, 8, 8)
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] = beta * c[i][j] + alpha * a[i][i] * b[i][j];
      for (int k = 0; k < i; k++) {
        c[k][j] += alpha * a[i][k] * b[i][j];
        c[i][j] += alpha * a[i][k] * b[k][j];
      }
    }
#pragma endscop
}
