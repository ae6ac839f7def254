#pragma loadstone default(n = 50, taps = 7)
typedef struct { short re, im; } sample;
void complex_filter(int n, int taps, const sample x[n + taps], const sample w[taps], sample y[n])
{
  for (int i = 0; i < n; i++) {
    y[i].re = 0;
    y[i].im = 0;
    for (int k = 0; k < taps; k++) {
      y[i].re += x[i + k].re * w[k].re - x[i + k].im * w[k].im;
      y[i].im += x[i + k].re * w[k].im + x[i + k].im * w[k].re;
    }
    y[i].re = y[i].re >> 6;
    y[i].im = y[i].im >> 6;
  }
}
