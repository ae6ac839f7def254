void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = *(n + i) + b[i];
#pragma endscop
}
