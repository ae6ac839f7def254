/* Scores of local alignments of two strands (Smith and Waterman). */
#pragma loadstone default(n = 40, m = 48)
void alignment(int n, int m, unsigned char s[n], unsigned char t[m], int score[n + 1][m + 1])
{
#pragma loadstone tile size(8, 8)
#pragma scop
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      int best = 0;
      int diagonal = score[i - 1][j - 1] + (s[i - 1] == t[j - 1] ? 2 : -1);
      int up = score[i - 1][j] - 1;
      int left = score[i][j - 1] - 1;
      if (diagonal > best)
        best = diagonal;
      if (up > best)
        best = up;
      if (left > best)
        best = left;
      score[i][j] = best;
    }
#pragma endscop
}
