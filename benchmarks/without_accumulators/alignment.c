#pragma loadstone default(n = 40, m = 48)
void alignment(int n, int m, unsigned char s[n], unsigned char t[m], int score[n + 1][m + 1])
{
#pragma loadstone tile size(8, 8)
#pragma scop
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++)
      score[i][j] = score[i - 1][j - 1] + score[i - 1][j] + score[i][j - 1] + s[i - 1] * t[j - 1];
#pragma endscop
}
