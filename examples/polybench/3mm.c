/* Three matrix products, g = (a b) (c d) (PolyBench 3mm). */
#pragma loadstone default(ni = 20, nj = 22, nk = 25, nl = 27, nm = 29)
void k3mm(int ni, int nj, int nk, int nl, int nm, double a[ni][nk], double b[nk][nj], double c[nj][nm],
          double d[nm][nl], double g[ni][nl])
{
  double e[ni][nj];
  double f[nj][nl];

#pragma loadstone tile size(8, 8, 8)
#pragma scop
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      e[i][j] = 0.0;
      for (int k = 0; k < nk; k++)
        e[i][j] += a[i][k] * b[k][j];
    }
  for (int i = 0; i < nj; i++)
    for (int j = 0; j < nl; j++) {
      f[i][j] = 0.0;
      for (int k = 0; k < nm; k++)
        f[i][j] += c[i][k] * d[k][j];
    }
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      g[i][j] = 0.0;
      for (int k = 0; k < nj; k++)
        g[i][j] += e[i][k] * f[k][j];
    }
#pragma endscop
}
