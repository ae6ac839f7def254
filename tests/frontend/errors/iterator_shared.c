void kernel(int n, double a[n][n])
{
    int i;
#pragma scop
    for (i = 0; i < n; i++)
        for (i = 0; i < n; i++)
            a[i][i] = 0.0;
#pragma endscop
}
