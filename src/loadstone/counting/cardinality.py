"""The number of integer points of sets, and of images of maps, as piecewise quasi-polynomials (barvinok)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import overload

import islpy as isl

from loadstone.counting.pieces import flat_set
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.poly.isolated import isolated
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.linear import variable_names
from loadstone.poly.spaces import Dim, inputs_to_parameters, without_determined_dims
from loadstone.poly.terms import fraction, without_parameters

COUNT_OPERATIONS, COUNT_SECONDS = 20_000_000, 60
FEW_DIMENSIONS, UNLIMITED = 2, 0
"""So few dimensions are counted at once; others apart, since barvinok does not survive being stopped."""


def count(relation: isl.Set | isl.Map, operations: int = COUNT_OPERATIONS) -> isl.PwQPolynomial:
    """The number of points of a set, or of the image of each point under a map, as a function of the parameters.

    Raises `UnsupportedError` for a relation without bounds, and where the closed form takes too many operations.
    """
    check_bounded(relation)
    return counted(relation.card, operations)


def counted(card: Callable[[], isl.PwQPolynomial], operations: int = COUNT_OPERATIONS) -> isl.PwQPolynomial:
    """What a function that counts returns, computed apart: barvinok does not survive being stopped."""
    try:
        text = isolated(lambda: str(card().coalesce()), operations, COUNT_SECONDS)
    except LimitReached as error:
        hint = "give parameters with -p, or a larger --limit"
        raise UnsupportedError(Diagnostic(f"the closed form is too hard: {error}", None, hint)) from None
    return isl.PwQPolynomial.read_from_str(isl.DEFAULT_CONTEXT, text)


def check_bounded(relation: isl.Set | isl.Map) -> None:
    """Raise `UnsupportedError` if a set, or the image of some point, has infinitely many points."""
    points = _images(relation) if isinstance(relation, isl.Map) else relation
    if points.is_bounded():
        return
    names = variable_names(points.get_space())[points.dim(Dim.param) :]
    sides = (("upper", points.dim_has_upper_bound), ("lower", points.dim_has_lower_bound))
    missing = [
        f"{name} has no {side} bound" for k, name in enumerate(names) for side, has in sides if not has(Dim.set, k)
    ]
    hint = "; ".join(missing) or "no single dimension is to blame: look at how they are combined"
    raise UnsupportedError(Diagnostic(f"infinitely many points: {points}", None, hint))


def _images(relation: isl.Map) -> isl.Set:
    """The images of the points of a map, as a set whose parameters are the points."""
    return inputs_to_parameters(relation, [f"in{k}" for k in range(relation.dim(Dim.in_))])


def number_of_points(domain: isl.Set) -> int | None:
    """The number of points of a bounded set without parameters; None where counting them takes too long."""
    flat = without_determined_dims(flat_set(domain))
    if flat.dim(Dim.set) <= FEW_DIMENSIONS:
        with operation_limit(UNLIMITED):
            return _number(flat.card())
    try:
        text = isolated(lambda: str(flat.card()), COUNT_OPERATIONS, COUNT_SECONDS)
    except LimitReached:
        return None
    return _number(isl.PwQPolynomial.read_from_str(isl.DEFAULT_CONTEXT, text))


def _number(card: isl.PwQPolynomial) -> int:
    return fraction(card.eval(isl.Point.zero(card.get_domain_space()))).numerator


def with_values(relation: isl.Set | isl.Map, values: Mapping[str, int]) -> isl.Set | isl.Map:
    """A set or a map for given values of some parameters, which it then has no longer."""
    if isinstance(relation, isl.Map):
        return without_parameters(relation.wrap(), values).unwrap()
    return without_parameters(relation, values)


@overload
def parts_of(relation: isl.UnionSet) -> list[isl.Set]: ...


@overload
def parts_of(relation: isl.UnionMap) -> list[isl.Map]: ...


def parts_of(relation: isl.UnionSet | isl.UnionMap) -> list[isl.Set] | list[isl.Map]:
    """The sets or maps of a union, sorted by the names of their tuples."""
    if isinstance(relation, isl.UnionSet):
        sets: list[isl.Set] = []
        relation.foreach_set(sets.append)
        return sorted(sets, key=str)
    maps: list[isl.Map] = []
    relation.foreach_map(maps.append)
    return sorted(maps, key=str)
