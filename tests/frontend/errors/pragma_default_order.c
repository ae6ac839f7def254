#pragma loadstone default(n = m, m = 4 / 0)
void k(int n, int m, int a[n][m]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = 0;
#pragma endscop
}
