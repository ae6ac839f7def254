void kernel(int n, int key[n], int *count)
{
#pragma scop
    for (int i = 0; i < n; i++)
        count[key[i]] += 1;
#pragma endscop
}
