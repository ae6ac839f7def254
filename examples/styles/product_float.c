/* Matrix product of single precision, summed in a local accumulator. */
#pragma loadstone default(n = 13, m = 12, p = 14)
void product_float(int n, int m, int p, float a[n][p], float b[p][m], float c[n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float acc = 0;
      for (int k = 0; k < p; k++)
        acc += a[i][k] * b[k][j];
      c[i][j] = acc;
    }
}
