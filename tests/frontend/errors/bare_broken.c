for (i = 0; i < n; i++)
    a[i] = b[i]
