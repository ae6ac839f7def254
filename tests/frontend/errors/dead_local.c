void dead(int n, int a[n]) {
#pragma scop
  for (int i = 0; i < n; i++) { int t; t = i; }
#pragma endscop
}
