void kernel(int n, double a[n], double b[n])
{
#pragma scop
    n = n / 2;
    a[0] = n;
#pragma endscop
}
