static int find(double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] > 0.0)
            return i;
    return n;
}

void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = find(b, n);
#pragma endscop
}
