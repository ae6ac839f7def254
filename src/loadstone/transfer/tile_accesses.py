"""What each tile reads and writes of an array: In(T) and Out(T), under- and over-approximated [RR-7697, 3.1 and 4.1].

All results map tiles of the strip to elements, with the outer tile coordinates as parameters. They follow from the
order of execution inside of the tiles alone, not from the dependences of the original program.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import islpy as isl

from loadstone.model.kernel import Access, AccessChoice, Array, Statement, union_of_maps
from loadstone.poly import coalesced, set_space
from loadstone.poly.simplify import joined
from loadstone.transfer.strips import memory_arrays
from loadstone.transform.tiling import TiledKernel

KEPT = 128
"""The number of arrays whose accesses are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class TileAccesses:
    """In(T) and Out(T) over-approximated, and Out(T) under-approximated; all exact when the kernel is."""

    reads: isl.Map
    may_writes: isl.Map
    must_writes: isl.Map


def tile_accesses(tiles: TiledKernel) -> dict[str, TileAccesses]:
    """What the tiles read and write of each array in memory."""
    return {array.name: array_accesses(tiles, array) for array in memory_arrays(tiles.kernel)}


def array_accesses(tiles: TiledKernel, array: Array) -> TileAccesses:
    """What the tiles read and write of one array."""
    return TileAccesses(
        tile_to_exposed_reads(tiles, array), tile_to_written(tiles, array), tile_to_surely_written(tiles, array)
    )


@lru_cache(maxsize=KEPT)
def tile_to_touched(tiles: TiledKernel, array: Array) -> isl.Map:
    """Tiles to the elements of an array that they may read or write."""
    return _tile_to_elements(tiles, array, lambda s: (*s.reads, s.write))


def tile_to_written(tiles: TiledKernel, array: Array) -> isl.Map:
    """Tiles to the elements of an array that they may write: Out(T) over-approximated."""
    return _tile_to_elements(tiles, array, lambda s: (s.write,))


def tile_to_surely_written(tiles: TiledKernel, array: Array) -> isl.Map:
    """Tiles to the elements of an array that they certainly write: Out(T) under-approximated."""
    return _tile_to_elements(tiles, array, _sure_writes)


def tile_to_exposed_reads(tiles: TiledKernel, array: Array) -> isl.Map:
    """Tiles to the elements that they may read and have not surely written before: In(T) over-approximated.

    These are the reads without a source when every access is tagged with its tile, so that writes in other tiles are
    writes of something else, and the instances run in the order that they have inside of a tile.
    """
    info = isl.UnionAccessInfo.from_sink(_tagged(tiles, array, lambda s: s.reads))
    info = info.set_must_source(_tagged(tiles, array, _sure_writes))
    info = info.set_schedule_map(_instance_to_time(tiles))
    exposed = info.compute_flow().get_may_no_source().range()
    return coalesced(exposed.extract_set(tile_space(tiles, array).wrap()).unwrap())


@lru_cache(maxsize=2)
def existing_tiles(tiles: TiledKernel) -> isl.Set:
    """The tiles of the strip that hold an instance."""
    every = (tiles.instance_to_strip_tile(statement.name).range() for statement in tiles.kernel.statements)
    found = joined(every, isl.Set.empty(set_space(_parameters(tiles), "", tiles.inner)))
    return coalesced(found.intersect_params(tiles.kernel.context))


def tile_space(tiles: TiledKernel, array: Array) -> isl.Space:
    """The space of maps from tiles of a strip to the elements of an array."""
    elements = element_space(_parameters(tiles), array)
    return set_space(_parameters(tiles), "", tiles.inner).map_from_domain_and_range(elements)


def element_space(parameters: tuple[str, ...], array: Array) -> isl.Space:
    """The space of the elements of an array."""
    return set_space(parameters, array.name, [f"x{k}" for k in range(array.rank)])


def _parameters(tiles: TiledKernel) -> tuple[str, ...]:
    return (*tiles.kernel.parameters, *tiles.outer)


def _sure_writes(statement: Statement) -> tuple[Access, ...]:
    return (statement.write,) if statement.write.exact else ()


def _tile_to_elements(tiles: TiledKernel, array: Array, choose: AccessChoice) -> isl.Map:
    every = (
        tiles.instance_to_strip_tile(statement.name).reverse().apply_range(access.relation)
        for statement in tiles.kernel.statements
        for access in choose(statement)
        if access.array == array.name
    )
    found = joined(every, isl.Map.empty(tile_space(tiles, array)))
    return coalesced(found.intersect_params(tiles.kernel.context))


def _tagged(tiles: TiledKernel, array: Array, choose: AccessChoice) -> isl.UnionMap:
    """Instances to pairs of their tile and an element that they access."""
    tagged = (
        tiles.instance_to_strip_tile(statement.name).range_product(access.relation)
        for statement in tiles.kernel.statements
        for access in choose(statement)
        if access.array == array.name
    )
    return union_of_maps(tiles.kernel, tagged).intersect_params(tiles.kernel.context)


def _instance_to_time(tiles: TiledKernel) -> isl.UnionMap:
    names = (statement.name for statement in tiles.kernel.statements)
    return union_of_maps(tiles.kernel, (tiles.instance_to_time(name) for name in names))
