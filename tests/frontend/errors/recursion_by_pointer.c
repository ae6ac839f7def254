static void fill(double *x, int n)
{
    x[0] = n;
    fill(x, n - 1);
}

void kernel(int n, double a[n], double b[n])
{
#pragma scop
    fill(a, n);
#pragma endscop
}
