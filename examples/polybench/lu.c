/* Factors l and u of a matrix, in its place and without pivoting (PolyBench lu). */
#pragma loadstone default(n = 50)
void lu(int n, double a[n][n])
{
#pragma loadstone tile schedule(S0: i, j, k; S1: i, j, j; S2: i, j, k) size(8, 8, 8)
#pragma scop
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[k][j];
      a[i][j] /= a[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        a[i][j] -= a[i][k] * a[k][j];
  }
#pragma endscop
}
