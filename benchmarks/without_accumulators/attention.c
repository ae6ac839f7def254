#pragma loadstone default(n = 24, d = 32)
void attention(int n, int d, float q[n][d], float k[n][d], float scores[n][n], float top[n], float scale)
{
#pragma loadstone tile size(8, 8, 8) strip(2)
#pragma scop
  for (int i = 0; i < n; i++) {
    top[i] = -1e30f;
    for (int j = 0; j < n; j++) {
      scores[i][j] = 0.0f;
      for (int l = 0; l < d; l++)
        scores[i][j] += q[i][l] * k[j][l];
      scores[i][j] = scores[i][j] * scale;
      top[i] = scores[i][j] > top[i] ? scores[i][j] : top[i];
    }
  }
#pragma endscop
}
