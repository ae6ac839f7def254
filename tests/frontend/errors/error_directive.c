#ifndef N
#error "give the size with -D N=..."
#endif

void kernel(double a[N])
{
    for (int i = 0; i < N; i++)
        a[i] = 0.0;
}
