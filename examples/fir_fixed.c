/* Finite impulse response filter in fixed point: the signal x through the filter h. Samples have 8 bits before the point
   and 8 after it, coefficients lie between -1 and 1, sums keep more of both. y arrives cleared; its first taps - 1
   elements are left alone. As plain C this computes in float. */
typedef float sample;
typedef float coefficient;
typedef float sum;
#pragma loadstone fixed type(sample) bits(16) fraction(8) round(nearest) overflow(saturate)
#pragma loadstone fixed type(coefficient) bits(12) fraction(11) round(nearest) overflow(saturate)
#pragma loadstone fixed type(sum) bits(32) fraction(16) round(nearest) overflow(saturate)

#pragma loadstone default(taps = 21, n = 500)
#pragma loadstone assume(taps >= 1)
void fir_fixed(int taps, int n, sample x[n], coefficient h[taps], sum y[n])
{
#pragma loadstone tile size(32, 8)
#pragma scop
  for (int i = taps - 1; i < n; i++)
    for (int k = 0; k < taps; k++)
      y[i] += (sum)x[i - k] * h[k];
#pragma endscop
}
