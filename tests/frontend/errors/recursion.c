static int factorial(int i)
{
    return i < 2 ? 1 : i * factorial(i - 1);
}

void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = factorial(i);
#pragma endscop
}
