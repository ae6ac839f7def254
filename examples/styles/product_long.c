/* Matrix product of long integers, summed in a local accumulator. */
#pragma loadstone default(n = 13, m = 12, p = 14)
void product_long(int n, int m, int p, long long a[n][p], long long b[p][m], long long c[n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      long long acc = 0;
      for (int k = 0; k < p; k++)
        acc += a[i][k] * b[k][j];
      c[i][j] = acc;
    }
}
