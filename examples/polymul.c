/* Product of two polynomials of degree N, the offloaded nest of RR-7697 with its tiling (a): the sums along
   i + j are kept in order by taking j outermost and backwards. c arrives cleared. */
#pragma loadstone default(N = 65)
void polymul(int N, int a[N + 1], int b[N + 1], int c[2 * N + 1])
{
#pragma loadstone tile schedule(S2: N - j, i) size(10, 10) strip(1)
#pragma scop
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= N; j++)
S2:   c[i+j] = c[i+j] + a[i]*b[j];
#pragma endscop
}
