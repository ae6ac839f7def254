"""Enumeration of the integer points of bounded sets and maps.

A piece of a set becomes a list comprehension, which Python runs: a loop per dimension, between the bounds that the
constraints leave for it once inner dimensions are projected out. Quotients and existential variables are inner
dimensions, of which one value suffices. A projection without integer divisions is a superset, which costs iterations,
no more: each constraint of the piece bounds its last dimension, and a hidden dimension that has no value for some outer
coordinates ends their iteration there. isl takes about a hundred times as long for a point.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from math import prod
from operator import itemgetter
from typing import Any

import islpy as isl

from loadstone.poly.names import names_of
from loadstone.poly.spaces import Dim

Point = tuple[int, ...]
Pair = tuple[Point, Point]
Constraint = tuple[int, dict[str, int]]
_FUNCTIONS = {"any": any, "max": max, "min": min, "range": range, "sorted": sorted}


def points(value: isl.Set) -> list[Point]:
    """The integer points of a bounded set without free parameters, in lexicographic order.

    >>> points(isl.Set("{ [x, y] : 0 <= x <= 4 and 2 y = x }"))
    [(0, 0), (2, 1), (4, 2)]
    """
    return _all_listed(value, None)


def pairs(value: isl.Map) -> set[Pair]:
    """The pairs of a bounded map without free parameters."""
    return set(pairs_in_order(value))


def pairs_in_order(value: isl.Map) -> list[Pair]:
    """The pairs of a bounded map without free parameters, in lexicographic order."""
    return _all_listed(value.wrap().flatten(), value.dim(Dim.in_))


def outputs_by_input(value: isl.Map) -> dict[Point, set[Point]]:
    """The outputs of each input of a bounded map without free parameters, inputs in lexicographic order.

    >>> outputs_by_input(isl.Map("{ [x] -> [y] : 0 <= x <= 1 and x <= y <= 1 }"))
    {(0,): {(0,), (1,)}, (1,): {(1,)}}
    """
    found: dict[Point, set[Point]] = {}
    for part in _parts_listed(value.wrap().flatten(), value.dim(Dim.in_)):
        for first, same in groupby(part, itemgetter(0)):
            found.setdefault(first, set()).update(map(itemgetter(1), same))
    return {first: found[first] for first in sorted(found)}


def _all_listed(value: isl.Set, split: int | None) -> list[Any]:
    """The points of a set; with a split, as pairs of the dimensions before it and behind it."""
    parts = _parts_listed(value, split)
    if len(parts) == 1:
        return parts[0]
    return sorted({point for part in parts for point in part})


def _parts_listed(value: isl.Set, split: int | None) -> list[list[Any]]:
    """The points of each basic set, which may have some in common, in lexicographic order."""
    pieces = value.project_out_all_params().get_basic_set_list()
    return [_listed(pieces.get_at(k), split) for k in range(pieces.n_basic_set())]


def _listed(piece: isl.BasicSet, split: int | None) -> list[Any]:
    names = [f"x{k}" for k in range(piece.dim(Dim.set))]
    hidden = [f"e{k}" for k in range(piece.dim(Dim.div))]
    lifted = piece.lift().flatten()
    outer, inner = _in_loop_order(names, hidden, _constraints(lifted, [*names, *hidden]))
    loops = _loops(_reordered(lifted, [*names, *hidden], [*outer, *inner]), outer, inner) if names else None
    if loops is None:
        return _listed_by_isl(piece, split)
    shown = _tuple(names) if split is None else f"({_tuple(names[:split])}, {_tuple(names[split:])})"
    test = f" if any(True{''.join(loops[len(outer) :])})" if inner else ""
    walk = f"{shown}{''.join(loops[: len(outer)])}{test}"
    return eval(f"[{walk}]" if outer == names else f"sorted({{{walk}}})", _FUNCTIONS)


def _in_loop_order(
    shown: Sequence[str], hidden: Sequence[str], constraints: Sequence[Constraint]
) -> tuple[list[str], list[str]]:
    """The dimensions to walk, and the hidden ones to test inside.

    A hidden one stands before the last dimension of an equality which it strides, `x2 = x1 + 32 e`: of the values of
    `x2`, those between the strides are not tried.
    """
    before: dict[str, str] = {}
    for factors in _equalities(constraints):
        strides = [name for name in factors if name in hidden]
        last = max((name for name in shown if name in factors), key=shown.index, default=None)
        if len(strides) == 1 and last is not None and abs(factors[last]) == 1 and last not in before:
            before |= {last: strides[0]} if strides[0] not in before.values() else {}
    outer = [name for last in shown for name in (before.get(last), last) if name is not None]
    return outer, [name for name in hidden if name not in outer]


def _equalities(constraints: Sequence[Constraint]) -> Iterator[dict[str, int]]:
    """The factors of constraints of which the opposite one holds as well."""
    for (constant, factors), (opposite, others) in pairwise(constraints):
        if constant == -opposite and factors == {name: -factor for name, factor in others.items()}:
            yield factors


def _reordered(piece: isl.BasicSet, names: Sequence[str], order: Sequence[str]) -> isl.BasicSet:
    """A set of the same points, with its dimensions in another order."""
    if names == order:
        return piece
    return piece.apply(isl.BasicMap(f"{{ [{', '.join(names)}] -> [{', '.join(order)}] }}"))


def _listed_by_isl(piece: isl.BasicSet, split: int | None) -> list[Any]:
    found: list[Any] = []

    def add(point: isl.Point) -> None:
        numbers = coordinates(point)
        found.append(numbers if split is None else (numbers[:split], numbers[split:]))

    piece.to_set().foreach_point(add)
    return sorted(found)


def coordinates(point: isl.Point) -> tuple[int, ...]:
    """The coordinates of a point."""
    return tuple(point.get_coordinate_val(Dim.set, k).to_python() for k in range(point.get_space().dim(Dim.set)))


def ranges_of(domain: isl.Set) -> list[tuple[int, int]]:
    """The least and the greatest value of each coordinate of a bounded set."""
    dims = range(domain.dim(Dim.set))
    return [(domain.dim_min_val(k).to_python(), domain.dim_max_val(k).to_python()) for k in dims]


def _loops(piece: isl.BasicSet, shown: Sequence[str], hidden: Sequence[str]) -> list[str] | None:
    """A loop per dimension of a piece without divisions, with early tests; None where one has no bounds."""
    names = [*shown, *hidden]
    shadows = [_constraints(shadow, names) for shadow in _shadows(piece, len(names))]
    tests = _early_tests(shown, hidden, shadows[-1])
    found = list[str]()
    for position, implied in enumerate(shadows):
        ends = _ends(names[position], {*names[position + 1 :]}, [*implied, *shadows[-1]])
        if ends is None:
            return None
        found.append(f" for {names[position]} in range({ends[0]}, {ends[1]} + 1){tests.get(position, '')}")
    return found


def _early_tests(shown: Sequence[str], hidden: Sequence[str], constraints: Sequence[Constraint]) -> dict[int, str]:
    """By dimension: whether hidden ones have a value, where coordinates up to it decide and some are still to come."""
    found: dict[int, str] = {}
    for name in hidden:
        used = {other for _, factors in constraints if name in factors for other in factors}
        last = max((k for k, other in enumerate(shown) if other in used), default=-1)
        ends = _ends(name, {*hidden} - {name}, constraints)
        if ends is not None and 0 <= last < len(shown) - 1:
            found[last] = f"{found.get(last, '')} if {ends[0]} <= {ends[1]}"
    return found


def _shadows(piece: isl.BasicSet, dims: int) -> list[isl.BasicSet]:
    """Sets around the projections of a piece on its first dimension, the first two, and so on."""
    found = [piece]
    for position in reversed(range(1, dims)):
        found.append(found[-1].project_out(Dim.set, position, 1).remove_divs())
    return found[::-1]


def _constraints(piece: isl.BasicSet, names: Sequence[str]) -> list[Constraint]:
    """Expressions that are at least 0 in a piece: a constant, and factors by name."""
    found: list[Constraint] = []
    shown = list(enumerate(names[: piece.dim(Dim.set)]))
    for constraint in piece.get_constraints():
        every = ((name, constraint.get_coefficient_val(Dim.set, k).to_python()) for k, name in shown)
        factors = {name: factor for name, factor in every if factor}
        constant = constraint.get_constant_val().to_python()
        found.append((constant, factors))
        if constraint.is_equality():
            found.append((-constant, {name: -factor for name, factor in factors.items()}))
    return found


def _ends(name: str, unknown: Collection[str], constraints: Iterable[Constraint]) -> tuple[str, str] | None:
    """The least and the greatest value of a dimension by the constraints without unknown ones; None if one has none."""
    lower, upper = list[str](), list[str]()
    for constant, factors in constraints:
        if name in factors and factors.keys().isdisjoint(unknown):
            terms = (f"{factor}*{other}" for other, factor in factors.items() if other != name)
            rest, factor = " + ".join((*terms, str(constant))), factors[name]
            (lower if factor > 0 else upper).append(f"-(({rest})//{factor})" if factor > 0 else f"({rest})//{-factor}")
    return (_extremum("max", lower), _extremum("min", upper)) if lower and upper else None


def _extremum(function: str, texts: Iterable[str]) -> str:
    different = list(dict.fromkeys(texts))
    return different[0] if len(different) == 1 else f"{function}({', '.join(different)})"


def _tuple(names: Iterable[str]) -> str:
    return f"({''.join(f'{name}, ' for name in names)})"


def sample_point(value: isl.Set) -> tuple[dict[str, int], Point]:
    """Parameters and a point of a set that is not empty."""
    parameters, _, point = sample_pair(isl.Map.from_range(value))
    return parameters, point


def sample_pair(value: isl.Map) -> tuple[dict[str, int], Point, Point]:
    """Parameters and a pair of a map that is not empty."""
    point = value.sample().wrap().sample_point()
    split, numbers = value.dim(Dim.in_), coordinates(point)
    return parameters_at(point), numbers[:split], numbers[split:]


def parameters_at(point: isl.Point) -> dict[str, int]:
    """The values of parameters at a point, by name."""
    names = enumerate(names_of(point.get_space()))
    return {name: point.get_coordinate_val(Dim.param, k).to_python() for k, name in names}


def fixed_input(value: isl.Map, point: Point) -> isl.Map:
    """The map with its input set to a point."""
    for position, number in enumerate(point):
        value = value.fix_val(Dim.in_, position, isl.Val.int_from_si(value.get_ctx(), number))
    return value


def box_volume(value: isl.Set) -> int:
    """The number of points of the smallest box around a bounded set without free parameters."""
    if value.is_empty():
        return 0
    dims = range(value.dim(Dim.set))
    return prod(value.dim_max_val(k).sub(value.dim_min_val(k)).to_python() + 1 for k in dims)
