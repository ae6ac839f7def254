#pragma loadstone default(n = 200)
void biquad(int n, int x[n], int y[n], int b0, int b1, int b2, int a1, int a2)
{
#pragma loadstone tile size(32)
#pragma scop
  for (int i = 0; i < n; i++) {
    if (i == 0)
      y[i] = (b0 * x[i]) >> 8;
    if (i == 1)
      y[i] = (b0 * x[i] + b1 * x[i - 1] - a1 * y[i - 1]) >> 8;
    if (i >= 2)
      y[i] = (b0 * x[i] + b1 * x[i - 1] + b2 * x[i - 2] - a1 * y[i - 1] - a2 * y[i - 2]) >> 8;
  }
#pragma endscop
}
