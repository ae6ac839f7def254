static int last(double *x, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0.0)
            found = i;
    return found;
}

void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < last(b, n); i++)
        a[i] = b[i];
#pragma endscop
}
