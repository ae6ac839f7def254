/* Matrix product c += a b with narrow integers of HLS: products and sums keep all their bits, c holds twenty of them. */
#include <ap_int.h>

constexpr int N = 40;
using element = ap_int<7>;
using total = ap_int<20>;

#pragma loadstone tile size(8, 8, 8)
void matmul_ap(const element a[N][N], const ap_uint<5> b[N][N], total (&c)[N][N])
{
#pragma HLS INTERFACE mode=m_axi port=a bundle=operands
#pragma HLS INTERFACE mode=m_axi port=b bundle=operands
#pragma HLS ARRAY_PARTITION variable=a dim=2 type=cyclic factor=2
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
#pragma HLS UNROLL factor=4
      for (int k = 0; k < N; k++)
#pragma HLS PIPELINE II=1
        c[i][j] += a[i][k] * b[k][j];
}
