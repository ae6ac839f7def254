void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 1; i < n; i *= 2)
        a[i] = 0.0;
#pragma endscop
}
