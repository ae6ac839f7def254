"""Functions by digit recurrences: exponentials, logarithms, powers, sines and cosines, within 0.52 ulp."""
