#define SQUARE(x) ((x) * (x))
#define CLEAR(i) a[i] = zero

void kernel(int n, double a[n])
{
#pragma scop
    for (int i = 0; i < SQUARE(n); i++)
        CLEAR(i);
#pragma endscop
}
