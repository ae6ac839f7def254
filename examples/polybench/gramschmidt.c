/* Orthonormal q and upper triangular r with q r = a by modified Gram-Schmidt (PolyBench gramschmidt).
   A block of eight columns meets all earlier columns k, one after the other; r[k][k] first holds the square. */
#include <math.h>

#pragma loadstone default(m = 44, n = 30)
#pragma loadstone assume(m >= 1)
void gramschmidt(int m, int n, double a[m][n], double r[n][n], double q[m][n])
{
#pragma loadstone tile schedule(S0: k, k, 0, 0; S1: k, k, 0, i; S2: k, k, 0, m - 1; S3: k, k, 1, i; \
  S4: j, k, 2, 0; S5: j, k, 2, i; S6: j, k, 3, i) size(8, 1, 1, 8) strip(2)
#pragma scop
  for (int k = 0; k < n; k++) {
    r[k][k] = 0.0;
    for (int i = 0; i < m; i++)
      r[k][k] += a[i][k] * a[i][k];
    r[k][k] = sqrt(r[k][k]);
    for (int i = 0; i < m; i++)
      q[i][k] = a[i][k] / r[k][k];
    for (int j = k + 1; j < n; j++) {
      r[k][j] = 0.0;
      for (int i = 0; i < m; i++)
        r[k][j] += q[i][k] * a[i][j];
      for (int i = 0; i < m; i++)
        a[i][j] -= q[i][k] * r[k][j];
    }
  }
#pragma endscop
}
