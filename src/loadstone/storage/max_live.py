"""The largest number of elements that are alive together: no mapping needs fewer cells.

Found by enumeration for given parameters. While tile n is the oldest that is not stored, L may have brought tiles up to
n + D - 1, and C may be at any tile c from n to there: alive are the elements that have appeared by then, and that C
still uses in c or later, or that are stored by n or later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop
from math import dist
from statistics import fmean
from typing import NamedTuple

import islpy as isl

from loadstone.model.kernel import Kernel
from loadstone.poly import fixed, points
from loadstone.poly.enumeration import (
    Point,
    around_the_middle,
    box_volume,
    fixed_input,
    pairs_in_order,
    parameters_at,
)
from loadstone.poly.kept import kept_by_text
from loadstone.poly.spaces import parameters_to_inputs, without_dims
from loadstone.storage.lifetimes import Lifetimes, for_parameters
from loadstone.transform.tiling import TiledKernel

MOST_POINTS = 200_000
ENOUGH_POINTS = 8_000
POINTS_OF_A_STRIP = 8
"""A strip costs as much as this many points, however few it has."""
MOST_STRIPS = 1_000_000
STRIPS_AT_THE_MIDDLE = 10_000


class Life(NamedTuple):
    """The life of an element in tiles, numbered as they run; `stored` is -1 without a store."""

    first: int
    last: int
    loaded: bool
    stored: int = -1


def max_live(tiles: TiledKernel, life: Lifetimes, parameters: Mapping[str, int]) -> int | None:
    """The largest number of elements of an array that are alive at once in a strip, for given parameters.

    Strips that use the array are enumerated from the middle outwards, as many as there is time for; None where even one
    is too large.
    """
    largest, spent = None, 0
    outer, dims = tiles.outer, len(tiles.sizes)
    every, using = (_strips(fixed(used, parameters), outer, dims) for used in (life.existing, life.held.domain()))
    for strip in _from_the_middle(every, using):
        values = {**parameters, **dict(zip(tiles.outer, strip, strict=True))}
        chosen = for_parameters(life, values)
        spent += max(POINTS_OF_A_STRIP, _size(chosen))
        if spent > (MOST_POINTS if largest is None else ENOUGH_POINTS):
            return largest
        largest = max(largest or 0, _most(_lives(chosen), life.depth))
    return largest or 0


@kept_by_text
def _strips(used: isl.Set, outer: Sequence[str], dims: int) -> list[Point]:
    """The outer coordinates of the strips of some tiles; of more than a million, those around the middle."""
    every = parameters_to_inputs(isl.Map.from_domain(used), outer).domain()
    strips = without_dims(every, range(len(outer), dims))
    return points(strips if box_volume(strips) <= MOST_STRIPS else around_the_middle(strips, STRIPS_AT_THE_MIDDLE))


def _from_the_middle(every: list[Point], chosen: list[Point]) -> Iterator[Point]:
    """Some strips, those in the middle of all first."""
    centre = [fmean(column) for column in zip(*every, strict=True)]
    waiting = [(dist(strip, centre), strip) for strip in chosen]
    heapify(waiting)
    while waiting:
        yield heappop(waiting)[1]


def _size(life: Lifetimes) -> int:
    """About how many pairs of tiles and elements there are, judged by the tile in the middle."""
    tiles = points(life.existing)
    middle = fixed_input(life.held, tiles[len(tiles) // 2])
    return len(tiles) * box_volume(middle.range())


def _lives(life: Lifetimes) -> Counter[Life]:
    """How many elements have which life in one strip, whose parameters are numbers."""
    rank = {tile: number for number, tile in enumerate(points(life.existing))}
    held = pairs_in_order(life.held)
    first = {element: tile for tile, element in reversed(held)}
    last = {element: tile for tile, element in held}
    stored = {element: rank[tile] for tile, element in pairs_in_order(life.store)}
    loaded = set(points(life.loaded))
    found = Counter((tile, last[each], each in loaded, stored.get(each, -1)) for each, tile in first.items())
    return Counter({Life(rank[begin], rank[end], there, left): n for (begin, end, there, left), n in found.items()})


def _most(lives: Counter[Life], depth: int) -> int:
    tiles = max((life.last for life in lives), default=-1) + 1
    return max((_alive(lives, *state) for state in _states(tiles, depth)), default=0)


def _states(tiles: int, depth: int) -> Iterator[tuple[int, int, int]]:
    """The oldest tile not stored, the one being computed, and the last one that may be loaded."""
    for oldest in range(tiles):
        newest = min(oldest + depth, tiles) - 1
        for current in range(oldest, newest + 1):
            yield oldest, current, newest


def _alive(lives: Counter[Life], oldest: int, current: int, newest: int) -> int:
    return sum(
        count
        for life, count in lives.items()
        if life.first <= (newest if life.loaded else current) and (life.last >= current or life.stored >= oldest)
    )


def sample_parameters(tiles: TiledKernel, depth: int) -> dict[str, int] | None:
    """Parameters with several tiles in each dimension, not below the defaults of the source; None if there are none."""
    kernel = tiles.kernel
    for size in ((depth + 2) * max(tiles.sizes), 2 * max(tiles.sizes), 8, 2, 1, 0):
        values = {name: max(size, kernel.defaults.get(name, 0)) for name in kernel.parameters}
        if not fixed(kernel.context, values).is_empty():
            return values
    return _any_parameters(kernel)


def _any_parameters(kernel: Kernel) -> dict[str, int] | None:
    if kernel.context.is_empty():
        return None
    known = parameters_at(kernel.context.sample_point())
    return {name: known[name] for name in kernel.parameters}
