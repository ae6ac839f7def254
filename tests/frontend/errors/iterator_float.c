void kernel(int n, double a[n])
{
    double x;
#pragma scop
    for (x = 0; x < n; x++)
        a[0] += x;
    for (float y = 0; y < n; y++)
        a[0] += y;
#pragma endscop
}
