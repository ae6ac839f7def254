void kernel(int n, double a[n], double b[n])
{
#pragma scop
    double *p = a;
    for (int i = 0; i < n; i++) {
        p[i] = b[i];
        p = b;
    }
#pragma endscop
}
