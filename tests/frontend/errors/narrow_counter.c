void kernel(unsigned n, double a[n], double b[n])
{
#pragma scop
    for (unsigned char i = 0; i < 300; i++)
        a[i] = b[i];
#pragma endscop
}
