#pragma loadstone default(n = 13, m = 12, p = 14)
void product_double(int n, int m, int p, double a[n][p], double b[p][m], double c[n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      c[i][j] = 0;
      for (int k = 0; k < p; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}
