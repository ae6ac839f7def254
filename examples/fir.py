"""A finite impulse response filter as a Python kernel."""

import loadstone as ls


@ls.kernel(tile=(32, 8), defaults={"n": 200, "taps": 16})
def fir(n: int, taps: int, x: "int[n + taps]", h: "int[taps]", y: "int[n]"):  # noqa: F821
    for i in range(n):
        y[i] = 0
        for k in range(taps):
            y[i] += h[k] * x[i + k]
