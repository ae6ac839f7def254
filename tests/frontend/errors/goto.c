void kernel(int n, double a[n], double b[n])
{
#pragma scop
again:
    a[0] += 1.0;
    if (a[0] < 10.0)
        goto again;
#pragma endscop
}
