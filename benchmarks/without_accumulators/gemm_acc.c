#pragma loadstone default(n = 30, m = 34, p = 38)
void gemm_acc(int n, int m, int p, int a[n][p], int b[p][m], int c[n][m])
{
#pragma loadstone tile size(8, 8, 8)
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      c[i][j] = 0;
      for (int k = 0; k < p; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
#pragma endscop
}
