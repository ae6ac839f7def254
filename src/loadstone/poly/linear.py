"""Affine expressions with floors, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeVar

import islpy as isl

from loadstone.poly.names import names_of
from loadstone.poly.simplify import coalesced
from loadstone.poly.spaces import Dim

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """(sum of factor * variable + sum of factor * floor(argument) + constant) / divisor."""

    variables: tuple[tuple[int, str], ...]
    floors: tuple[tuple[int, isl.Aff], ...]
    constant: int
    divisor: int


def variable_names(space: isl.Space) -> tuple[str, ...]:
    """The names of the parameters and then of the dimensions of a set space."""
    return names_of(space) + tuple(space.get_dim_name(Dim.set, k) or f"i{k}" for k in range(space.dim(Dim.set)))


def linear(value: isl.Aff, names: Sequence[str]) -> Linear:
    """The parts of an affine expression; `names` are those of the parameters and dimensions of its domain."""
    divisor = value.get_denominator_val()
    factors = [_scaled(value, kind, k, divisor) for kind in (Dim.param, Dim.in_) for k in range(value.dim(kind))]
    floors = [(_scaled(value, Dim.div, k, divisor), value.get_div(k)) for k in range(value.dim(Dim.div))]
    return Linear(
        tuple((factor, name) for factor, name in zip(factors, names, strict=True) if factor),
        tuple((factor, argument) for factor, argument in floors if factor),
        value.get_constant_val().mul(divisor).to_python(),
        divisor.to_python(),
    )


def _scaled(value: isl.Aff, kind: isl.dim_type, position: int, divisor: isl.Val) -> int:
    return value.get_coefficient_val(kind, position).mul(divisor).to_python()


def components(value: isl.MultiAff) -> tuple[isl.Aff, ...]:
    """The affine expressions of a tuple."""
    return tuple(value.get_aff(k) for k in range(value.dim(Dim.out)))


def affine_pieces(function: isl.Map, names: Sequence[str]) -> Iterator[tuple[isl.Set, tuple[isl.Aff, ...]]]:
    """A single-valued map as disjoint sets with an affine function on each; `names` are those of its inputs."""
    found: list[tuple[isl.Set, isl.MultiAff]] = []
    isl.PwMultiAff.from_map(function).foreach_piece(lambda domain, value: found.append((domain, value)))
    for domain, value in found:
        yield domain, components(_with_names(value, names))


def _with_names(value: isl.MultiAff, names: Sequence[str]) -> isl.MultiAff:
    for position, name in enumerate(names):
        value = value.set_dim_name(Dim.in_, position, name)
    return value


def point_in(space: isl.Space, parameters: Mapping[str, int], coordinates: Sequence[int]) -> isl.Point:
    """The point of a set space with these parameters and coordinates."""
    point = isl.Point.zero(space)
    for position in range(space.dim(Dim.param)):
        number = parameters[space.get_dim_name(Dim.param, position) or ""]
        point = point.set_coordinate_val(Dim.param, position, isl.Val.int_from_si(space.get_ctx(), number))
    for position, number in enumerate(coordinates):
        point = point.set_coordinate_val(Dim.set, position, isl.Val.int_from_si(space.get_ctx(), number))
    return point


def conditions(value: isl.BasicSet) -> tuple[isl.Aff, ...]:
    """Affine expressions that are all at least 0 exactly in the set; its existential variables must be known floors."""
    found: list[isl.Aff] = []
    for constraint in value.get_constraints():
        expression = constraint.get_aff()
        found.append(expression)
        if constraint.is_equality():
            found.append(expression.neg())
    return tuple(found)


def where_nonnegative(value: isl.Aff) -> isl.Set:
    """The points where an affine expression is at least 0."""
    return value.ge_set(isl.Aff.zero_on_domain(isl.LocalSpace.from_space(value.get_domain_space())))


def where_negative(value: isl.Aff) -> isl.Set:
    """The points where an affine expression is less than 0."""
    return value.lt_set(isl.Aff.zero_on_domain(isl.LocalSpace.from_space(value.get_domain_space())))


def where_all(constraints: Sequence[isl.Constraint], space: isl.Space) -> isl.Set:
    """The points of a space for which all of the constraints hold."""
    universe = isl.BasicSet.universe(space)
    return isl.Set.from_basic_set(reduce(isl.BasicSet.add_constraint, constraints, universe))


def opposite(value: isl.Aff) -> isl.Aff:
    """The integer expression that is at least 0 exactly where this one is negative: -value - 1."""
    return shifted(value.neg(), -1)


def shifted(value: isl.Aff, offset: int) -> isl.Aff:
    """The expression plus a number."""
    return value.add_constant_val(isl.Val.int_from_si(value.get_ctx(), offset))


def merged(
    pieces: Iterable[tuple[isl.Set, Value]],
    joined: Callable[[tuple[isl.Set, Value], tuple[isl.Set, Value]], tuple[isl.Set, Value] | None],
) -> list[tuple[isl.Set, Value]]:
    """The pieces of a function, two as one wherever `joined` makes one of them."""
    found: list[tuple[isl.Set, Value]] = []
    for piece in pieces:
        both = next(((k, one) for k, other in enumerate(found) if (one := joined(other, piece))), None)
        if both is None:
            found.append(piece)
        else:
            found[both[0]] = both[1]
    return [(coalesced(domain), value) for domain, value in found]
