/* Convolution with a 3 x 3 kernel, each pixel summed in a local accumulator. */
#pragma loadstone default(h = 40, w = 48)
void conv2d(int h, int w, int in[h + 2][w + 2], int weights[3][3], int out[h][w])
{
#pragma loadstone tile size(8, 8, 3, 3) strip(3)
#pragma scop
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int sum = 0;
      for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++)
          sum += weights[r][s] * in[y + r][x + s];
      out[y][x] = sum;
    }
#pragma endscop
}
