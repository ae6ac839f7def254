/* Matrix product added to c, tiled in its canonical directions as in RR-7648. */
#pragma loadstone default(n = 40)
void matmul(int n, int a[n][n], int b[n][n], int c[n][n])
{
#pragma loadstone tile size(32, 32, 32)
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
#pragma endscop
}
