/* Marks and counts the pixels of each row that exceed the row's limit: writes under a data-dependent condition. */
#pragma loadstone default(rows = 50, cols = 70)
void threshold(int rows, int cols, int image[rows][cols], int limit[rows], int mark[rows][cols], int count[rows])
{
#pragma loadstone tile size(8, 16)
#pragma scop
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++)
      if (image[i][j] > limit[i]) {
        mark[i][j] = 255;
        count[i] += 1;
      }
#pragma endscop
}
