"""Enumeration of the integer points of bounded sets and maps."""

from __future__ import annotations

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
