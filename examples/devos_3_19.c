/* Devos, Section 3.6.1 (Figures 3.19 and 3.20): sums of pairs, then of overlapping triples of those.
   A tile runs four S1 and two S2; S1 is shifted before the strip-mine, so five elements of B are alive. */
#pragma loadstone default(N = 250)
void devos_3_19(int N, int A[4 * N + 2], int C[N])
{
  int B[2 * N + 1];

#pragma loadstone tile schedule(S1: j - 1; S2: 2*j + 1) size(4)
#pragma scop
  for (int j = 0; j <= 2 * N; j++)
S1: B[j] = A[2*j] + A[2*j+1];
  for (int j = 0; j <= N - 1; j++)
S2: C[j] = B[2*j] + B[2*j+1] + B[2*j+2];
#pragma endscop
}
