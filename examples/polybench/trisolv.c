/* Lower triangular system l x = b by forward substitution (PolyBench trisolv). */
#pragma loadstone default(n = 116)
void trisolv(int n, double l[n][n], double x[n], double b[n])
{
#pragma loadstone tile schedule(S0: i, 0; S1: i, j; S2: i, i) size(8, 8)
#pragma scop
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= l[i][j] * x[j];
    x[i] /= l[i][i];
  }
#pragma endscop
}
