/* Electric and magnetic field in the plane by finite differences in time (PolyBench fdtd-2d).
   Skewed tiles; the magnetic field lags one step behind in both directions. */
#pragma loadstone default(tmax = 7, nx = 41, ny = 45)
#pragma loadstone assume(nx >= 1)
void fdtd_2d(int tmax, int nx, int ny, double ex[nx][ny], double ey[nx][ny], double hz[nx][ny], double fict[tmax])
{
#pragma loadstone tile schedule(S0: t, t, t + j; S1: t, t + i, t + j; S2: t, t + i, t + j; \
  S3: t, t + i + 1, t + j + 1) size(4, 8, 8)
#pragma scop
  for (int t = 0; t < tmax; t++) {
    for (int j = 0; j < ny; j++)
      ey[0][j] = fict[t];
    for (int i = 1; i < nx; i++)
      for (int j = 0; j < ny; j++)
        ey[i][j] -= 0.5 * (hz[i][j] - hz[i-1][j]);
    for (int i = 0; i < nx; i++)
      for (int j = 1; j < ny; j++)
        ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j-1]);
    for (int i = 0; i < nx - 1; i++)
      for (int j = 0; j < ny - 1; j++)
        hz[i][j] -= 0.7 * (ex[i][j+1] - ex[i][j] + ey[i+1][j] - ey[i][j]);
  }
#pragma endscop
}
