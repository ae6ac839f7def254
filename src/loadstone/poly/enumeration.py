"""Enumeration of the integer points of bounded sets and maps."""

from __future__ import annotations

from math import prod

import islpy as isl

from loadstone.poly.spaces import Dim

Point = tuple[int, ...]


def points(value: isl.Set) -> list[Point]:
    """The integer points of a bounded set without free parameters, in lexicographic order."""
    found: list[Point] = []
    dims = range(value.dim(Dim.set))

    def add(point: isl.Point) -> None:
        found.append(tuple(point.get_coordinate_val(Dim.set, k).to_python() for k in dims))

    value.foreach_point(add)
    return sorted(found)


def pairs(value: isl.Map) -> set[tuple[Point, Point]]:
    """The pairs of a bounded map without free parameters."""
    split = value.dim(Dim.in_)
    flat = value.wrap().flatten()
    return {(point[:split], point[split:]) for point in points(flat)}


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
