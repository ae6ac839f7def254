void kernel(int n, double a[n], double b[n])
{
#pragma scop
    int i = 0;
    for (; i < n; i++)
        a[i] = 0.0;
#pragma endscop
}
