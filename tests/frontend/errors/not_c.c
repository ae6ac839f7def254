def kernel(n, a):
    for i in range(n):
        a[i] = 0
