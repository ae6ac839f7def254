double random_number(void);

void kernel(int n, double a[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = random_number() * b[i];
#pragma endscop
}
