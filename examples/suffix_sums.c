/* Sums of the ends of rows, by loops that count down to zero in unsigned integers. */
#include <stddef.h>
#include <stdint.h>
#pragma loadstone default(rows = 30, cols = 41)
void suffix_sums(uint16_t rows, size_t cols, const int *x, int *s)
{
#pragma loadstone tile size(8, 16)
#pragma scop
  for (uint16_t i = 0; i < rows; i++)
    for (size_t j = cols; j-- > 0;)
      s[i * cols + j] = x[i * cols + j] + (j + 1 < cols ? s[i * cols + j + 1] : 0);
#pragma endscop
}
