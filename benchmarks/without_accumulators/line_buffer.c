#pragma loadstone default(h = 24, w = 40)
void line_buffer(int h, int w, int in[h][w], int out[h][w])
{
#pragma loadstone tile size(8, 8) strip(2)
#pragma scop
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      if (y == 0)
        out[y][x] = in[y][x] >> 2;
      if (y == 1)
        out[y][x] = (2 * in[y - 1][x] + in[y][x]) >> 2;
      if (y >= 2)
        out[y][x] = (in[y - 2][x] + 2 * in[y - 1][x] + in[y][x]) >> 2;
    }
#pragma endscop
}
