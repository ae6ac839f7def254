"""Logarithms as integers: multiples of 2^-bits, the nearest one.

>>> round(2**10 * 0.6931471805599453), log_of_two(10), log_of(3, 2, 10)
(710, 710, 415)
"""

from __future__ import annotations

from functools import cache

_EXTRA_BITS = 40


@cache
def log_of(numerator: int, denominator: int, bits: int) -> int:
    """ln(numerator / denominator) = 2 artanh(z) of z = (numerator - denominator) / (numerator + denominator)."""
    above, below = numerator - denominator, numerator + denominator
    term = (above << (bits + _EXTRA_BITS + 1)) // below
    total, place = 0, 1
    while term:
        total += term // place
        term = term * above * above // (below * below) if above > 0 else -(-term * above * above // (below * below))
        place += 2
    return (total + (1 << (_EXTRA_BITS - 1))) >> _EXTRA_BITS


def log_of_two(bits: int) -> int:
    """ln(2)."""
    return log_of(2, 1, bits)


def log_of_step(step: int, bits: int) -> int:
    """ln(1 + 2^-step)."""
    return log_of((1 << step) + 1, 1 << step, bits)


def log_of_step_down(step: int, bits: int) -> int:
    """-ln(1 - 2^-step)."""
    return log_of(1 << step, (1 << step) - 1, bits)
