/* General matrix product, c = alpha a b + beta c (PolyBench gemm). */
#pragma loadstone default(ni = 30, nj = 34, nk = 38)
void gemm(int ni, int nj, int nk, double alpha, double beta, double c[ni][nj], double a[ni][nk], double b[nk][nj])
{
#pragma loadstone tile size(8, 8, 8)
#pragma scop
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      c[i][j] *= beta;
      for (int k = 0; k < nk; k++)
        c[i][j] += alpha * a[i][k] * b[k][j];
    }
#pragma endscop
}
