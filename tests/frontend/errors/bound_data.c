void kernel(int n, double a[n], int first[n + 1])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = first[i]; j < first[i + 1]; j++)
            a[i] += j;
#pragma endscop
}
