/* Transposed matrix. */
#pragma loadstone default(n = 17, m = 22)
void transposition(int n, int m, int in[n][m], int out[m][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[j][i] = in[i][j];
}
