void kernel(unsigned n, double a[n], double b[n])
{
#pragma scop
    for (unsigned i = n - 1; i >= 0; i--)
        a[i] = b[i];
#pragma endscop
}
