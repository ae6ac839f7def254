#include <stdio.h>

void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        a[i] = b[i];
        printf("%f\n", a[i]);
    }
#pragma endscop
}
