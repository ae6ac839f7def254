double kernel(int n, double a[n])
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s / n;
}
