/* Scaled scores of queries against keys, and the largest score of each query. */
#pragma loadstone default(n = 24, d = 32)
void attention(int n, int d, float q[n][d], float k[n][d], float scores[n][n], float top[n], float scale)
{
#pragma loadstone tile size(8, 8, 8) strip(2)
#pragma scop
  for (int i = 0; i < n; i++) {
    float best = -1e30f;
    for (int j = 0; j < n; j++) {
      float dot = 0.0f;
      for (int l = 0; l < d; l++)
        dot += q[i][l] * k[j][l];
      float value = dot * scale;
      scores[i][j] = value;
      if (value > best)
        best = value;
    }
    top[i] = best;
  }
#pragma endscop
}
