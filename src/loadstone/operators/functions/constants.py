"""Logarithms and angles as integers: multiples of 2^-bits, the nearest one.

>>> round(2**10 * 0.6931471805599453), log_of_two(10), log_of(3, 2, 10)
(710, 710, 415)
>>> round(2**20 * 3.141592653589793), pi(20), quarter_turns_of_step(0, 10)
(3294199, 3294199, 512)
"""

from __future__ import annotations

from functools import cache
from math import isqrt

_EXTRA_BITS = 40


@cache
def log_of(numerator: int, denominator: int, bits: int) -> int:
    """ln(a / b) = 2 artanh((a - b) / (a + b)), for a numerator a that is not the lesser one."""
    above, below = numerator - denominator, numerator + denominator
    term = (above << (bits + _EXTRA_BITS + 1)) // below
    total, place = 0, 1
    while term:
        total += term // place
        term = term * above * above // (below * below)
        place += 2
    return _rounded(total)


def log_of_two(bits: int) -> int:
    """ln(2)."""
    return log_of(2, 1, bits)


def log_of_step(step: int, bits: int) -> int:
    """ln(1 + 2^-step)."""
    return log_of((1 << step) + 1, 1 << step, bits)


def log_of_step_down(step: int, bits: int) -> int:
    """-ln(1 - 2^-step)."""
    return log_of(1 << step, (1 << step) - 1, bits)


@cache
def pi(bits: int) -> int:
    """The number pi = 16 arctan(1/5) - 4 arctan(1/239) [Machin]."""
    exact = 16 * _arctan_of_inverse(5, bits) - 4 * _arctan_of_inverse(239, bits)
    return _rounded(exact)


def two_by_pi(bits: int) -> int:
    """2 / pi, rounded down."""
    return (1 << (2 * bits + 1 + _EXTRA_BITS)) // pi(bits + _EXTRA_BITS)


def quarter_turns_of_step(step: int, bits: int) -> int:
    """arctan(2^-step) in quarters of a turn."""
    exact = _arctan_of_inverse(1 << step, bits) if step else pi(bits + _EXTRA_BITS) // 4
    return _rounded((exact << (bits + _EXTRA_BITS + 1)) // pi(bits + _EXTRA_BITS))


@cache
def rotation_gain(steps: int, bits: int) -> int:
    """The product of 1 / sqrt(1 + 4^-i) for i from 1 to steps."""
    scale = bits + _EXTRA_BITS
    found = 1 << scale
    for step in range(1, steps + 1):
        found = (found << scale) // isqrt((1 << 2 * scale) + (1 << 2 * (scale - step)))
    return _rounded(found)


@cache
def _arctan_of_inverse(number: int, bits: int) -> int:
    """arctan(1 / number), with extra bits."""
    term, total, place = (1 << (bits + _EXTRA_BITS)) // number, 0, 1
    while term:
        total += term // place if place % 4 == 1 else -(term // place)
        term //= number * number
        place += 2
    return total


def _rounded(exact: int) -> int:
    """A number without its extra bits."""
    return (exact + (1 << (_EXTRA_BITS - 1))) >> _EXTRA_BITS
