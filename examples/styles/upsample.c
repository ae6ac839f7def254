/* Rows and columns doubled, with bilinear weights. */
#pragma loadstone default(h = 9, w = 11)
void upsample(int h, int w, unsigned char in[h + 1][w + 1], unsigned char out[2 * h][2 * w])
{
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int here = in[y][x], right = in[y][x + 1], below = in[y + 1][x], across = in[y + 1][x + 1];
      out[2 * y][2 * x] = here;
      out[2 * y][2 * x + 1] = (here + right) >> 1;
      out[2 * y + 1][2 * x] = (here + below) >> 1;
      out[2 * y + 1][2 * x + 1] = (here + right + below + across) >> 2;
    }
}
