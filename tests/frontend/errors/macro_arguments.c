#define AT(i, j) a[i][j]

void kernel(int n, double a[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        AT(i) = 0.0;
#pragma endscop
}
