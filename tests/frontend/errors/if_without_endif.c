#define N 8
#if N > 4
void kernel(double a[N])
{
    for (int i = 0; i < N; i++)
        a[i] = 0.0;
}
