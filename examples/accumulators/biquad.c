/* Second-order section with its state in four scalars. */
#pragma loadstone default(n = 200)
void biquad(int n, int x[n], int y[n], int b0, int b1, int b2, int a1, int a2)
{
#pragma loadstone tile size(32)
#pragma scop
  int x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  for (int i = 0; i < n; i++) {
    int v = (b0 * x[i] + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2) >> 8;
    x2 = x1;
    x1 = x[i];
    y2 = y1;
    y1 = v;
    y[i] = v;
  }
#pragma endscop
}
