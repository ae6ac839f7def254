/* Low-pass spatial filter, vertical from top to bottom (Corvino, VFTD): p2 = a p2(above) + (1 - a) p1.
   a is FACTOR / 256; the first row is kept. */
#ifndef FACTOR
#define FACTOR 200
#endif

#pragma loadstone default(m = 70, n = 50)
void lpsf_vftd(int m, int n, int p1[n][m], int p2[n][m])
{
#pragma loadstone tile size(8, 16)
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (i == 0)
        p2[i][j] = p1[i][j];
      else
        p2[i][j] = (FACTOR * p2[i-1][j] + (256 - FACTOR) * p1[i][j]) >> 8;
#pragma endscop
}
