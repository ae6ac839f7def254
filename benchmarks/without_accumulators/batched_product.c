#pragma loadstone default(b = 3, n = 10, m = 9, p = 11)
void batched_product(int b, int n, int m, int p, int x[b][n][p], int y[b][p][m], int z[b][n][m])
{
  for (int t = 0; t < b; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        z[t][i][j] = 0;
        for (int k = 0; k < p; k++)
          z[t][i][j] += x[t][i][k] * y[t][k][j];
      }
}
