typedef float row[4];
#pragma loadstone fixed type(row) bits(16) fraction(8)
void kernel(int n, row a[n])
{
    for (int i = 0; i < n; i++)
        a[i][0] = 0.5f;
}
