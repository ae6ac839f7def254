/* Sum of two matrix-vector products, y = alpha a x + beta b x (PolyBench gesummv). */
#pragma loadstone default(n = 116)
void gesummv(int n, double alpha, double beta, double a[n][n], double b[n][n], double x[n], double y[n])
{
  double tmp[n];

#pragma loadstone tile schedule(S0: i, 0; S1: i, 0; S2: i, j; S3: i, j; S4: i, n - 1) size(8, 8)
#pragma scop
  for (int i = 0; i < n; i++) {
    tmp[i] = 0.0;
    y[i] = 0.0;
    for (int j = 0; j < n; j++) {
      tmp[i] += a[i][j] * x[j];
      y[i] += b[i][j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
#pragma endscop
}
