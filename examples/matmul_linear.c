/* Matrix product added to c, with pointers and linear addresses: the rows of a are lda apart. */
#pragma loadstone default(n = 24, m = 26, p = 20, lda = 28)
void matmul_linear(int n, int m, int p, int lda, const float *a, const float *b, float *c)
{
#pragma loadstone tile size(8, 8, 8)
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < p; k++)
        c[i * m + j] += a[i * lda + k] * *(b + k * m + j);
#pragma endscop
}
