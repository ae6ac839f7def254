/* Low-pass spatial filter, horizontal from right to left (Corvino, HFRL): p3 = a p3(right) + (1 - a) p2.
   a is FACTOR / 256; the last pixel of a row is kept. */
#ifndef FACTOR
#define FACTOR 200
#endif

#pragma loadstone default(m = 70, n = 50)
#pragma loadstone assume(m >= 1)
void lpsf_hfrl(int m, int n, int p2[n][m], int p3[n][m])
{
#pragma loadstone tile schedule(S0: i, 0; S1: i, m - 1 - j) size(8, 16)
#pragma scop
  for (int i = 0; i < n; i++) {
    p3[i][m-1] = p2[i][m-1];
    for (int j = m - 2; j >= 0; j--)
      p3[i][j] = (FACTOR * p3[i][j+1] + (256 - FACTOR) * p2[i][j]) >> 8;
  }
#pragma endscop
}
