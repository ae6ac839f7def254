#include <math.h>

static double twice(double x) { return 2.0 * x; }

void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = sqrt(b[i], 2.0) + twice();
#pragma endscop
}
