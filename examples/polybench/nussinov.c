/* Largest number of base pairs in a folded strand of n bases, by intervals i..j (PolyBench nussinov).
   Bases pair when their codes add up to three; table arrives cleared. The splits k of one interval stay together. */
#define MAX(x, y) ((x) >= (y) ? (x) : (y))
#define PAIRS(x, y) ((x) + (y) == 3 ? 1 : 0)

#pragma loadstone default(n = 60)
void nussinov(int n, int seq[n], int table[n][n])
{
#pragma loadstone tile schedule(S0: n - 1 - i, j; S1: n - 1 - i, j; S2: n - 1 - i, j; S3: n - 1 - i, j; \
  S4: n - 1 - i, j) size(8, 8)
#pragma scop
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      table[i][j] = MAX(table[i][j], table[i][j-1]);
      table[i][j] = MAX(table[i][j], table[i+1][j]);
      if (i < j - 1)
        table[i][j] = MAX(table[i][j], table[i+1][j-1] + PAIRS(seq[i], seq[j]));
      else
        table[i][j] = MAX(table[i][j], table[i+1][j-1]);
      for (int k = i + 1; k < j; k++)
        table[i][j] = MAX(table[i][j], table[i][k] + table[k+1][j]);
    }
#pragma endscop
}
