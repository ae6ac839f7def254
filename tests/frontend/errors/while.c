void kernel(int n, double a[n], double b[n])
{
#pragma scop
    int i = 0;
    while (i < n) {
        a[i] = 0.0;
        i++;
    }
#pragma endscop
}
