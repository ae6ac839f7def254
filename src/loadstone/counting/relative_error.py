"""How far the extrema of polynomials over intervals are from those over their whole numbers [Devos, 4.5].

RE = ((Fc_max - Fc_min) - (Fd_max - Fd_min)) / (Fd_max - Fd_min), with extrema Fc over [0, N] and Fd over {0, ..., N}
(equation 4.10). MRE(g, N) is its supremum over polynomials of degree g, and K(g, N) - 1 a bound on it (4.15). Both
are infinite for N < g.

The thesis gives 1/(3 k^2) as the limit of MRE(3, 4k); the formula next to it, which is right, tends to 3/(8 k^2). And
the polynomials that reach it are x^3 + b x^2 + c x, not x^3 + b x^2 + c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, prod, sqrt

SAMPLES, ZOOMS = 4, 16
LARGEST_RANGE = 20
_ROUNDING = 1e-9


def relative_error(continuous: tuple[float, float], discrete: tuple[float, float]) -> float:
    """The relative error of the smallest and largest values over an interval [Devos, 4.10]."""
    wide, narrow = continuous[1] - continuous[0], discrete[1] - discrete[0]
    if narrow == 0:
        return 0 if wide == 0 else inf
    return (wide - narrow) / narrow


def maximal_relative_error(degree: int, size: int) -> float:
    """An upper bound on the relative error of polynomials of a degree over [0, size].

    MRE itself for degrees up to 3 [Devos, Theorem 5 and 4.5.1], else K - 1, its bound by (4.15).
    """
    if degree <= 1:
        return 0
    if size < degree:
        return inf
    match degree:
        case 2:
            return float(_mre_2(size))
        case 3:
            return _mre_3(size)
        case _:
            return amplification(degree, size) - 1


def _mre_2(size: int) -> Fraction:
    """1/((N+1)^2 - 1) for even N, 1/(N^2 - 1) for odd N [Devos, Theorem 5]."""
    odd = size + 1 if size % 2 == 0 else size
    return Fraction(1, odd * odd - 1)


def _mre_3(size: int) -> float:
    """The two cases N = 4k - 1 and 4k <= N <= 4k + 2 [Devos, 4.5.1]."""
    k, rest = divmod(size + 1, 4)
    if rest == 0:
        return sqrt(36 * k * k + 3) * (12 * k * k + 1) / (18 * (4 * k**3 - k)) - 1
    return 2 / 9 * sqrt(9 * k * k + 9 * k + 3) * (3 * k * k + 3 * k + 1) / (k * (2 * k * k + 3 * k + 1)) - 1


def product_error(shapes: Iterable[tuple[int, int]]) -> float:
    """A bound on the relative error over a box, from the degree and the size of each variable [Devos, 4.21].

    The product of the K(g, N), minus 1. For a single variable, the bound of `maximal_relative_error`.
    """
    curved = [(degree, size) for degree, size in shapes if degree > 1]
    if len(curved) == 1:
        return maximal_relative_error(*curved[0])
    return prod(amplification(degree, size) for degree, size in curved) - 1


@lru_cache(maxsize=4096)
def amplification(degree: int, size: int) -> float:
    """K(g, N): the largest |f(x)| in [0, N] of a polynomial with |f| <= 1 in 0, ..., N [Devos, 4.14].

    For degree 2 it is 1 + 2 MRE (4.16). It falls with N; beyond a largest N the value there is taken, as a bound.
    """
    if degree <= 1:
        return 1
    if size < degree:
        return inf
    if degree == 2:
        return 1 + 2 * float(_mre_2(size))
    size = min(size, LARGEST_RANGE)
    half = range((size + 1) // 2 + size % 2)
    samples = [start + k / SAMPLES for start in half for k in range(1, SAMPLES)]
    best = max(samples, key=lambda x: lebesgue(degree, size, x))
    return _highest(lambda x: lebesgue(degree, size, x), best, 1 / SAMPLES)


def _highest(function: Callable[[float], float], centre: float, radius: float) -> float:
    """The largest value of a function near a point, by samples that draw closer."""
    for _ in range(ZOOMS):
        points = [centre + radius * k / SAMPLES for k in range(-SAMPLES, SAMPLES + 1)]
        centre = max(points, key=function)
        radius /= SAMPLES / 2
    return function(centre)


def lebesgue(degree: int, size: int, x: float) -> float:
    """M_N(x): the smallest sum of |L_{S,i}(x)| over all choices S of degree + 1 points of 0, ..., size [Devos, 4.14].

    That is the value of a linear program, the largest f(x) with |f(n)| <= 1, and found by its pivoting: a point where
    the polynomial with f = sign L_{S,i}(x) in S exceeds 1 enters S.
    """
    nodes = [round(k * size / degree) for k in range(degree + 1)]
    while True:
        weights = _lagrange(nodes, x)
        violating, value = _most_beyond(nodes, [1 if weight >= 0 else -1 for weight in weights], size)
        if abs(value) <= 1 + _ROUNDING:
            return sum(map(abs, weights))
        sign = 1 if value > 0 else -1
        entering = _lagrange(nodes, violating)
        steps = (
            (w / (sign * e), k) for k, (w, e) in enumerate(zip(weights, entering, strict=True)) if sign * e * w > 0
        )
        _, leaving = min(steps)
        nodes[leaving] = violating


def _lagrange(nodes: Sequence[int], x: float) -> list[float]:
    """The values of the Lagrange interpolants of some points [Devos, 4.11]."""
    return [prod((x - other) / (node - other) for other in nodes if other != node) for node in nodes]


def _most_beyond(nodes: Sequence[int], values: Sequence[int], size: int) -> tuple[int, float]:
    """The whole number at which the polynomial through points is largest in absolute value, and its value there."""
    weights = [
        value / prod(node - other for other in nodes if other != node)
        for node, value in zip(nodes, values, strict=True)
    ]
    reached = [
        (n, prod(n - node for node in nodes) * sum(w / (n - node) for w, node in zip(weights, nodes, strict=True)))
        for n in range(size + 1)
        if n not in nodes
    ]
    return max(reached, key=lambda pair: abs(pair[1]), default=(0, 0.0))


def rivlin_error(coefficients: Sequence[float], size: int, discrete: tuple[float, float]) -> float:
    """2 alpha_N / (Fd_max - Fd_min), a bound on the relative error of one polynomial [Devos, 4.9 and 4.5.4].

    alpha_N = 1/(8 N^2) sum of i (i - 1) |a_i| N^i, for the coefficients a_i of x^i.
    """
    alpha = sum(i * (i - 1) * abs(a) * size**i for i, a in enumerate(coefficients)) / (8 * size * size)
    return 2 * alpha / (discrete[1] - discrete[0])
