"""Extrema by looking at each point."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import islpy as isl

from loadstone.counting.cardinality import number_of_points
from loadstone.counting.extremum import Candidate, Chamber, Extremum, Value
from loadstone.counting.pieces import Piece
from loadstone.poly.enumeration import points
from loadstone.poly.terms import compiled, constant_polynomial


def is_enumerable(piece: Piece, most: int) -> bool:
    """Whether a piece has no parameters and no more than this many points."""
    if piece.has_parameters or not piece.domain.is_bounded():
        return False
    number = number_of_points(piece.domain)
    return number is not None and number <= most


def enumerated(piece: Piece) -> Extremum:
    """The largest value over the points of a piece without parameters, each looked at [Devos, Table 4.4 (e)]."""
    function = compiled(piece.value)
    value = max(function.numerator(*point) for point in points(piece.domain))
    return constant_extremum(piece.domain, Fraction(value, function.denominator), attained=True)


def constant_extremum(domain: isl.Set, value: Value, *, attained: bool) -> Extremum:
    """A bound that is a number, for all parameters of a domain."""
    parameters = domain.params()
    space = parameters.get_space()
    constant = isl.QPolynomial.infty_on_domain(space) if value == inf else constant_polynomial(space, Fraction(value))
    return Extremum((Chamber(parameters, (Candidate(constant, attained),)),), 0.0)
