struct complex { double re, im; };

void kernel(int n, double a[n], struct complex z[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = z[i].imaginary;
#pragma endscop
}
