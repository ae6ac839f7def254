void kernel(unsigned n, double a[n], double b[n])
{
#pragma scop
    unsigned char i = 0;
    while (i < n) {
        i++;
        a[i] = 0.0;
    }
#pragma endscop
}
