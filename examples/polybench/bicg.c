/* The two products of a step of the biconjugate gradient method, s = a' r and q = a p (PolyBench bicg). */
#pragma loadstone default(m = 116, n = 124)
void bicg(int m, int n, double a[n][m], double s[m], double q[n], double p[m], double r[n])
{
#pragma loadstone tile size(8, 8)
#pragma scop
  for (int j = 0; j < m; j++)
    s[j] = 0.0;
  for (int i = 0; i < n; i++) {
    q[i] = 0.0;
    for (int j = 0; j < m; j++) {
      s[j] += r[i] * a[i][j];
      q[i] += a[i][j] * p[j];
    }
  }
#pragma endscop
}
