/* Finite impulse response filter with a shift register of the last samples. */
#pragma loadstone default(n = 200)
void fir_shift(int n, int x[n], int taps[16], int y[n])
{
#pragma loadstone tile size(32, 32) strip(3)
#pragma scop
  int window[16];
  for (int k = 0; k < 16; k++)
    window[k] = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 15; k > 0; k--)
      window[k] = window[k - 1];
    window[0] = x[i];
    int acc = 0;
    for (int k = 0; k < 16; k++)
      acc += taps[k] * window[k];
    y[i] = acc;
  }
#pragma endscop
}
