#pragma loadstone default(n = 200)
void fir_shift(int n, int x[n], int taps[16], int y[n])
{
#pragma loadstone tile size(32, 32) strip(2)
#pragma scop
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int k = 0; k < 16; k++)
      if (k <= i)
        y[i] += taps[k] * x[i - k];
  }
#pragma endscop
}
