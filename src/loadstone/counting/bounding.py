"""Bounds on piecewise quasi-polynomials by the methods of Devos, 4.6 and 4.8.

A method is a value: `ModClasses()`, `SplitPeriods(threshold=10)`, `Hybrid(AddVariables())`. All bounds are valid:
never below the maximum, or above the minimum. As to accuracy, the thesis says that `ModClasses` and `SplitPeriods` lie
between `Exact` and `AddVariables`; that holds for continuous extrema, but not always for the Bernstein coefficients by
which they are bounded in turn, as its own Tables 4.8(b) and 4.9(b) show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import assert_never

import islpy as isl

from loadstone.counting.accuracy import evaluated, guarantee, halved
from loadstone.counting.bernstein import bernstein
from loadstone.counting.conversions import add_variables, drop_fractions, mod_classes, per_fraction, periods
from loadstone.counting.enumeration import enumerated, is_enumerable
from loadstone.counting.exact import exact
from loadstone.counting.extremum import Extremum, disjoint, largest, one_polynomial
from loadstone.counting.pieces import Piece, pieces_of
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.poly import coalesced
from loadstone.poly.extrema import greatest_value
from loadstone.poly.limits import LimitReached
from loadstone.poly.polynomials import affine
from loadstone.poly.spaces import Dim
from loadstone.poly.terms import floor_arguments

FEW_IN_A_CLASS = 3
"""Residue classes with no more points are evaluated in each [Devos, 4.6.4]."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The extremum itself: by enumeration, by integer programming, or a bound that is attained."""


@dataclass(frozen=True, slots=True)
class AddVariables:
    """A variable for each fraction; the fastest."""


@dataclass(frozen=True, slots=True)
class ModClasses:
    """A polynomial for each residue class; good for small divisors."""


@dataclass(frozen=True, slots=True)
class SplitPeriods:
    """A polynomial for each value of a floor that takes at most `threshold` values; good for large divisors."""

    threshold: int = 100


@dataclass(frozen=True, slots=True)
class PerFraction:
    """For each fraction a polynomial for each value of its floor, or for each residue, whichever are fewer."""

    threshold: int = 100


@dataclass(frozen=True, slots=True)
class PolyApproximation:
    """A polynomial that is nowhere smaller: isl's for a function, that of larger polytopes for live elements."""


@dataclass(frozen=True, slots=True)
class DropFractions:
    """Each fraction at that end of its range that makes its term larger."""


Basic = Exact | AddVariables | ModClasses | SplitPeriods | PerFraction | PolyApproximation | DropFractions


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Exact in chambers of at most `threshold` points and where the function is affine, else another method."""

    basic: Basic = field(default_factory=ModClasses)
    threshold: int = 50


Method = Basic | Hybrid
_Cut = Callable[[Piece], Iterator[Piece]]
"""How a polynomial is cut into parts that are bounded one by one."""


def bound(
    pieces: Iterable[Piece],
    method: Method,
    *,
    minimum: bool = False,
    accuracy: float | None = None,
    halvings: int = 0,
) -> Extremum:
    """An upper bound on the values of all pieces, or a lower one, as a function of the parameters.

    With `accuracy`, variables for which continuous extrema may be further off than that, relative to the range of
    values, are evaluated at their whole numbers first [Devos, 4.5.3]. With `halvings`, domains without parameters are
    halved that often before Bernstein expansion, which comes closer to the continuous extremum [Devos, Figure 4.2].
    """
    if minimum:
        negative = bound([piece.negated() for piece in pieces], method, accuracy=accuracy, halvings=halvings)
        return replace(negative, chambers=tuple(chamber.negated() for chamber in negative.chambers))

    def cut(piece: Piece) -> Iterator[Piece]:
        for part in (piece,) if accuracy is None else evaluated(piece, accuracy):
            yield from halved(part, halvings)

    found = largest(_piece_bound(piece, method, cut) for piece in pieces if not piece.domain.is_empty())
    try:
        return disjoint(found)
    except LimitReached:
        hint = "give parameters with -p, or take another method, --method add-var"
        raise UnsupportedError(Diagnostic("the bound has too many cases", None, hint)) from None


def maximum(values: isl.PwQPolynomial) -> tuple[isl.PwQPolynomial, bool] | None:
    """The largest value over the domain as a function of the parameters, and whether it is exact or an upper bound.

    None where the bound is not one quasi-polynomial, or the largest of affine ones, for each parameter.
    """
    pieces = pieces_of(values)
    whole = _affine_maximum(pieces)
    if whole is not None:
        return isl.PwQPolynomial.from_pw_aff(whole), True
    found = bound(pieces, Hybrid(AddVariables(), threshold=0))
    parts = [one_polynomial(chamber) for chamber in found.chambers]
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    return reduce(isl.PwQPolynomial.add, known), found.attained


def _affine_maximum(pieces: Iterable[Piece]) -> isl.PwAff | None:
    """The largest value if all pieces are affine, by integer programming over all of them together."""
    ranges: list[isl.Set] = []
    for piece in pieces:
        value = affine(piece.value)
        if value is None:
            return None
        ranges.append(isl.Map.from_aff(value).intersect_domain(piece.domain).range())
    return coalesced(greatest_value(coalesced(reduce(isl.Set.union, ranges)))) if ranges else None


def _piece_bound(piece: Piece, method: Method, cut: _Cut) -> Extremum:
    match method:
        case Exact():
            return exact(piece)
        case Hybrid(basic, threshold):
            small = affine(piece.value) is not None or is_enumerable(piece, threshold)
            return exact(piece) if small else _piece_bound(piece, basic, cut)
        case _:
            return largest(_part_bound(piece, part, method, cut) for part in polynomials(piece, method))


def _part_bound(piece: Piece, part: Piece, method: Basic, cut: _Cut) -> Extremum:
    """The bound on one of the polynomials of a piece; attained only where it is the piece itself in some points."""
    if isinstance(method, ModClasses | PerFraction) and is_enumerable(part, FEW_IN_A_CLASS):
        found = enumerated(part)
    else:
        found = _continuous(part, cut)
    return found if _is_part(part, piece, method) else found.unattained()


def _is_part(part: Piece, piece: Piece, method: Basic) -> bool:
    """Whether a polynomial equals its piece in all points of its own."""
    if isinstance(method, PolyApproximation | DropFractions):
        return not floor_arguments(piece.value)
    return part.domain.dim(Dim.set) == piece.domain.dim(Dim.set)


def polynomials(piece: Piece, method: Basic) -> Iterator[Piece]:
    """The polynomials by which a method bounds a piece."""
    match method:
        case Exact():
            raise ValueError("the exact method has no polynomials")
        case AddVariables():
            yield add_variables(piece)
        case ModClasses():
            yield from mod_classes(piece)
        case SplitPeriods(threshold):
            yield from periods(piece, threshold)
        case PerFraction(threshold):
            yield from per_fraction(piece, threshold)
        case PolyApproximation():
            yield from _upper_polynomials(piece)
        case DropFractions():
            yield from drop_fractions(piece)
        case _:
            assert_never(method)


def _upper_polynomials(piece: Piece) -> Iterator[Piece]:
    """Polynomials that are nowhere smaller, as isl finds them when the counting problem behind a value is not known."""
    found = pieces_of(isl.PwQPolynomial.alloc(piece.domain, piece.value).to_polynomial(1))
    rest = piece.domain
    for part in found:
        rest = rest.subtract(part.domain)
        yield part
    if not rest.is_empty():
        yield Piece(rest, isl.QPolynomial.zero_on_domain(piece.value.get_domain_space()))


def _continuous(piece: Piece, cut: _Cut) -> Extremum:
    return largest(replace(bernstein(part), relative_error=guarantee(part)) for part in cut(piece))
