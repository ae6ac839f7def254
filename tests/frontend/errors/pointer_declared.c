void kernel(int n, double a[n], double b[n])
{
#pragma scop
    double *p = n > 3 ? a : b;
    for (int i = 0; i < n; i++)
        a[i] = p[i];
#pragma endscop
}
