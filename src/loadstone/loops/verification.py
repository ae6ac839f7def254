"""Whether generated loops visit the instances that they should, for small parameters.

isl's AST generator takes some loops to have one iteration where they have two: those with a stride of which the offset
is a quotient of parameters, as in `for (k = 2 * n / 3; k >= 0; k -= 2)` after tiling. So loops over sets with
divisions are compared with these.
"""

from __future__ import annotations

from collections import Counter

import islpy as isl

from loadstone.loops.compiled_walk import IDLE, Run, compiled_walk
from loadstone.loops.model import Node
from loadstone.poly.enumeration import Point, box_volume, points
from loadstone.poly.linear import variable_names
from loadstone.poly.spaces import box_near_least, maps_of, with_parameters_first

MOST_POINTS = 20_000
"""The largest box of points that is looked at."""
REACHES = (7, 4, 2)
"""How far parameters are from their least values, at most."""

Visits = Counter[tuple[Point, str, Point]]
"""How often instances are visited, by the values of parameters, statement, and iterators."""


def visits_all(tree: Node, schedule: isl.UnionMap, context: isl.Set) -> bool:
    """Whether loops visit each instance of a schedule once, as far as small parameters tell."""
    walk, names = None, variable_names(context.get_space())
    used = schedule.params().align_params(context.get_space()).intersect(context)
    for reach in REACHES:
        near = context.intersect(box_near_least(used, reach))
        values = with_parameters_first(isl.Set.from_params(near))
        parts = [_instances(part, near) for part in maps_of(schedule)]
        if all(each.is_empty() or (each.is_bounded() and box_volume(each) <= MOST_POINTS) for each in (values, *parts)):
            walk = walk or compiled_walk(tree, names)
            found = Counter(visit for each in points(values) for visit in _visits(each, walk(*each)))
            return found == _expected(schedule, parts, len(names))
    return True


def _instances(part: isl.Map, near: isl.Set) -> isl.Set:
    """The instances of a statement for some parameters, which come first."""
    aligned = part.domain().align_params(near.get_space())
    return with_parameters_first(aligned.intersect_params(near))


def _expected(schedule: isl.UnionMap, parts: list[isl.Set], count: int) -> Visits:
    names = [part.domain().get_tuple_name() for part in maps_of(schedule)]
    found: Visits = Counter()
    for name, part in zip(names, parts, strict=True):
        found.update((each[:count], name, each[count:]) for each in points(part))
    return found


def _visits(values: Point, runs: list[Run]) -> list[tuple[Point, str, Point]]:
    return [
        (values, run.name, tuple(first + k * step for first, step in zip(run.arguments, run.steps, strict=True)))
        for run in runs
        for k in range(run.length if run.name != IDLE else 0)
    ]
