void kernel(int n, int m, double a[n])
{
#pragma scop
    for (int i = 0; i < n * m; i++)
        a[i] = 0.0;
#pragma endscop
}
