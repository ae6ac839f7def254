/* Copy of a vector: pure data movement, the first kernel of RR-7648. */
#pragma loadstone default(n = 1000)
void dma(int n, int a[n], int b[n])
{
#pragma loadstone tile size(64)
#pragma scop
  for (int i = 0; i < n; i++)
    b[i] = a[i];
#pragma endscop
}
