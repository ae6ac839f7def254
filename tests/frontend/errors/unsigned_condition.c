void kernel(unsigned n, double a[n], double b[n])
{
#pragma scop
    for (unsigned i = 0; i < n; i++)
        if (i - 2 < n)
            a[i] = b[i];
#pragma endscop
}
