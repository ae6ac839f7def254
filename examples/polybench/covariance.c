/* Covariance matrix of m variables from n samples each (PolyBench covariance). */
#pragma loadstone default(m = 36, n = 45)
#pragma loadstone assume(n >= 1)
void covariance(int m, int n, double data[n][m], double cov[m][m], double mean[m])
{
#pragma loadstone tile schedule(S0: 0, j, 0, 0; S1: 0, j, i, 0; S2: 0, j, n - 1, 0; S3: 1, i, j, 0; \
  S4: 2, i, j, 0; S5: 2, i, j, k; S6: 2, i, j, n - 1; S7: 2, i, j, n - 1) size(1, 8, 8, 8)
#pragma scop
  for (int j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < n; i++)
      mean[j] += data[i][j];
    mean[j] /= n;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      data[i][j] -= mean[j];
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++) {
      cov[i][j] = 0.0;
      for (int k = 0; k < n; k++)
        cov[i][j] += data[k][i] * data[k][j];
      cov[i][j] /= n - 1.0;
      cov[j][i] = cov[i][j];
    }
#pragma endscop
}
