"""The load/store plan of a tiling [RR-7697, Theorem 7; Theorem 2 where all accesses are exact].

    Load(T)  = elements that the strip loads, if T is the first tile of the strip to touch them
    Store(T) = elements that the strip stores, if T is the last tile of the strip that may write them

This is the theorem's FirstTileReadBeforeWriteSure and LastTileWriteMaybe: the minimum of first possible read and first
possible write is the first touch, and the theorem's bottom leaves are the elements that the strip does not load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import islpy as isl

from loadstone.markup import table
from loadstone.model.kernel import Array
from loadstone.poly import coalesced, renamed_dims
from loadstone.poly.extrema import greatest, least
from loadstone.poly.simplify import MOST_PIECES
from loadstone.poly.spaces import Dim, inputs_to_parameters
from loadstone.transfer.strips import memory_arrays, strip_space, strip_transfers
from loadstone.transfer.tile_accesses import element_space, tile_to_touched, tile_to_written
from loadstone.transfer.volumes import tile_volume, volume
from loadstone.transform.tiling import TiledKernel


@dataclass(frozen=True, eq=False)
class ArrayPlan:
    """What is loaded and stored of one array.

    `load` and `store` map tiles of the strip to elements, with the outer tile coordinates as parameters;
    `strip_to_loaded` and `strip_to_stored` map whole strips to elements. A `coarse` plan moves elements in tiles that
    need not use them.
    """

    name: str
    load: isl.Map
    store: isl.Map
    strip_to_loaded: isl.Map
    strip_to_stored: isl.Map
    coarse: bool = False

    @cached_property
    def load_volume(self) -> isl.PwQPolynomial | None:
        """The number of elements loaded by all tiles of the kernel: a strip loads an element once."""
        return volume(self.strip_to_loaded)

    @cached_property
    def store_volume(self) -> isl.PwQPolynomial | None:
        """The number of elements stored by all tiles of the kernel: a strip stores an element once."""
        return volume(self.strip_to_stored)

    @cached_property
    def load_per_tile(self) -> isl.PwQPolynomial | None:
        """The number of elements that a tile loads, as a function of its coordinates."""
        return tile_volume(self.load)

    @cached_property
    def store_per_tile(self) -> isl.PwQPolynomial | None:
        """The number of elements that a tile stores, as a function of its coordinates."""
        return tile_volume(self.store)


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """The plan of a tiling; `exact` unless accesses are approximated, and then `reason` says why."""

    tiles: TiledKernel
    arrays: Mapping[str, ArrayPlan]
    exact: bool
    reason: str

    def __getitem__(self, array: str) -> ArrayPlan:
        return self.arrays[array]

    def __repr__(self) -> str:
        return f"<{'exact' if self.exact else 'approximated'} plan of {self.tiles!r}: {', '.join(self.arrays)}>"

    def _repr_html_(self) -> str:
        rows = [
            (name, part.load, part.store, part.load_volume, part.store_volume) for name, part in self.arrays.items()
        ]
        return table(repr(self), ("array", "load", "store", "words loaded", "words stored"), rows)


def make_plan(tiles: TiledKernel, *, keep_dead_stores: bool = False) -> Plan:
    """The plan of a tiling that is known to be legal.

    With `keep_dead_stores` everything written is stored, as in the papers.
    """
    transfers = strip_transfers(tiles, keep_dead_stores=keep_dead_stores)
    arrays: dict[str, ArrayPlan] = {}
    for array in memory_arrays(tiles.kernel):
        loaded = _of_array(transfers.loaded, tiles, array)
        stored = _of_array(transfers.stored, tiles, array)
        load = _of_elements(first_tile, tile_to_touched(tiles, array), inputs_to_parameters(loaded, tiles.outer))
        store = _of_elements(last_tile, tile_to_written(tiles, array), inputs_to_parameters(stored, tiles.outer))
        arrays[array.name] = ArrayPlan(
            array.name,
            _shown(load.reverse(), tiles),
            _shown(store.reverse(), tiles),
            loaded,
            stored,
        )
    exact = tiles.kernel.exact
    return Plan(tiles, arrays, exact, "" if exact else "some accesses depend on data")


def _shown(tile_to_elements: isl.Map, tiles: TiledKernel) -> isl.Map:
    """The map in few pieces, with the names that people expect."""
    subscripts = [f"x{k}" for k in range(tile_to_elements.dim(Dim.out))]
    named = renamed_dims(coalesced(tile_to_elements), tiles.inner, Dim.in_)
    return renamed_dims(named, subscripts, Dim.out)


def _of_elements(tile_of: Callable[[isl.Map], isl.Map], tile_to_elements: isl.Map, elements: isl.Set) -> isl.Map:
    """Some elements to the first or the last tile that accesses them; that of an element depends on no other."""
    chosen = tile_to_elements.intersect_range(elements)
    if chosen.n_basic_map() <= MOST_PIECES:
        return tile_of(chosen)
    return tile_of(tile_to_elements).intersect_domain(elements)


def first_tile(tile_to_elements: isl.Map) -> isl.Map:
    """Elements to the first tile that accesses them."""
    return least(tile_to_elements.reverse())


def last_tile(tile_to_elements: isl.Map) -> isl.Map:
    """Elements to the last tile that accesses them."""
    return greatest(tile_to_elements.reverse())


def _of_array(strip_to_elements: isl.UnionMap, tiles: TiledKernel, array: Array) -> isl.Map:
    elements = element_space(tiles.kernel.parameters, array)
    return strip_to_elements.extract_map(strip_space(tiles).map_from_domain_and_range(elements))
