/* Depthwise convolution: a 3 x 3 kernel for each channel, then a shift and a clamp to bytes. */
#pragma loadstone default(c = 4, h = 16, w = 20)
void depthwise(int c, int h, int w, unsigned char in[c][h + 2][w + 2], signed char weights[c][3][3],
               unsigned char out[c][h][w])
{
#pragma loadstone tile size(1, 8, 8, 3, 3) strip(3)
#pragma scop
  for (int d = 0; d < c; d++)
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        int sum = 0;
        for (int r = 0; r < 3; r++)
          for (int s = 0; s < 3; s++)
            sum += weights[d][r][s] * in[d][y + r][x + s];
        sum = sum >> 4;
        if (sum < 0)
          sum = 0;
        if (sum > 255)
          sum = 255;
        out[d][y][x] = sum;
      }
#pragma endscop
}
