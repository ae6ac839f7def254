/* Jacobi smoothing of a plane, two half steps per iteration between a and b (PolyBench jacobi-2d). Skewed tiles. */
#pragma loadstone default(tsteps = 10, n = 45)
void jacobi_2d(int tsteps, int n, double a[n][n], double b[n][n])
{
#pragma loadstone tile schedule(S0: t, 2*t + i, 2*t + j; S1: t, 2*t + i + 1, 2*t + j + 1) size(4, 8, 8)
#pragma scop
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j-1] + a[i][j+1] + a[i-1][j] + a[i+1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = 0.2 * (b[i][j] + b[i][j-1] + b[i][j+1] + b[i-1][j] + b[i+1][j]);
  }
#pragma endscop
}
