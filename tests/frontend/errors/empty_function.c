void kernel(int n, double a[n])
{
}
