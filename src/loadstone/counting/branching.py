"""The exact maximum of a polynomial over many points, by branch and bound.

A domain is halved until its Bernstein coefficients show that it holds nothing larger than what has been seen. The
thesis leaves such a subdivision to future work [Devos, 4.10]; here it also tells discrete maxima from continuous ones,
since halves end at whole numbers.
"""

from __future__ import annotations

from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from math import inf

import islpy as isl

from loadstone.counting.bernstein import bernstein
from loadstone.counting.enumeration import constant_extremum, enumerated, is_enumerable
from loadstone.counting.extremum import Extremum, Value, number
from loadstone.counting.pieces import Piece
from loadstone.poly.dimensions import at_least, at_most
from loadstone.poly.enumeration import coordinates, ranges_of
from loadstone.poly.extrema import greatest, least
from loadstone.poly.terms import Compiled, compiled

FEW_POINTS = 32
MOST_SPLITS = 2_000


def branch_and_bound(piece: Piece) -> Extremum:
    """The largest value of a polynomial without parameters; where the search takes too long, a bound on it."""
    function = compiled(piece.value)
    best: Value = -inf
    order = count()
    waiting: list[tuple[Value, int, isl.Set]] = []
    parts = [part.to_set() for part in piece.domain.make_disjoint().get_basic_sets()]
    for _ in range(MOST_SPLITS):
        for part in parts:
            low, high = _enclosure(Piece(part, piece.value), function)
            best = max(best, low)
            heappush(waiting, (-high, next(order), part))
        if not waiting or -waiting[0][0] <= best:
            return constant_extremum(piece.domain, best, attained=True)
        _, _, widest = heappop(waiting)
        if not widest.is_bounded():
            return constant_extremum(piece.domain, inf, attained=False)
        parts = _halves(widest)
    return constant_extremum(piece.domain, max(best, -waiting[0][0]), attained=False)


def _enclosure(piece: Piece, function: Compiled) -> tuple[Value, Value]:
    """Numbers between which the maximum of a piece lies."""
    if is_enumerable(piece, FEW_POINTS):
        most = number(enumerated(piece))
        assert most is not None
        return most, most
    high = number(bernstein(piece))
    assert high is not None
    return max(_seen(piece.domain, function)), high


def _seen(domain: isl.Set, function: Compiled) -> list[Fraction]:
    """Values at some points: the first, the last, and another one."""
    if not domain.is_bounded():
        return [_value_at(domain.sample_point(), function)]
    corners = (least(domain), greatest(domain), domain)
    return [_value_at(corner.sample_point(), function) for corner in corners]


def _value_at(point: isl.Point, function: Compiled) -> Fraction:
    return function.value(coordinates(point))


def _halves(domain: isl.Set) -> list[isl.Set]:
    """A domain cut in the middle of its widest dimension."""
    ranges = ranges_of(domain)
    widest = max(range(len(ranges)), key=lambda k: ranges[k][1] - ranges[k][0])
    middle = sum(ranges[widest]) // 2
    halves = (at_most(domain, widest, middle), at_least(domain, widest, middle + 1))
    return [half for half in halves if not half.is_empty()]
