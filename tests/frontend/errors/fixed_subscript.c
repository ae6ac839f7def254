typedef float sample;
#pragma loadstone fixed type(sample) bits(16) fraction(8)
void kernel(int n, sample a[n], sample m)
{
    for (sample i = 0; i < n; i++)
        a[0] = 0;
    for (int i = 0; i < m; i++)
        a[i] = a[a[i]];
}
