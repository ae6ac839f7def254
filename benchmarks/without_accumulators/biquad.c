#pragma loadstone default(n = 200)
void biquad(int n, int x[n], int y[n], int b0, int b1, int b2, int a1, int a2)
{
#pragma loadstone tile size(32) strip(1)
#pragma scop
  for (int i = 2; i < n; i++)
    y[i] = (b0 * x[i] + b1 * x[i - 1] + b2 * x[i - 2] - a1 * y[i - 1] - a2 * y[i - 2]) >> 8;
#pragma endscop
}
