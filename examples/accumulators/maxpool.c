/* Maximum over blocks of 2 x 2 pixels. */
#pragma loadstone default(h = 20, w = 24)
void maxpool(int h, int w, int in[2 * h][2 * w], int out[h][w])
{
#pragma loadstone tile size(8, 8, 2, 2) strip(3)
#pragma scop
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int best = in[2 * y][2 * x];
      for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++)
          if (in[2 * y + r][2 * x + s] > best)
            best = in[2 * y + r][2 * x + s];
      out[y][x] = best;
    }
#pragma endscop
}
