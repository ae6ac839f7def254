/* Lengths of the shortest paths between all pairs of n nodes (PolyBench floyd-warshall).
   One intermediate node k after the other, the matrix in square tiles. */
#pragma loadstone default(n = 36)
void floyd_warshall(int n, int path[n][n])
{
#pragma loadstone tile size(1, 8, 8)
#pragma scop
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i][j] = path[i][j] <= path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
#pragma endscop
}
