typedef float sample;
#pragma loadstone fixed type(sample) bits(16) fraction(8) unsigned(1)
void kernel(int n, sample a[n])
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 0.5f;
}
