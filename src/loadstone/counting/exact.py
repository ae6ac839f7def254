"""Exact extrema: by enumeration, by integer programming for affine functions, and where a bound is attained."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import islpy as isl

from loadstone.counting.bernstein import bernstein
from loadstone.counting.branching import branch_and_bound
from loadstone.counting.conversions import mod_classes
from loadstone.counting.enumeration import constant_extremum, enumerated, is_enumerable
from loadstone.counting.extremum import NOTHING, Candidate, Chamber, Extremum, largest
from loadstone.counting.pieces import Piece
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.poly import coalesced
from loadstone.poly.extrema import greatest_value
from loadstone.poly.linear import variable_names
from loadstone.poly.polynomials import affine
from loadstone.poly.spaces import Dim
from loadstone.poly.terms import divisor, isl_value

MOST_POINTS = 200_000


def exact(piece: Piece) -> Extremum:
    """The largest value of a piece; raises `UnsupportedError` where none of the ways finds it."""
    if piece.domain.is_empty():
        return NOTHING
    linear = affine(piece.value)
    if linear is not None:
        return _affine_maximum(piece.domain, linear)
    if is_enumerable(piece, MOST_POINTS):
        return enumerated(piece)
    found = largest(_searched(part) for part in mod_classes(piece))
    if not found.attained:
        raise UnsupportedError(Diagnostic(f"no exact maximum of {piece.value} was found", None, _hint(piece)))
    return found


def _searched(part: Piece) -> Extremum:
    """The largest value of a polynomial, by branch and bound if it has no parameters, or a bound on it."""
    return bernstein(part) if part.has_parameters else branch_and_bound(part)


def _hint(piece: Piece) -> str:
    if piece.has_parameters:
        options = " ".join(f"-p {name}=10" for name in variable_names(piece.domain.params().get_space()))
        return f"give parameters, {options}, or ask for a bound, --method mod-classes"
    return "ask for a bound, --method mod-classes"


def _affine_maximum(domain: isl.Set, value: isl.Aff) -> Extremum:
    """The largest value of an affine function with floors: infinity where there is none."""
    scale = divisor(value)
    whole = value.scale_val(isl_value(value.get_ctx(), scale))
    values = coalesced(isl.Map.from_aff(whole).intersect_domain(domain).range())
    if not values.dim_has_upper_bound(Dim.set, 0):
        return constant_extremum(domain, inf, attained=not domain.dim(Dim.param))
    chambers: list[Chamber] = []
    greatest_value(values).foreach_piece(lambda where, most: chambers.append(_affine_chamber(where, most, scale)))
    return Extremum(tuple(chambers), 0.0)


def _affine_chamber(where: isl.Set, most: isl.Aff, scale: int) -> Chamber:
    value = isl.QPolynomial.from_aff(most).scale_val(isl_value(most.get_ctx(), Fraction(1, scale)))
    return Chamber(where.params() if not where.is_params() else where, (Candidate(value, True),))
