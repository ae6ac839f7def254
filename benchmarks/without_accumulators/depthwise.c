#pragma loadstone default(c = 4, h = 16, w = 20)
void depthwise(int c, int h, int w, unsigned char in[c][h + 2][w + 2], signed char weights[c][3][3],
               unsigned char out[c][h][w])
{
#pragma loadstone tile size(1, 8, 8) strip(1)
#pragma scop
  for (int d = 0; d < c; d++)
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        out[d][y][x] =
            (weights[d][0][0] * in[d][y][x] + weights[d][0][1] * in[d][y][x + 1] +
             weights[d][0][2] * in[d][y][x + 2] + weights[d][1][0] * in[d][y + 1][x] +
             weights[d][1][1] * in[d][y + 1][x + 1] + weights[d][1][2] * in[d][y + 1][x + 2] +
             weights[d][2][0] * in[d][y + 2][x] + weights[d][2][1] * in[d][y + 2][x + 1] +
             weights[d][2][2] * in[d][y + 2][x + 2]) >> 4;
#pragma endscop
}
