/* Low-pass spatial filter, vertical from the bottom up (Corvino, VFBU): p4 = a p4(below) + (1 - a) p3.
   a is FACTOR / 256; the last row is kept. Counts upwards and subscripts downwards, as the paper writes it. */
#ifndef FACTOR
#define FACTOR 200
#endif

#pragma loadstone default(m = 70, n = 50)
void lpsf_vfbu(int m, int n, int p3[n][m], int p4[n][m])
{
#pragma loadstone tile size(8, 16)
#pragma scop
  for (int i = 1; i <= n; i++)
    for (int j = 0; j < m; j++)
      if (i == 1)
        p4[n-i][j] = p3[n-i][j];
      else
        p4[n-i][j] = (FACTOR * p4[n-i+1][j] + (256 - FACTOR) * p3[n-i][j]) >> 8;
#pragma endscop
}
