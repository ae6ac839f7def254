void kernel(int n, double a[n], double b[n])
{
#pragma scop
    int k = 0;
    for (int i = 0; i < n; i++)
        a[k++] = b[k];
#pragma endscop
}
