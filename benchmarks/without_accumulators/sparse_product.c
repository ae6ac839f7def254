#pragma loadstone default(n = 20, nonzeros = 90)
#pragma loadstone assume(0 <= k && k < nonzeros)
void sparse_product(int n, int nonzeros, const int row[n + 1], const int column[nonzeros], const int value[nonzeros],
                    const int x[n], int y[n])
{
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int k = row[i]; k < row[i + 1]; k++)
      y[i] += value[k] * x[column[k]];
  }
}
