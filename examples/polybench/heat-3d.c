/* Heat equation in space, two half steps per iteration between a and b (PolyBench heat-3d). Skewed tiles. */
#pragma loadstone default(tsteps = 5, n = 18)
void heat_3d(int tsteps, int n, double a[n][n][n], double b[n][n][n])
{
#pragma loadstone tile schedule(S0: t, 2*t + i, 2*t + j, 2*t + k; S1: t, 2*t + i + 1, 2*t + j + 1, 2*t + k + 1) \
  size(2, 8, 8, 8)
#pragma scop
  for (int t = 1; t <= tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          b[i][j][k] = a[i][j][k] + 0.125 * (a[i+1][j][k] - 2.0 * a[i][j][k] + a[i-1][j][k])
                                  + 0.125 * (a[i][j+1][k] - 2.0 * a[i][j][k] + a[i][j-1][k])
                                  + 0.125 * (a[i][j][k+1] - 2.0 * a[i][j][k] + a[i][j][k-1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          a[i][j][k] = b[i][j][k] + 0.125 * (b[i+1][j][k] - 2.0 * b[i][j][k] + b[i-1][j][k])
                                  + 0.125 * (b[i][j+1][k] - 2.0 * b[i][j][k] + b[i][j-1][k])
                                  + 0.125 * (b[i][j][k+1] - 2.0 * b[i][j][k] + b[i][j][k-1]);
  }
#pragma endscop
}
