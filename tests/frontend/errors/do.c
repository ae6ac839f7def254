void kernel(int n, double a[n], double b[n])
{
#pragma scop
    int i = 0;
    do {
        a[i] = 0.0;
        i++;
    } while (i < n);
#pragma endscop
}
