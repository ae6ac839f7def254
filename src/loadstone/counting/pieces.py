"""Piecewise quasi-polynomials as pieces that keep their domains where they are zero.

isl's own type drops pieces that are zero, since its functions are zero outside of their domains anyway. For extrema
over a domain that is wrong: the largest value of 0 on one piece and -5 on another is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import islpy as isl

from loadstone.poly.names import names_of
from loadstone.poly.spaces import Dim
from loadstone.poly.terms import constant_polynomial, variables_of, with_values, without_parameters


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A quasi-polynomial on the points of a set."""

    domain: isl.Set
    value: isl.QPolynomial

    def negated(self) -> Piece:
        """The piece with the sign of its values changed."""
        return Piece(self.domain, self.value.neg())

    @property
    def has_parameters(self) -> bool:
        """Whether there are parameters."""
        return self.domain.dim(Dim.param) > 0


Pieces = tuple[Piece, ...]


def pieces_of(values: isl.PwQPolynomial) -> Pieces:
    """The pieces of a function of isl."""
    found: list[Piece] = []
    values.foreach_piece(lambda domain, value: found.append(flat_piece(domain, value)))
    return tuple(found)


def flat_piece(domain: isl.Set, value: isl.QPolynomial) -> Piece:
    """A piece on plain points: parameters alone are points without coordinates, pairs are points of one tuple."""
    flat = flat_set(domain)
    return Piece(flat, with_values(value, flat.get_space(), variables_of(flat.get_space())))


def flat_set(domain: isl.Set) -> isl.Set:
    """A set of plain points."""
    if domain.is_params():
        return domain.from_params()
    return domain.flatten() if domain.is_wrapping() else domain


def with_parameters(pieces: Iterable[Piece], values: Mapping[str, int]) -> Pieces:
    """The pieces for given values of some parameters, which they then have no longer."""
    return tuple(_with_parameters(piece, values) for piece in pieces)


def _with_parameters(piece: Piece, values: Mapping[str, int]) -> Piece:
    domain = without_parameters(piece.domain, values)
    old, new = piece.value.get_domain_space(), domain.get_space()
    kept = iter(variables_of(new))
    names = names_of(old)
    variables = [constant_polynomial(new, values[name]) if name in values else next(kept) for name in names]
    return Piece(domain, with_values(piece.value, new, (*variables, *kept)))


def parameter_names(pieces: Iterable[Piece]) -> tuple[str, ...]:
    """The parameters of pieces, in order."""
    return tuple(dict.fromkeys(name for piece in pieces for name in names_of(piece.domain.get_space())))
