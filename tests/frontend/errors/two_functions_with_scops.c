void clear(int n, double a[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = 0.0;
#pragma endscop
}

void grow(int n, double a[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] += 1.0;
#pragma endscop
}
