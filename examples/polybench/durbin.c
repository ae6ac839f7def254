/* Solution y of the Yule-Walker equations of a Toeplitz matrix by Levinson-Durbin recursion (PolyBench durbin).
   One order after the other; each runs three phases over tiles of i, and a strip holds all of an order. */
#pragma loadstone default(n = 116)
#pragma loadstone assume(n >= 1)
void durbin(int n, double r[n], double y[n])
{
  double z[n], alpha, beta, sum;

#pragma loadstone tile schedule(S0: 0, 0, 0; S1: 0, 0, 0; S2: 0, 0, 0; S3: k, 0, 0; S4: k, 0, 0; S5: k, 0, i; \
  S6: k, 1, 0; S7: k, 1, i; S8: k, 2, i; S9: k, 2, k) size(1, 1, 16) strip(2)
#pragma scop
  y[0] = -r[0];
  beta = 1.0;
  alpha = -r[0];
  for (int k = 1; k < n; k++) {
    beta = (1.0 - alpha * alpha) * beta;
    sum = 0.0;
    for (int i = 0; i < k; i++)
      sum += r[k-i-1] * y[i];
    alpha = -(r[k] + sum) / beta;
    for (int i = 0; i < k; i++)
      z[i] = y[i] + alpha * y[k-i-1];
    for (int i = 0; i < k; i++)
      y[i] = z[i];
    y[k] = alpha;
  }
#pragma endscop
}
