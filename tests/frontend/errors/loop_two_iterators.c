void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0, j = i + 2; i < n; i++, j++)
        a[i] = b[j];
#pragma endscop
}
