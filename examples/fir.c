/* Finite impulse response filter: the signal A of length N through the filter B of length L (Devos, Figure 4.7).
   C arrives cleared; its first L - 1 elements are left alone. */
#pragma loadstone default(L = 21, N = 500)
#pragma loadstone assume(L >= 1)
void fir(int L, int N, int A[N], int B[L], int C[N])
{
#pragma loadstone tile size(32, 8)
#pragma scop
  for (int i = L - 1; i <= N - 1; i++)
    for (int k = 0; k <= L - 1; k++)
S1:   C[i] = C[i] + A[i-k]*B[k];
#pragma endscop
}
