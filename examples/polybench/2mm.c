/* Two matrix products in a row, d = alpha a b c + beta d (PolyBench 2mm). */
#pragma loadstone default(ni = 26, nj = 28, nk = 30, nl = 34)
void k2mm(int ni, int nj, int nk, int nl, double alpha, double beta, double a[ni][nk], double b[nk][nj],
          double c[nj][nl], double d[ni][nl])
{
  double tmp[ni][nj];

#pragma loadstone tile size(8, 8, 8)
#pragma scop
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      tmp[i][j] = 0.0;
      for (int k = 0; k < nk; k++)
        tmp[i][j] += alpha * a[i][k] * b[k][j];
    }
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      d[i][j] *= beta;
      for (int k = 0; k < nj; k++)
        d[i][j] += tmp[i][k] * c[k][j];
    }
#pragma endscop
}
