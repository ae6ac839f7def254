"""Reductions: updates of one element that may change places, and kernels in which they do."""
