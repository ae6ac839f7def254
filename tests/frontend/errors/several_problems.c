#pragma loadstone unroll
void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i += 0)
        a[i] = 0.0;
    for (int i = 0; i < n * n; i++)
        a[i] = c[i];
    while (a[0] > 0.0)
        a[0] -= 1.0;
    for (int i = 0; i < n; i++)
        a[i] = b[i] % 2 + b[i][0] + unknown;
#pragma endscop
}
