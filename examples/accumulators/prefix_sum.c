/* Running sums of each row. */
#pragma loadstone default(h = 24, w = 100)
void prefix_sum(int h, int w, int in[h][w], int out[h][w])
{
#pragma loadstone tile size(8, 16)
#pragma scop
  for (int y = 0; y < h; y++) {
    int sum = 0;
    for (int x = 0; x < w; x++) {
      sum += in[y][x];
      out[y][x] = sum;
    }
  }
#pragma endscop
}
