/* Sum of two vectors, the second kernel of RR-7648. */
#pragma loadstone default(n = 1000)
void vector_sum(int n, int a[n], int b[n], int c[n])
{
#pragma loadstone tile size(64)
#pragma scop
  for (int i = 0; i < n; i++)
    c[i] = a[i] + b[i];
#pragma endscop
}
