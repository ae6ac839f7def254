/* Heat equation in the plane by alternating directions: tridiagonal solves by columns, then by rows (PolyBench adi).
   Elimination and back substitution of a block of eight lines follow each other in a strip. */
#pragma loadstone default(tsteps = 4, n = 37)
void adi(int tsteps, int n, double u[n][n], double v[n][n], double p[n][n], double q[n][n])
{
  double a, b, d, e;

#pragma loadstone tile schedule(S0: 0, 0, 0, 0, 0; S1: 0, 0, 0, 0, 0; S2: 0, 0, 0, 0, 0; S3: 0, 0, 0, 0, 0; \
  S4: t, 0, i, 0, 0; S5: t, 0, i, 0, 0; S6: t, 0, i, 0, 0; S7: t, 0, i, 0, j; S8: t, 0, i, 0, j; \
  S9: t, 0, i, 1, 0; S10: t, 0, i, 1, n - 1 - j; \
  S11: t, 1, i, 0, 0; S12: t, 1, i, 0, 0; S13: t, 1, i, 0, 0; S14: t, 1, i, 0, j; S15: t, 1, i, 0, j; \
  S16: t, 1, i, 1, 0; S17: t, 1, i, 1, n - 1 - j) size(1, 1, 8, 1, 8) strip(2)
#pragma scop
  a = -1.0 * n * n / tsteps;
  b = 1.0 - 2.0 * a;
  d = 0.5 * a;
  e = 1.0 - 2.0 * d;

  for (int t = 1; t <= tsteps; t++) {
    for (int i = 1; i < n - 1; i++) {
      v[0][i] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = v[0][i];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = -a / (a * p[i][j-1] + b);
        q[i][j] = (-d * u[j][i-1] + (1.0 + 2.0 * d) * u[j][i] - d * u[j][i+1] - a * q[i][j-1])
                  / (a * p[i][j-1] + b);
      }
      v[n-1][i] = 1.0;
      for (int j = n - 2; j > 0; j--)
        v[j][i] = p[i][j] * v[j+1][i] + q[i][j];
    }
    for (int i = 1; i < n - 1; i++) {
      u[i][0] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = u[i][0];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = -d / (d * p[i][j-1] + e);
        q[i][j] = (-a * v[i-1][j] + (1.0 + 2.0 * a) * v[i][j] - a * v[i+1][j] - d * q[i][j-1])
                  / (d * p[i][j-1] + e);
      }
      u[i][n-1] = 1.0;
      for (int j = n - 2; j > 0; j--)
        u[i][j] = p[i][j] * u[i][j+1] + q[i][j];
    }
  }
#pragma endscop
}
