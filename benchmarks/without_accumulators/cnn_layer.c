#pragma loadstone default(n = 2, k = 4, c = 3, h = 6, w = 7)
void cnn_layer(int n, int k, int c, int h, int w, short in[n][c][h + 2][w + 2], short weights[k][c][3][3], int bias[k],
               int out[n][k][h][w])
{
  for (int b = 0; b < n; b++)
    for (int o = 0; o < k; o++)
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
          out[b][o][y][x] = bias[o];
          for (int i = 0; i < c; i++)
            for (int r = 0; r < 3; r++)
              for (int s = 0; s < 3; s++)
                out[b][o][y][x] += weights[o][i][r][s] * in[b][i][y + r][x + s];
        }
}
