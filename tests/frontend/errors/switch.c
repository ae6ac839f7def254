void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        switch (i % 3) {
        case 0: a[i] = 0.0;
        default: a[i] = 1.0;
        }
#pragma endscop
}
