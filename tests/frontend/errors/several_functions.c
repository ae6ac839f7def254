void clear(int n, double a[n])
{
    for (int i = 0; i < n; i++)
        a[i] = 0.0;
}

void grow(int n, double a[n])
{
    for (int i = 0; i < n; i++)
        a[i] += 1.0;
}
