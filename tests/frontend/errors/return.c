void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        if (b[i] < 0.0)
            return;
        a[i] = b[i];
    }
#pragma endscop
}
