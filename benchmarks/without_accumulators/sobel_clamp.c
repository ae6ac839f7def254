#pragma loadstone default(h = 40, w = 48)
void sobel_clamp(int h, int w, unsigned char in[h][w], unsigned char out[h][w])
{
#pragma loadstone tile size(8, 16)
#pragma scop
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++)
      out[y][x] = in[y - 1][x + 1] + 2 * in[y][x + 1] + in[y + 1][x + 1] + in[y - 1][x - 1] + 2 * in[y][x - 1] +
                  in[y + 1][x - 1] + in[y + 1][x] + in[y - 1][x];
#pragma endscop
}
