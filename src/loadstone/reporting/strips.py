"""The strips that a report shows, and the work of their tiles for given parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import islice

import islpy as isl

from loadstone.poly import fixed, points
from loadstone.poly.dimensions import at_coordinate, at_least, first_coordinates
from loadstone.poly.enumeration import Point, fixed_input
from loadstone.poly.extrema import greatest, least
from loadstone.poly.order import later
from loadstone.poly.spaces import Dim
from loadstone.transfer import Plan
from loadstone.transfer.tile_accesses import existing_tiles
from loadstone.transfer.volumes import count
from loadstone.transform.tiling import TiledKernel

MOST_STRIPS = 2
MOST_TILES = 48


@dataclass(frozen=True, slots=True)
class TileWork:
    """What one tile of a strip does: elements loaded and stored by array, and the instances that it executes."""

    coordinates: Point
    loaded: Mapping[str, int]
    instances: int
    stored: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ShownStrip:
    """A strip, by its outer tile coordinates, with its first tiles; `tile_count` counts all of them.

    `loaded_first` names the arrays of which only the first tile loads, `stored_last` those of which only the last
    tile stores.
    """

    coordinates: Point
    tiles: tuple[TileWork, ...]
    tile_count: int
    loaded_first: frozenset[str]
    stored_last: frozenset[str]

    @property
    def complete(self) -> bool:
        """Whether all tiles of the strip are there."""
        return len(self.tiles) == self.tile_count


def shown_strips(plan: Plan, parameters: Mapping[str, int], start: Point | None = None) -> tuple[ShownStrip, ...]:
    """The middle strip, or a given one, and the one that follows it; fewer where they do not exist.

    Where the first of them has too many tiles to show, it stands alone.
    """
    every = strips_of(plan.tiles, parameters)
    if every.is_empty():
        return ()
    chosen = islice(points_from(every, middle_point(every) if start is None else start), MOST_STRIPS)
    middle, *following = (_shown(plan, parameters, strip) for strip in chosen)
    return (middle, *following) if middle.complete else (middle,)


def strips_of(tiles: TiledKernel, parameters: Mapping[str, int]) -> isl.Set:
    """The strips that hold an instance, by their outer tile coordinates, for given parameters."""
    found = [tiles.instance_to_tile(statement.name).range() for statement in tiles.kernel.statements]
    every = reduce(lambda left, right: left.union(right), found).intersect_params(tiles.kernel.context)
    return first_coordinates(fixed(every, parameters), len(tiles.outer))


def middle_point(value: isl.Set) -> Point:
    """A point of a set that is not empty: in each coordinate, from the first to the last, not before the middle."""
    for position in range(value.dim(Dim.set)):
        middle = value.dim_min_val(position).add(value.dim_max_val(position)).div(2).floor().to_python()
        behind = at_least(value, position, middle)
        value = at_coordinate(value, position, behind.dim_min_val(position).to_python())
    return points(value)[0]


def points_from(value: isl.Set, start: Point) -> Iterator[Point]:
    """A point of a set, then its successors in lexicographic order."""
    follows = later(value.get_space())
    rest = value
    for position, number in enumerate(start):
        rest = at_coordinate(rest, position, number)
    while not rest.is_empty():
        first = least(rest)
        yield points(first)[0]
        rest = value.intersect(first.apply(follows))


def strip_values(tiles: TiledKernel, parameters: Mapping[str, int], strip: Point) -> dict[str, int]:
    """The parameters and the outer tile coordinates of a strip, which its sets have as parameters."""
    return {**parameters, **dict(zip(tiles.outer, strip, strict=True))}


def _shown(plan: Plan, parameters: Mapping[str, int], strip: Point) -> ShownStrip:
    values = strip_values(plan.tiles, parameters, strip)
    existing = fixed(existing_tiles(plan.tiles), values)
    load = {name: fixed(part.load, values) for name, part in plan.arrays.items()}
    store = {name: fixed(part.store, values) for name, part in plan.arrays.items()}
    computed = {s.name: fixed(plan.tiles.instance_to_strip_tile(s.name), values) for s in plan.tiles.kernel.statements}
    tile_to_instances = {name: relation.reverse() for name, relation in computed.items()}
    first, last = least(existing), greatest(existing)

    def work(tile: Point) -> TileWork:
        instances = _counts(tile_to_instances, tile, values)
        return TileWork(tile, _counts(load, tile, values), sum(instances.values()), _counts(store, tile, values))

    return ShownStrip(
        strip,
        tuple(work(tile) for tile in islice(points_from(existing, points(first)[0]), MOST_TILES)),
        count(existing, values),
        frozenset(name for name, relation in load.items() if _only_in(relation, first)),
        frozenset(name for name, relation in store.items() if _only_in(relation, last)),
    )


def _counts(relations: Mapping[str, isl.Map], tile: Point, values: Mapping[str, int]) -> dict[str, int]:
    return {name: count(fixed_input(relation, tile).range(), values) for name, relation in relations.items()}


def _only_in(tile_to_elements: isl.Map, tile: isl.Set) -> bool:
    return not tile_to_elements.is_empty() and tile_to_elements.domain().is_subset(tile)
