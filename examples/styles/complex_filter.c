/* Filter of complex samples, which are structures, in a local accumulator that is one, too. */
#pragma loadstone default(n = 50, taps = 7)
typedef struct { short re, im; } sample;
void complex_filter(int n, int taps, const sample x[n + taps], const sample w[taps], sample y[n])
{
  for (int i = 0; i < n; i++) {
    struct { int re, im; } acc = {0, 0};
    for (int k = 0; k < taps; k++) {
      acc.re += x[i + k].re * w[k].re - x[i + k].im * w[k].im;
      acc.im += x[i + k].re * w[k].im + x[i + k].im * w[k].re;
    }
    y[i].re = acc.re >> 6;
    y[i].im = acc.im >> 6;
  }
}
