#pragma loadstone default(bh = 2, bw = 3)
void dct_blocks(int bh, int bw, short in[8 * bh][8 * bw], short cosines[8][8], short out[8 * bh][8 * bw])
{
#pragma loadstone tile schedule(S0: by, bx, 0, u, v, 0; S1: by, bx, 0, u, v, k; S2: by, bx, 0, u, v, 7; \
                                S3: by, bx, 1, u, v, 0; S4: by, bx, 1, u, v, k; S5: by, bx, 1, u, v, 7) \
    size(1, 1, 1, 4, 4, 8) strip(4)
#pragma scop
  int tmp[bh][bw][8][8], sum[bh][bw][8][8];
  for (int by = 0; by < bh; by++)
    for (int bx = 0; bx < bw; bx++) {
      for (int u = 0; u < 8; u++)
        for (int v = 0; v < 8; v++) {
          tmp[by][bx][u][v] = 0;
          for (int k = 0; k < 8; k++)
            tmp[by][bx][u][v] += in[8 * by + u][8 * bx + k] * cosines[v][k];
          tmp[by][bx][u][v] = tmp[by][bx][u][v] >> 8;
        }
      for (int u = 0; u < 8; u++)
        for (int v = 0; v < 8; v++) {
          sum[by][bx][u][v] = 0;
          for (int k = 0; k < 8; k++)
            sum[by][bx][u][v] += cosines[u][k] * tmp[by][bx][k][v];
          out[8 * by + u][8 * bx + v] = sum[by][bx][u][v] >> 8;
        }
    }
#pragma endscop
}
