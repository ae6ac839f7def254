/* Low-pass spatial filter whole: HFLR, VFTD, HFRL and VFBU in a row (Corvino, Figure 1). a is FACTOR / 256.
   The two forward filters are fused, and so are the two backward ones; p2 between them is a whole image. */
#ifndef FACTOR
#define FACTOR 200
#endif

#pragma loadstone default(m = 70, n = 50)
#pragma loadstone assume(m >= 1 && n >= 1)
void lpsf(int m, int n, int p0[n][m], int p4[n][m])
{
  int p1[n][m], p2[n][m], p3[n][m];

#pragma loadstone tile schedule(S0: 0, i, 0; S1: 0, i, j; S2: 0, 0, j; S3: 0, i, j; \
  S4: 1, n - 1 - i, 0; S5: 1, n - 1 - i, m - 1 - j; S6: 1, 0, m - 1 - j; S7: 1, n - 1 - i, m - 1 - j) size(1, 8, 16)
#pragma scop
  for (int i = 0; i < n; i++) {
    p1[i][0] = p0[i][0];
    for (int j = 1; j < m; j++)
      p1[i][j] = (FACTOR * p1[i][j-1] + (256 - FACTOR) * p0[i][j]) >> 8;
  }

  for (int j = 0; j < m; j++)
    p2[0][j] = p1[0][j];
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++)
      p2[i][j] = (FACTOR * p2[i-1][j] + (256 - FACTOR) * p1[i][j]) >> 8;

  for (int i = 0; i < n; i++) {
    p3[i][m-1] = p2[i][m-1];
    for (int j = m - 2; j >= 0; j--)
      p3[i][j] = (FACTOR * p3[i][j+1] + (256 - FACTOR) * p2[i][j]) >> 8;
  }

  for (int j = 0; j < m; j++)
    p4[n-1][j] = p3[n-1][j];
  for (int i = n - 2; i >= 0; i--)
    for (int j = 0; j < m; j++)
      p4[i][j] = (FACTOR * p4[i+1][j] + (256 - FACTOR) * p3[i][j]) >> 8;
#pragma endscop
}
