/* Matrix product of bytes, summed in a local accumulator. */
#include <stdint.h>

#pragma loadstone default(n = 13, m = 12, p = 14)
void product_bytes(int n, int m, int p, int8_t a[n][p], int8_t b[p][m], int32_t c[n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int32_t acc = 0;
      for (int k = 0; k < p; k++)
        acc += a[i][k] * b[k][j];
      c[i][j] = acc;
    }
}
