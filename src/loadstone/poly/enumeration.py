"""Enumeration of the integer points of bounded sets and maps.

A piece of a set becomes a list comprehension, which Python runs: a loop per dimension, between the bounds that the
constraints leave for it once inner dimensions are projected out. A projection without integer divisions is a superset,
which costs iterations, no more: each constraint of the piece is a bound of its last dimension, or a condition. A piece
whose divisions isl does not know explicitly is left to isl, which takes about a hundred times as long for a point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

import islpy as isl

from loadstone.poly.linear import Linear, linear
from loadstone.poly.spaces import Dim

Point = tuple[int, ...]
Pair = tuple[Point, Point]


def points(value: isl.Set) -> list[Point]:
    """The integer points of a bounded set without free parameters, in lexicographic order.

    >>> points(isl.Set("{ [x, y] : 0 <= x <= 4 and 2 y = x }"))
    [(0, 0), (2, 1), (4, 2)]
    """
    return _all_listed(value, value.dim(Dim.set), 0)


def pairs(value: isl.Map) -> set[Pair]:
    """The pairs of a bounded map without free parameters."""
    return set(pairs_in_order(value))


def pairs_in_order(value: isl.Map) -> list[Pair]:
    """The pairs of a bounded map without free parameters, in lexicographic order."""
    return _all_listed(value.wrap().flatten(), value.dim(Dim.in_), value.dim(Dim.out))


def _all_listed(value: isl.Set, first: int, second: int) -> list[Any]:
    """The points of a set; where there is a second group of dimensions, as pairs of both groups."""
    pieces = value.project_out_all_params().get_basic_set_list()
    parts = [_listed(pieces.get_at(k), first, second) for k in range(pieces.n_basic_set())]
    if len(parts) == 1:
        return parts[0]
    return sorted({point for part in parts for point in part})


def _listed(piece: isl.BasicSet, first: int, second: int) -> list[Any]:
    names = [f"x{k}" for k in range(first + second)]
    loops = list(_loops(piece, names)) if _has_known_divisions(piece) else []
    if len(loops) < len(names) or any(loop is None for loop in loops):
        return _listed_by_isl(piece, first, second)
    tests = "".join(f" if {test}" for test in _tests(piece, names))
    shown = f"{_tuple(names[:first])}, {_tuple(names[first:])}" if second else _tuple(names)
    if not names:
        return [] if piece.is_empty() else [()]
    return eval(f"[({shown}){''.join(map(str, loops))}{tests}]", {"max": max, "min": min, "range": range})


def _listed_by_isl(piece: isl.BasicSet, first: int, second: int) -> list[Any]:
    found: list[Any] = []

    def add(point: isl.Point) -> None:
        numbers = tuple(point.get_coordinate_val(Dim.set, k).to_python() for k in range(first + second))
        found.append((numbers[:first], numbers[first:]) if second else numbers)

    piece.to_set().foreach_point(add)
    return sorted(found)


def _has_known_divisions(piece: isl.BasicSet) -> bool:
    """Whether all existential variables are floors of expressions."""
    try:
        for position in range(piece.dim(Dim.div)):
            piece.get_div(position)
    except isl.Error:
        return False
    return True


def _loops(piece: isl.BasicSet, names: Sequence[str]) -> Iterator[str | None]:
    """A loop per dimension; None where it has no bounds."""
    own = [parts for parts, _ in _constraints(piece, names) if not parts.floors]
    for position, shadow in enumerate(_shadows(piece, len(names))):
        implied = [parts for parts, _ in _constraints(shadow, names)]
        yield _loop(names, position, [*implied, *own])


def _shadows(piece: isl.BasicSet, dims: int) -> list[isl.BasicSet]:
    """Sets around the projections of a piece on its first dimension, the first two, and so on."""
    found = [piece.remove_divs()]
    for position in reversed(range(1, dims)):
        found.append(found[-1].project_out(Dim.set, position, 1).remove_divs())
    return found[:dims][::-1]


def _constraints(piece: isl.BasicSet, names: Sequence[str]) -> Iterator[tuple[Linear, bool]]:
    """Expressions that are at least 0, or equal 0, in a piece."""
    for constraint in piece.get_constraints():
        expression, shown = constraint.get_aff(), names[: piece.dim(Dim.set)]
        yield linear(expression, shown), False
        if constraint.is_equality():
            yield linear(expression.neg(), shown), True


def _loop(names: Sequence[str], position: int, constraints: Iterable[Linear]) -> str | None:
    """The loop of a dimension by the constraints in which no inner one occurs."""
    lower, upper, inner = list[str](), list[str](), set(names[position + 1 :])
    for parts in constraints:
        factor = next((factor for factor, name in parts.variables if name == names[position]), 0)
        rest = _sum(parts, [term for term in parts.variables if term[1] != names[position]])
        if factor and not inner & {name for _, name in parts.variables}:
            (lower if factor > 0 else upper).append(f"-(({rest})//{factor})" if factor > 0 else f"({rest})//{-factor}")
    if not lower or not upper:
        return None
    return f" for {names[position]} in range({_extremum('max', lower)}, {_extremum('min', upper)} + 1)"


def _extremum(function: str, texts: Iterable[str]) -> str:
    different = list(dict.fromkeys(texts))
    return different[0] if len(different) == 1 else f"{function}({', '.join(different)})"


def _tests(piece: isl.BasicSet, names: Sequence[str]) -> Iterator[str]:
    """The constraints with divisions as conditions."""
    for parts, _ in _constraints(piece, names):
        if parts.floors:
            yield f"{_sum(parts, parts.variables, names)} >= 0"


def _sum(parts: Linear, variables: Iterable[tuple[int, str]], names: Sequence[str] = ()) -> str:
    """The numerator of an expression with some of its variables."""
    terms = [f"{factor}*{name}" for factor, name in variables]
    floors = [f"{factor}*{_floor(argument, names)}" for factor, argument in parts.floors]
    return " + ".join((*terms, *floors, str(parts.constant)))


def _floor(argument: isl.Aff, names: Sequence[str]) -> str:
    parts = linear(argument, names)
    return f"(({_sum(parts, parts.variables, names)})//{parts.divisor})"


def _tuple(names: Iterable[str]) -> str:
    return f"({''.join(f'{name}, ' for name in names)})"


def sample_point(value: isl.Set) -> tuple[dict[str, int], Point]:
    """Parameters and a point of a set that is not empty."""
    parameters, _, point = sample_pair(isl.Map.from_range(value))
    return parameters, point


def sample_pair(value: isl.Map) -> tuple[dict[str, int], Point, Point]:
    """Parameters and a pair of a map that is not empty."""
    point = value.sample().wrap().sample_point()
    params = {
        value.get_dim_name(Dim.param, k) or "": point.get_coordinate_val(Dim.param, k).to_python()
        for k in range(value.dim(Dim.param))
    }
    split, total = value.dim(Dim.in_), value.dim(Dim.in_) + value.dim(Dim.out)
    numbers = tuple(point.get_coordinate_val(Dim.set, k).to_python() for k in range(total))
    return params, numbers[:split], numbers[split:]


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
