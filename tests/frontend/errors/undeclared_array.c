void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = c[i] + c[i + 1];
#pragma endscop
}
