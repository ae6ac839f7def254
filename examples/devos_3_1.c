/* Devos, Figure 3.1: products along the diagonals of A, then sums of neighbours.
   The tiling is the thesis' own sequence: skew, interchange, fuse, shift S3 by one. */
#pragma loadstone default(N = 60)
void devos_3_1(int N, unsigned int A[N + 1][N + 1], unsigned int B[N + 1], unsigned int C[N])
{
#pragma loadstone tile schedule(S2: i + j, i; S3: k + 1, k + 1) size(8, 8)
#pragma scop
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= N - i; j++)
S2:   B[i+j] = B[i+j] * A[i][j];
  for (int k = 0; k <= N - 1; k++)
S3: C[k] = B[k] + B[k+1];
#pragma endscop
}
