/* Blends an image that arrives as a stream with one in memory, pixel by pixel: weights between 0 and 1, saturation at
   white. The result leaves as a stream. */
#include <ap_fixed.h>
#include <hls_stream.h>

typedef ap_ufixed<8, 8, AP_RND, AP_SAT> pixel;
typedef ap_ufixed<8, 0> weight;

const int ROWS = 24, COLS = 30;

static pixel blended(pixel front, pixel back, weight w)
{
  return back + (front - back) * w * 3;
}

#pragma loadstone tile size(8, 8)
void blend_stream(hls::stream<pixel> &in, const pixel back[ROWS][COLS], const weight &w, hls::stream<pixel> &out)
{
#pragma HLS INTERFACE mode=axis port=in
#pragma HLS INTERFACE mode=axis port=out
  for (int y = 0; y < ROWS; y++)
    for (int x = 0; x < COLS; x++) {
#pragma HLS PIPELINE II=2
      out.write(blended(in.read(), back[y][x], w));
    }
}
