void exchange(double *a, double *b, int i);

void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        exchange(a, b, i);
#pragma endscop
}
