void kernel(unsigned n, double a[n], double b[n])
{
#pragma scop
    for (unsigned i = 0; i < n; i++)
        a[i] = b[i - 1];
#pragma endscop
}
