/* Jacobi-1D in single assignment, one row of a per time step (RR-9131). Damped with one half, which keeps
   it in integers; a[0] is the start, the columns 0 and N + 1 are the fixed border. */
#pragma loadstone default(T = 30, N = 101)
void jacobi1d_sa(int T, int N, int a[T + 1][N + 2])
{
#pragma loadstone tile schedule(S0: t, t + i) size(4, 4)
#pragma scop
  for (int t = 1; t <= T; t++)
    for (int i = 1; i <= N; i++)
      a[t][i] = (a[t-1][i-1] + 2 * a[t-1][i] + a[t-1][i+1]) >> 2;
#pragma endscop
}
