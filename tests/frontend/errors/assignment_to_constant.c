static const int limit = 3;

void kernel(int n, double a[n], double b[n])
{
#pragma scop
    limit = 4;
#pragma endscop
}
