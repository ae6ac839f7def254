for (i = 0; i < n; i++)
    a[i] = a[i][0];
