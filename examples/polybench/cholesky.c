/* Cholesky factor of a symmetric positive definite matrix, in its lower half (PolyBench cholesky). */
#include <math.h>

#pragma loadstone default(n = 60)
void cholesky(int n, double a[n][n])
{
#pragma loadstone tile schedule(S0: i, j, k; S1: i, j, j; S2: i, i, k; S3: i, i, i) size(8, 8, 8)
#pragma scop
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
    for (int k = 0; k < i; k++)
      a[i][i] -= a[i][k] * a[i][k];
    a[i][i] = sqrt(a[i][i]);
  }
#pragma endscop
}
