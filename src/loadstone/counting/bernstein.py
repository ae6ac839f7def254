"""Upper bounds on polynomials over polytopes with parameters, by Bernstein expansion [Devos, appendix C].

The expansion is isl's (`PwQPolynomial.bound`), which serves for all domains and degrees, but not for all numbers:

- isl's functions are zero where they are not defined, so that it forgets pieces, basic sets and, on the way,
  coefficients that are zero. Its bound on `3 - i` over `{ [i] : i = 3 or 5 <= i <= 7 }` is -2, that on `x w - 9` over a
  box of four dimensions -8, where 0 is right.
- It rounds where it compares coefficients that are fractions, and may drop the larger one.

In both cases it says that its bound is attained (islpy 2026.2.2; tests show both). Neither happens to `SCALE` f +
`SHIFT`: all differences are large, and nothing is zero.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import islpy as isl

from loadstone.counting.extremum import NOTHING, Candidate, Chamber, Extremum, largest, undominated
from loadstone.counting.pieces import Piece
from loadstone.poly.terms import constant_polynomial, isl_value, terms

SCALE, SHIFT = 720720**8, 2**61 - 1
"""Any fraction with a small denominator times the scale is whole; such a number plus the shift is not zero."""


def bernstein(piece: Piece) -> Extremum:
    """The largest Bernstein coefficient of a piece; infinity where it has no bound that isl finds.

    Attained where isl says that a vertex, which is a point of the domain, has that value.
    """
    if piece.domain.is_empty():
        return NOTHING
    parts = piece.domain.make_disjoint().get_basic_sets()
    return largest(_bound(part.to_set(), piece.value) for part in parts if not part.is_empty())


def _bound(domain: isl.Set, value: isl.QPolynomial) -> Extremum:
    found: list[Chamber] = []
    scale = SCALE * lcm(*(term.coefficient.denominator for term in terms(value)))
    scaled = value.scale_val(isl_value(value.get_ctx(), scale))
    shifted = scaled.add(constant_polynomial(domain.get_space(), SHIFT))
    bound, tight = isl.PwQPolynomial.alloc(domain, shifted).bound(isl.fold.max)
    bound.foreach_piece(lambda parameters, fold: found.append(_chamber(parameters, fold, tight, scale)))
    return Extremum(tuple(found))


def _chamber(parameters: isl.Set, fold: isl.QPolynomialFold, tight: bool, scale: int) -> Chamber:
    candidates: list[isl.QPolynomial] = []
    fold.foreach_qpolynomial(candidates.append)
    return Chamber(parameters, undominated(Candidate(_original(value, scale), tight) for value in candidates))


def _original(value: isl.QPolynomial, scale: int) -> isl.QPolynomial:
    """A bound without shift and scale."""
    if value.is_infty():
        return value
    shift = constant_polynomial(value.get_domain_space(), SHIFT)
    return value.sub(shift).scale_val(isl_value(value.get_ctx(), Fraction(1, scale)))
