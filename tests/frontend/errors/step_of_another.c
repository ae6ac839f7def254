void kernel(int n, double a[n], double b[n])
{
#pragma scop
    int j = 0;
    for (int i = 0; i < n; j++)
        a[i] = 0.0;
#pragma endscop
}
