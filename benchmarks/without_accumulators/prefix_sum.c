#pragma loadstone default(h = 24, w = 100)
void prefix_sum(int h, int w, int in[h][w], int out[h][w])
{
#pragma loadstone tile size(8, 16)
#pragma scop
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      if (x == 0)
        out[y][x] = in[y][x];
      else
        out[y][x] = out[y][x - 1] + in[y][x];
#pragma endscop
}
