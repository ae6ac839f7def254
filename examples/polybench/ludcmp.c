/* Linear system a x = b by factors l and u, then forward and backward substitution (PolyBench ludcmp).
   The sums go straight into a, y and x, and the backward one runs down, so that every step can be tiled. */
#pragma loadstone default(n = 50)
void ludcmp(int n, double a[n][n], double b[n], double x[n], double y[n])
{
#pragma loadstone tile schedule(S0: 0, i, j, k; S1: 0, i, j, j; S2: 0, i, j, k; S3: 1, i, 0, 0; S4: 1, i, j, 0; \
  S5: 2, n - 1 - i, 0, 0; S6: 2, n - 1 - i, n - 1 - j, 0; S7: 2, n - 1 - i, n - 1 - i, 0) size(1, 8, 8, 8)
#pragma scop
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[k][j];
      a[i][j] /= a[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        a[i][j] -= a[i][k] * a[k][j];
  }
  for (int i = 0; i < n; i++) {
    y[i] = b[i];
    for (int j = 0; j < i; j++)
      y[i] -= a[i][j] * y[j];
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] = y[i];
    for (int j = n - 1; j > i; j--)
      x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
#pragma endscop
}
