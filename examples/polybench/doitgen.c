/* Multiresolution analysis kernel: every row a[r][q] times the matrix c4 (PolyBench doitgen).
   All rows share the scratch vector sum, so rows follow each other and the product of one row is tiled. */
#pragma loadstone default(nr = 7, nq = 9, np = 26)
void doitgen(int nr, int nq, int np, double a[nr][nq][np], double c4[np][np], double sum[np])
{
#pragma loadstone tile schedule(S0: r, q, 0, p, 0; S1: r, q, 0, p, s; S2: r, q, 1, p, 0) \
  size(1, 1, 1, 8, 8) strip(3)
#pragma scop
  for (int r = 0; r < nr; r++)
    for (int q = 0; q < nq; q++) {
      for (int p = 0; p < np; p++) {
        sum[p] = 0.0;
        for (int s = 0; s < np; s++)
          sum[p] += a[r][q][s] * c4[s][p];
      }
      for (int p = 0; p < np; p++)
        a[r][q][p] = sum[p];
    }
#pragma endscop
}
