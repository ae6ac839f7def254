void kernel(int n, double a[n], double m[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        m[i] = a[i];
#pragma endscop
}
