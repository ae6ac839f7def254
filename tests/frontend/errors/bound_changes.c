void kernel(int n, double a[n], double b[n])
{
#pragma scop
    n = n - 1;
    for (int i = 0; i < n; i++)
        a[i] = 0.0;
#pragma endscop
}
