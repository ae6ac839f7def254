/* A filter of 3 x 3 weights over a picture of 16-bit pixels, with its loops over weights written out. */
#pragma loadstone default(n = 128, m = 256)
void filter(int n, int m, short a[n + 2][m + 2], short k[3][3], short b[n][m])
{
#pragma loadstone tile size(16, 32)
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j] = a[i][j] * k[0][0] + a[i][j + 1] * k[0][1] + a[i][j + 2] * k[0][2]
              + a[i + 1][j] * k[1][0] + a[i + 1][j + 1] * k[1][1] + a[i + 1][j + 2] * k[1][2]
              + a[i + 2][j] * k[2][0] + a[i + 2][j + 1] * k[2][1] + a[i + 2][j + 2] * k[2][2];
#pragma endscop
}
