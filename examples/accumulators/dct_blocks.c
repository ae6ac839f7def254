/* Cosine transform of blocks of 8 x 8 pixels, rows then columns, through a local block. */
#pragma loadstone default(bh = 2, bw = 3)
void dct_blocks(int bh, int bw, short in[8 * bh][8 * bw], short cosines[8][8], short out[8 * bh][8 * bw])
{
#pragma loadstone tile schedule(S0: by, bx, 0, u, v, 0; S1: by, bx, 0, u, v, k; S2: by, bx, 0, u, v, 7; \
                                S3: by, bx, 1, u, v, 0; S4: by, bx, 1, u, v, k; S5: by, bx, 1, u, v, 7) \
    size(1, 1, 1, 4, 4, 8) strip(4)
#pragma scop
  for (int by = 0; by < bh; by++)
    for (int bx = 0; bx < bw; bx++) {
      int tmp[8][8];
      for (int u = 0; u < 8; u++)
        for (int v = 0; v < 8; v++) {
          int acc = 0;
          for (int k = 0; k < 8; k++)
            acc += in[8 * by + u][8 * bx + k] * cosines[v][k];
          tmp[u][v] = acc >> 8;
        }
      for (int u = 0; u < 8; u++)
        for (int v = 0; v < 8; v++) {
          int acc = 0;
          for (int k = 0; k < 8; k++)
            acc += cosines[u][k] * tmp[k][v];
          out[8 * by + u][8 * bx + v] = acc >> 8;
        }
    }
#pragma endscop
}
