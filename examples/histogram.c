/* Histogram of bytes: the element of h depends on the data, so its accesses are may-accesses of all of h. */
#pragma loadstone default(n = 1000)
void histogram(int n, unsigned char x[n], int h[256])
{
#pragma loadstone tile size(64)
#pragma scop
  for (int i = 0; i < n; i++)
    h[x[i]] += 1;
#pragma endscop
}
