/* Average over windows of 3 x 3 pixels, two pixels apart, of each channel. */
#pragma loadstone default(c = 3, h = 7, w = 8)
void avgpool(int c, int h, int w, float in[c][2 * h + 1][2 * w + 1], float out[c][h][w])
{
  for (int d = 0; d < c; d++)
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        float sum = 0.0f;
        for (int r = 0; r < 3; r++)
          for (int s = 0; s < 3; s++)
            sum += in[d][2 * y + r][2 * x + s];
        out[d][y][x] = sum * 0.125f;
      }
}
