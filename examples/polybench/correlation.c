/* Correlation matrix of m variables from n samples each (PolyBench correlation).
   A variable that hardly varies gets the deviation one, so that nothing is divided by zero. */
#include <math.h>

#pragma loadstone default(m = 36, n = 45)
#pragma loadstone assume(n >= 1)
void correlation(int m, int n, double data[n][m], double corr[m][m], double mean[m], double stddev[m])
{
#pragma loadstone tile schedule(S0: 0, j, 0, 0; S1: 0, j, i, 0; S2: 0, j, n - 1, 0; \
  S3: 1, j, 0, 0; S4: 1, j, i, 0; S5: 1, j, n - 1, 0; S6: 1, j, n - 1, 0; S7: 2, i, j, 0; S8: 2, i, j, 0; \
  S9: 3, i, i, 0; S10: 3, i, j, 0; S11: 3, i, j, k; S12: 3, i, j, n - 1) size(1, 8, 8, 8)
#pragma scop
  for (int j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < n; i++)
      mean[j] += data[i][j];
    mean[j] /= n;
  }
  for (int j = 0; j < m; j++) {
    stddev[j] = 0.0;
    for (int i = 0; i < n; i++)
      stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    stddev[j] = sqrt(stddev[j] / n);
    stddev[j] = stddev[j] <= 0.1 ? 1.0 : stddev[j];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      data[i][j] -= mean[j];
      data[i][j] /= sqrt(n) * stddev[j];
    }
  for (int i = 0; i < m; i++) {
    corr[i][i] = 1.0;
    for (int j = i + 1; j < m; j++) {
      corr[i][j] = 0.0;
      for (int k = 0; k < n; k++)
        corr[i][j] += data[k][i] * data[k][j];
      corr[j][i] = corr[i][j];
    }
  }
#pragma endscop
}
