void kernel(int n, double a[n], double b[n])
{
#pragma loadstone assume(a[0] > 0)
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
S2:         a[i] += b[j];
#pragma endscop
}
