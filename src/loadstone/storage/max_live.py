"""The largest number of elements that are alive together: no mapping needs fewer cells.

Found by enumeration for given parameters. While tile n is the oldest that is not stored, L may have brought tiles up to
n + D - 1, and C may be at any tile c from n to there: alive are the elements that have appeared by then, and that C
still uses in c or later, or that are stored by n or later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heapify, heappop
from itertools import accumulate
from math import dist, fsum
from typing import NamedTuple

import islpy as isl

from loadstone.model.kernel import Kernel
from loadstone.poly import coalesced, fixed, points
from loadstone.poly.enumeration import Point, box_volume, fixed_input, outputs_by_input, parameters_at, ranges_of
from loadstone.poly.kept import kept_by_text
from loadstone.poly.limits import if_affordable
from loadstone.poly.spaces import parameters_to_inputs, within_ranges, without_dims
from loadstone.storage.lifetimes import Lifetimes, for_parameters
from loadstone.transform.tiling import TiledKernel

MOST_POINTS = 200_000
ENOUGH_POINTS = 8_000
POINTS_OF_A_STRIP = 8
"""A strip costs as much as this many points, however few it has."""
MOST_JUDGED = 9
"""The tiles that tell how many elements there are: several, as some nests use few of them."""
MOST_COUNTED = 32
"""The most tiles of a strip whose elements isl counts; of more, or where that takes too long, lives are listed."""
COUNT_LIMIT = 600_000
MOST_STRIPS, NEAR = 4096, 4
"""Of more strips than this, those are looked at that are near the middle in each coordinate."""


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
    centre = _centre(every)
    for strip in _from_the_middle(centre, _around(using, centre)):
        values = {**parameters, **dict(zip(tiles.outer, strip, strict=True))}
        chosen = for_parameters(life, values)
        spent += max(POINTS_OF_A_STRIP, _size(chosen))
        if spent > (MOST_POINTS if largest is None else ENOUGH_POINTS):
            return largest
        largest = max(largest or 0, _most_in(chosen))
    return largest or 0


def _most_in(life: Lifetimes) -> int:
    """The largest number of elements that are alive at once in one strip, whose parameters are numbers."""
    tiles = points(life.existing)
    counted = None if len(tiles) > MOST_COUNTED else if_affordable(lambda: _most_counted(life, tiles), COUNT_LIMIT)
    return _most(_lives(life), life.depth) if counted is None else counted


def _most_counted(life: Lifetimes, tiles: Sequence[Point]) -> int:
    """The same by sets of elements for each state, of which isl counts the points.

    Alive are those that are loaded until the newest tile, or used until the current one; and are used from the current
    one on, or stored from the oldest on.
    """
    held, stored = ([fixed_input(each, tile).range() for tile in tiles] for each in (life.held, life.store))
    begun, loaded = list(accumulate(held, _joined)), life.loaded.project_out_all_params()
    used, left = ([*accumulate(reversed(each), _joined)][::-1] for each in (held, stored))
    alive = (
        begun[newest].intersect(loaded).union(begun[current]).intersect(used[current].union(left[oldest]))
        for oldest, current, newest in _states(len(tiles), life.depth)
    )
    return max((each.count_val().to_python() for each in alive), default=0)


def _strips(used: isl.Set, outer: Sequence[str], dims: int) -> isl.Set:
    """The outer coordinates of the strips of some tiles."""
    every = parameters_to_inputs(isl.Map.from_domain(used), outer).domain()
    return without_dims(every, range(len(outer), dims))


@kept_by_text
def _centre(strips: isl.Set) -> list[float]:
    """The mean of strips; where they are many, the middle of the box around them."""
    if box_volume(strips) > MOST_STRIPS:
        return [(least + greatest) / 2 for least, greatest in ranges_of(strips)]
    return [fsum(column) / len(column) for column in zip(*points(strips), strict=True)]


@kept_by_text
def _around(strips: isl.Set, centre: Sequence[float]) -> list[Point]:
    """The strips; where they are many, those in a box around the centre that has some."""
    if box_volume(strips) <= MOST_STRIPS:
        return points(strips)
    width = NEAR
    while (near := within_ranges(strips, [(int(at) - width, int(at) + width) for at in centre])).is_empty():
        width *= 2
    return points(near)


def _from_the_middle(centre: Sequence[float], chosen: list[Point]) -> Iterator[Point]:
    """Strips by their distance from the middle."""
    waiting = [(dist(strip, centre), strip) for strip in chosen]
    heapify(waiting)
    while waiting:
        yield heappop(waiting)[1]


def _size(life: Lifetimes) -> int:
    """About how many pairs of tiles and elements there are, judged by the middle tile, and by some users."""
    return max(_pairs(life, points(life.existing), 1), _pairs(life, points(life.held.domain()), MOST_JUDGED))


def _pairs(life: Lifetimes, tiles: Sequence[Point], most: int) -> int:
    """The number of pairs if all tiles had as many elements as some evenly spread ones have in the mean."""
    if not tiles:
        return 0
    chosen = {(2 * k + 1) * len(tiles) // (2 * most) for k in range(most)}
    found = sum(box_volume(fixed_input(life.held, tiles[k]).range()) for k in chosen)
    return len(tiles) * round(found / len(chosen))


def _lives(life: Lifetimes) -> Counter[Life]:
    """How many elements have which life in one strip, whose parameters are numbers."""
    rank = {tile: number for number, tile in enumerate(points(life.existing))}
    held = outputs_by_input(life.held)
    first = _last_key({tile: held[tile] for tile in reversed(held)})
    last, stored, loaded = _last_key(held), _last_key(outputs_by_input(life.store)), set(points(life.loaded))
    found = Counter(
        zip(first.values(), map(last.get, first), map(loaded.__contains__, first), map(stored.get, first), strict=True)
    )
    return Counter(
        {
            Life(rank[begin], rank[end], there, -1 if left is None else rank[left]): number
            for (begin, end, there, left), number in found.items()
            if end is not None
        }
    )


def _last_key(elements: Mapping[Point, set[Point]]) -> dict[Point, Point]:
    """The last tile that has an element, in the order of the tiles given."""
    found: dict[Point, Point] = {}
    for tile, each in elements.items():
        found |= dict.fromkeys(each, tile)
    return found


def _most(lives: Counter[Life], depth: int) -> int:
    """The most elements alive in any state: those that have appeared, without those that are gone.

    With the current tile d behind the oldest, an element is gone from oldest tile 1 + max(last - d, stored) on.
    """
    tiles = max((life.last for life in lives), default=-1) + 1
    loaded, written = (
        _up_to({life: life.first for life in lives if life.loaded is kind}, lives) for kind in (True, False)
    )
    gone = [_up_to({each: max(each.last - d, each.stored, -1) + 1 for each in lives}, lives) for d in range(depth)]
    return max((loaded(c) + written(b) - gone[b - a](a) for a, b, c in _states(tiles, depth)), default=0)


def _up_to(begins: Mapping[Life, int], lives: Counter[Life]) -> Callable[[int], int]:
    """How many elements have begun by a tile."""
    found = Counter[int]()
    for life, begin in begins.items():
        found[begin] += lives[life]
    total = list(accumulate(found[tile] for tile in range(max(found, default=-1) + 1)))
    return lambda tile: total[min(tile, len(total) - 1)] if total else 0


def _states(tiles: int, depth: int) -> Iterator[tuple[int, int, int]]:
    """The oldest tile not stored, the one being computed, and the last one that may be loaded."""
    for oldest in range(tiles):
        newest = min(oldest + depth, tiles) - 1
        for current in range(oldest, newest + 1):
            yield oldest, current, newest


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


def _joined(some: isl.Set, more: isl.Set) -> isl.Set:
    """The union, of few pieces where those of neighbouring tiles meet."""
    return coalesced(some.union(more))
