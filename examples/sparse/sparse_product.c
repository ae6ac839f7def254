/* Product of a sparse matrix, by rows, and a vector: row i has the elements row[i] to row[i + 1] - 1. */
#pragma loadstone default(n = 20, nonzeros = 90)
#pragma loadstone assume(0 <= k && k < nonzeros)
void sparse_product(int n, int nonzeros, const int row[n + 1], const int column[nonzeros], const int value[nonzeros],
                    const int x[n], int y[n])
{
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int k = row[i]; k < row[i + 1]; k++)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}
