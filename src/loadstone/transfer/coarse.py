"""A plan that is always cheap to make: load all that the strip may touch first, store all that it may write last.

Over-approximated but valid [RR-7697, the naive solution of section 4]: what is stored without having been written has
been loaded. Used when the exact computation reaches its operation limit.
"""

from __future__ import annotations

import islpy as isl

from loadstone.analysis import within_extents
from loadstone.model.kernel import Array
from loadstone.poly.dimensions import first_inputs
from loadstone.poly.extrema import greatest, least
from loadstone.poly.spaces import parameters_to_inputs
from loadstone.transfer.plan import ArrayPlan
from loadstone.transfer.strips import memory_arrays
from loadstone.transfer.tile_accesses import tile_space, tile_to_touched, tile_to_written
from loadstone.transform.tiling import TiledKernel


def coarse_arrays(tiles: TiledKernel) -> dict[str, ArrayPlan]:
    """For each array the first tile of a strip to all elements it may touch, the last tile to all it may write."""
    first, last = _first_and_last_tile(tiles)
    return {array.name: _coarse(tiles, array, first, last) for array in memory_arrays(tiles.kernel)}


def _coarse(tiles: TiledKernel, array: Array, first: isl.Set, last: isl.Set) -> ArrayPlan:
    stored = _hull(tile_to_written(tiles, array), tiles, array)
    loaded = _hull(tile_to_touched(tiles, array), tiles, array).union(stored)
    load = isl.Map.from_domain_and_range(first, loaded)
    store = isl.Map.from_domain_and_range(last, stored)
    return coarse_plan(tiles, array, load, store)


def coarse_plan(tiles: TiledKernel, array: Array, load: isl.Map, store: isl.Map) -> ArrayPlan:
    """The over-approximated plan of an array whose tiles of a strip load and store these elements."""
    strips = (first_inputs(parameters_to_inputs(part, tiles.outer), len(tiles.outer)) for part in (load, store))
    return ArrayPlan(array.name, load, store, *strips, coarse=True)


def _first_and_last_tile(tiles: TiledKernel) -> tuple[isl.Set, isl.Set]:
    present = None
    for statement in tiles.kernel.statements:
        part = tiles.instance_to_strip_tile(statement.name).range()
        present = part if present is None else present.union(part)
    assert present is not None
    present = present.intersect_params(tiles.kernel.context)
    return least(present), greatest(present)


def _hull(tile_to_elements: isl.Map, tiles: TiledKernel, array: Array) -> isl.Set:
    """A convex set around all elements that the tiles of a strip access, within the array."""
    elements = tile_to_elements.range()
    if elements.is_empty():
        return elements
    return isl.Set.from_basic_set(elements.simple_hull()).intersect(
        within_extents(array, tile_space(tiles, array).range())
    )
