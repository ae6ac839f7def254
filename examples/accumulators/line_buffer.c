/* Blur over three rows, which come row by row through two line buffers. */
#pragma loadstone default(h = 24, w = 40)
void line_buffer(int h, int w, int in[h][w], int out[h][w])
{
#pragma loadstone tile size(8, 8) strip(3)
#pragma scop
  int above[w], before[w];
  for (int x = 0; x < w; x++) {
    above[x] = 0;
    before[x] = 0;
  }
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int pixel = in[y][x];
      out[y][x] = (above[x] + 2 * before[x] + pixel) >> 2;
      above[x] = before[x];
      before[x] = pixel;
    }
#pragma endscop
}
