"""Dimensions of sets and maps: chosen, dropped, fixed, bounded, compared.

A coordinate is a dimension of a set, a component a dimension of the range of a map.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import reduce
from typing import Literal, TypeVar

import islpy as isl

from loadstone.poly.simplify import coalesced
from loadstone.poly.spaces import Dim, first_to_others

Comparison = Literal["<", "=", ">=", ">"]
Points = TypeVar("Points", isl.Set, isl.BasicSet)
Relation = TypeVar("Relation", isl.Set, isl.Map)


def first_coordinates(value: isl.Set, count: int) -> isl.Set:
    """The first coordinates of the points of a set."""
    return value.project_out(Dim.set, count, value.dim(Dim.set) - count)


def coordinate(value: Points, position: int) -> Points:
    """The values of one coordinate."""
    behind = value.dim(Dim.set) - position - 1
    return value.project_out(Dim.set, position + 1, behind).project_out(Dim.set, 0, position)


def first_inputs(value: isl.Map, count: int) -> isl.Map:
    """The map from the first dimensions of its domain."""
    return value.project_out(Dim.in_, count, value.dim(Dim.in_) - count)


def with_components(value: isl.Map, kept: Collection[int]) -> isl.Map:
    """The map to some of its components, in their order."""
    for position in reversed(range(value.dim(Dim.out))):
        value = value if position in kept else value.project_out(Dim.out, position, 1)
    return value


def without_first_components(value: isl.Map, count: int) -> isl.Map:
    """The map to its components behind the first ones."""
    return value.project_out(Dim.out, 0, count)


def only_parameters(value: Relation, names: Collection[str]) -> Relation:
    """The set or map for some values of its other parameters."""
    return value.project_out_except(list(names), [Dim.param])


def for_any_parameters(value: isl.Set) -> isl.Set:
    """The points of a set for any values of its parameters."""
    return value.project_out(Dim.param, 0, value.dim(Dim.param))


def at_coordinate(value: isl.Set, position: int, number: int) -> isl.Set:
    """The points with this number in one coordinate."""
    return value.fix_val(Dim.set, position, _number(value, number))


def at_least(value: isl.Set, position: int, number: int) -> isl.Set:
    """The points with this number or a greater one in one coordinate."""
    return value.lower_bound_val(Dim.set, position, _number(value, number))


def at_most(value: isl.Set, position: int, number: int) -> isl.Set:
    """The points with this number or a smaller one in one coordinate."""
    return value.upper_bound_val(Dim.set, position, _number(value, number))


def halves_by_sign(value: isl.Set, variable: int) -> tuple[isl.Set, isl.Set]:
    """The points with a variable, parameters counted first, not negative, and the points with it negative."""
    parameters = value.dim(Dim.param)
    kind, position = (Dim.param, variable) if variable < parameters else (Dim.set, variable - parameters)
    nonnegative = value.lower_bound_val(kind, position, _number(value, 0))
    return nonnegative, value.upper_bound_val(kind, position, _number(value, -1))


def _number(value: isl.Set | isl.Map, number: int) -> isl.Val:
    return isl.Val.read_from_str(value.get_ctx(), str(number))


def at_component(value: isl.Map, position: int, number: int) -> isl.Map:
    """The pairs with this number in one component."""
    return value.fix_val(Dim.out, position, _number(value, number))


def constant_component(value: isl.Map, position: int) -> int | None:
    """The number that a component plainly is for all pairs; None where it is none."""
    number = value.plain_get_val_if_fixed(Dim.out, position)
    return number.to_python() if number.is_int() else None


def padded(value: isl.Map, length: int) -> isl.Map:
    """The map with components 0 appended up to this number of components."""
    present = value.dim(Dim.out)
    longer = value.add_dims(Dim.out, length - present)
    return reduce(lambda found, k: at_component(found, k, 0), range(present, length), longer)


def free_component(value: isl.Map, position: int) -> isl.Map:
    """The map with no constraint on one component."""
    return value.drop_constraints_involving_dims(Dim.out, position, 1)


def with_free_coordinates(value: isl.Set, space: isl.Space) -> isl.Set:
    """The set in a space with more dimensions, the last of which are free."""
    longer = value.add_dims(Dim.set, space.dim(Dim.set) - value.dim(Dim.set))
    return isl.Set.universe(space).intersect(longer.reset_space(space))


def with_remainders(value: isl.Set, divisors: Sequence[int]) -> isl.Set:
    """The set with one more coordinate per divisor: from 0 up to the divisor, exclusive."""
    present = value.dim(Dim.set)
    value = value.add_dims(Dim.set, len(divisors))
    for position, divisor in enumerate(divisors, present):
        value = at_most(at_least(value, position, 0), position, divisor - 1)
    return value


def last_is_determined(points: isl.Set) -> bool:
    """Whether the other coordinates of a point determine the last one."""
    return first_to_others(points, points.dim(Dim.set) - 1).is_single_valued()


def compared(value: isl.Map, position: int, comparison: Comparison, component: int | None = None) -> isl.Map:
    """The pairs of which one input compares in this way with a component, the one at its position by default."""
    method = {"<": value.order_lt, "=": value.equate, ">=": value.order_ge, ">": value.order_gt}[comparison]
    return method(Dim.in_, position, Dim.out, position if component is None else component)


def are_equal(value: isl.Map, first: int, second: int) -> bool:
    """Whether two components are equal in all pairs."""
    return value.is_subset(value.equate(Dim.out, first, Dim.out, second))


def signed_differences(pairs: isl.Map) -> isl.Set:
    """The differences of pairs in both directions, for any parameters; maybe more: unknown divisions are dropped."""
    found = for_any_parameters(pairs.deltas().reset_tuple_id()).remove_unknown_divs()
    return coalesced(found.union(found.neg()))


def with_inputs(value: isl.Map, kept: Collection[int]) -> isl.Map:
    """The map from some of its inputs, for any values of the others."""
    for position in reversed(range(value.dim(Dim.in_))):
        value = value if position in kept else value.project_out(Dim.in_, position, 1)
    return value
