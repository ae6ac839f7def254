/* Gauss-Seidel smoothing of a plane in place over nine points (PolyBench seidel-2d). Skewed tiles. */
#pragma loadstone default(tsteps = 10, n = 45)
void seidel_2d(int tsteps, int n, double a[n][n])
{
#pragma loadstone tile schedule(S0: t, t + i, 2*t + i + j) size(4, 8, 8)
#pragma scop
  for (int t = 0; t < tsteps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = (a[i-1][j-1] + a[i-1][j] + a[i-1][j+1] + a[i][j-1] + a[i][j] + a[i][j+1]
                   + a[i+1][j-1] + a[i+1][j] + a[i+1][j+1]) / 9.0;
#pragma endscop
}
