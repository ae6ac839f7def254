/* Low-pass spatial filter, horizontal from left to right (Corvino, HFLR): p1 = a p1(left) + (1 - a) p0.
   a is FACTOR / 256; the first pixel of a row is kept. */
#ifndef FACTOR
#define FACTOR 200
#endif

#pragma loadstone default(m = 70, n = 50)
#pragma loadstone assume(m >= 1)
void lpsf_hflr(int m, int n, int p0[n][m], int p1[n][m])
{
#pragma loadstone tile size(8, 16)
#pragma scop
  for (int i = 0; i < n; i++) {
    p1[i][0] = p0[i][0];
    for (int j = 1; j < m; j++)
      p1[i][j] = (FACTOR * p1[i][j-1] + (256 - FACTOR) * p0[i][j]) >> 8;
  }
#pragma endscop
}
