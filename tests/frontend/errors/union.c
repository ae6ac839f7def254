union number { double real; long bits; };

void kernel(int n, double a[n], union number u[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = u[i].real;
#pragma endscop
}
