void kernel(int n, double m[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        m[i, 0] = 0.0;
#pragma endscop
}
