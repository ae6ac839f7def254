void saxpy(int n, float a, const float *x, float *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = y[i] + a * x[i];
        if (i > 3)
            x = y;
    }
}
