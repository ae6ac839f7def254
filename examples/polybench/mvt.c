/* Two vectors updated by a matrix and by its transpose, x1 += a y1 and x2 += a' y2 (PolyBench mvt).
   Interchanging the second nest lets both use the same block of a in the same tile. */
#pragma loadstone default(n = 116)
void mvt(int n, double x1[n], double x2[n], double y1[n], double y2[n], double a[n][n])
{
#pragma loadstone tile schedule(S0: i, j; S1: j, i) size(8, 8)
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x1[i] += a[i][j] * y1[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x2[i] += a[j][i] * y2[j];
#pragma endscop
}
