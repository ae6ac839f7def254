typedef float sample;
#pragma loadstone fixed type(sample) bits(16) fraction(8)
void kernel(int n, sample a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = fabs(a[i]) + sqrt(a[i]);
        a[i] = fmax(a[i], 0.5) * pow(a[i], 2.0);
        b[i] = a[i] % 3;
        b[i] = floord(a[i], 2);
        a[i] = a[i] << 1;
        b[i] = ~a[i];
    }
}
