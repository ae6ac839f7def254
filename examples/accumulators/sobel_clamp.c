/* Sobel edges: sums of absolute differences, clamped to bytes. */
#pragma loadstone default(h = 40, w = 48)
void sobel_clamp(int h, int w, unsigned char in[h][w], unsigned char out[h][w])
{
#pragma loadstone tile size(8, 16)
#pragma scop
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      int gx = in[y - 1][x + 1] + 2 * in[y][x + 1] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y][x - 1] -
               in[y + 1][x - 1];
      int gy = in[y + 1][x - 1] + 2 * in[y + 1][x] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y - 1][x] -
               in[y - 1][x + 1];
      if (gx < 0)
        gx = -gx;
      if (gy < 0)
        gy = -gy;
      int t = gx + gy;
      if (t > 255)
        t = 255;
      out[y][x] = t;
    }
#pragma endscop
}
