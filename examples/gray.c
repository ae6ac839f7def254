/* Weighted sum of the colours of pixels, which are structures in external memory, by linear addresses. */
#pragma loadstone default(rows = 30, cols = 41)
struct pixel { unsigned char r, g, b; };
void gray(int rows, int cols, const struct pixel *image, struct pixel *result)
{
#pragma loadstone tile size(8, 16)
#pragma scop
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      result[i * cols + j].g =
        (77 * image[i * cols + j].r + 150 * image[i * cols + j].g + 29 * image[i * cols + j].b) >> 8;
      result[i * cols + j].r = image[i * cols + j].r;
    }
#pragma endscop
}
