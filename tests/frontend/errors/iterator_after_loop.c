void kernel(int n, double a[n + 1])
{
    int i;
#pragma scop
    for (i = 0; 2 * i < n; i++)
        a[i] = 0.0;
    a[i] = 1.0;
#pragma endscop
}
