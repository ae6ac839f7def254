typedef float sample;
#pragma loadstone integer type(sample) bits(12)
void kernel(int n, sample a[n])
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 0.5f;
}
