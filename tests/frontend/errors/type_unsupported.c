void kernel(int n, double a[n], double b[n], long double wide)
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = wide * b[i];
#pragma endscop
}
