/* Jacobi smoothing of a line, two half steps per iteration between a and b (PolyBench jacobi-1d). Skewed tiles. */
#pragma loadstone default(tsteps = 30, n = 101)
void jacobi_1d(int tsteps, int n, double a[n], double b[n])
{
#pragma loadstone tile schedule(S0: t, 2*t + i; S1: t, 2*t + i + 1) size(4, 16)
#pragma scop
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = 0.33333 * (a[i-1] + a[i] + a[i+1]);
    for (int i = 1; i < n - 1; i++)
      a[i] = 0.33333 * (b[i-1] + b[i] + b[i+1]);
  }
#pragma endscop
}
