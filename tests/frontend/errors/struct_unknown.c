struct particle;

void kernel(int n, double a[n], struct particle *p)
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = p[i].weight;
#pragma endscop
}
