/* Finite impulse response filter in fixed point of HLS. Sums are exact up to their 24 bits; the result is rounded to
   nearest and saturated where it is scaled. y arrives cleared. */
#include <algorithm>
#include <ap_fixed.h>

namespace filter {

constexpr int TAPS = 7;
using sample = ap_fixed<12, 4, AP_RND, AP_SAT>;
using coefficient = ap_fixed<10, 1>;
using sum = ap_fixed<24, 8>;

template <int PLACES> sum halved(sum x) { return x >> PLACES; }

} // namespace filter

using namespace filter;

#pragma loadstone default(n = 200)
#pragma loadstone assume(7 <= n && n <= 1000)
#pragma loadstone tile schedule(S0: 0, i, k; S1: 1, i, 0) size(1, 16, 8)
void fir_ap(int n, const sample x[1000], const coefficient h[TAPS], sum s[1000], sample y[1000])
{
  for (int i = TAPS - 1; i < n; i++)
    for (int k = 0; k < TAPS; k++) {
#pragma HLS PIPELINE
#pragma HLS LOOP_TRIPCOUNT min=7 max=7
      s[i] += x[i - k] * h[k];
    }
  for (int i = TAPS - 1; i < n; i++)
    y[i] = std::max(static_cast<sample>(filter::halved<1>(s[i])), sample(-2.5));
}
