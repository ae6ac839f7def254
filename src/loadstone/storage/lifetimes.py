"""Which elements of an array share a strip's local memory at the same time.

The processes run tile by tile: L(n), C(n) and S(n) load, compute and store tile number n, each process in order, C(n)
after L(n), S(n) after C(n), and L(n) after S(n - D) for D tiles in flight. With D = 2 this is theta_db [RR-7648, Fig. 7
and 8]. Inside of a tile everything counts as simultaneous, so that elements of one tile conflict; the published
conflict set needs equal dates to conflict, too. An element lives from its load, or from C of the first tile that
touches it, to C of the last tile that touches it, and to its store if it has one. Element x is surely gone when y
appears, if

    y is loaded, and L of its tile is at least D tiles after the last tile of x, or
    y is not loaded, and its first tile is after the last tile of x, and at least D tiles after the store of x.

All relations map tiles of the strip to elements, with the outer tile coordinates as parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import islpy as isl

from loadstone.model.kernel import Array
from loadstone.poly import coalesced, fixed
from loadstone.poly.order import not_earlier
from loadstone.poly.spaces import Dim, inputs_to_parameters, without_parameters_below
from loadstone.storage.tile_order import at_most_after
from loadstone.transfer.plan import ArrayPlan
from loadstone.transfer.tile_accesses import existing_tiles, tile_to_touched
from loadstone.transform.tiling import TiledKernel

FEW_PIECES = 4
LEAST_OF_TYPES = 1 << 14
"""Parameters that are less than this are bounded by the user, others by the type of a counter or an address."""
MOST_CONSTRAINTS = 150


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """The life of an array's elements in a strip with `depth` tiles in flight.

    `existing`: the tiles of the strip. `held`: tiles to the elements in local memory while they run. `store`: tiles to
    the elements they store. `loaded`: the elements loaded by the strip.
    """

    existing: isl.Set
    held: isl.Map
    loaded: isl.Set
    store: isl.Map
    depth: int

    @cached_property
    def live(self) -> isl.Map:
        """Tiles to the elements that are held in them or before, and in them or afterwards."""
        return coalesced(self._appeared.intersect(self._since(self.held)))

    @cached_property
    def unstored(self) -> isl.Map:
        """Tiles to the elements that are held in them or before, and are stored by them or afterwards."""
        return coalesced(self._appeared.intersect(self._since(self.store)))

    @cached_property
    def _appeared(self) -> isl.Map:
        backwards = not_earlier(self.existing.get_space()).reverse().intersect_domain(self.existing)
        return coalesced(backwards.apply_range(self.held))

    def _since(self, tile_to_elements: isl.Map) -> isl.Map:
        onwards = not_earlier(self.existing.get_space()).intersect_domain(self.existing)
        return coalesced(onwards.apply_range(tile_to_elements))

    def conflicts(self) -> isl.Map:
        """Pairs of elements, the first of which may still be alive when the second appears or is already there."""
        brought, computed = self.live.intersect_range(self.loaded), self.live.subtract_range(self.loaded)
        pairs = self.live.reverse().apply_range(self._soon.apply_range(brought))
        pairs = pairs.union(self.live.reverse().apply_range(computed))
        return pairs.union(self.unstored.reverse().apply_range(self._soon.apply_range(computed)))

    def neighbours(self) -> isl.Map:
        """Tiles to the pairs of an element that is alive in them and one that may be there by then.

        All conflicts are among these pairs; there may be more.
        """
        return _in_few_pieces(self.live).range_product(_in_few_pieces(self._soon.apply_range(self.live)))

    @cached_property
    def _soon(self) -> isl.Map:
        """Tiles to themselves and the tiles that may be in flight with them."""
        return at_most_after(self.existing, self.depth - 1).intersect(not_earlier(self.existing.get_space()))


def lifetimes(tiles: TiledKernel, array: Array, part: ArrayPlan, depth: int) -> Lifetimes:
    """The lifetimes of an array's elements in the strips of a plan."""
    held = tile_to_touched(tiles, array)
    if part.coarse:
        held = coalesced(held.union(part.load).union(part.store))
    loaded = inputs_to_parameters(part.strip_to_loaded, tiles.outer)
    return Lifetimes(existing_tiles(tiles), held, loaded, part.store, depth)


def texts(life: Lifetimes) -> tuple[str, ...]:
    """Lifetimes without the name of the array as text."""
    relations = (life.held.reset_tuple_id(Dim.out), life.loaded.reset_tuple_id(), life.store.reset_tuple_id(Dim.out))
    return (*map(str, (life.existing, *relations)), str(life.depth))


def is_small(life: Lifetimes) -> bool:
    """Whether relations between elements can be computed in a short time: projections grow with the constraints."""
    constraints = sum(piece.n_constraint() for piece in life.live.get_basic_maps())
    pieces = max(1, life.loaded.n_basic_set(), life.store.n_basic_map())
    return constraints * pieces <= MOST_CONSTRAINTS


def for_parameters(life: Lifetimes, values: Mapping[str, int]) -> Lifetimes:
    """The lifetimes with parameters (outer tile coordinates are such, too) set to numbers."""
    return Lifetimes(
        fixed(life.existing, values),
        fixed(life.held, values),
        fixed(life.loaded, values),
        fixed(life.store, values),
        life.depth,
    )


def beyond_types(life: Lifetimes, context: isl.Set) -> Lifetimes:
    """Lifetimes that also hold for parameters beyond the ranges of types.

    A parameter that is less than 32,768 because a counter is a `short` would bound differences by that number, which
    no memory has room for; they grow with the parameter. Bounds that are smaller stay.
    """
    wide = without_parameters_below(context, LEAST_OF_TYPES)
    return Lifetimes(
        life.existing.gist_params(wide),
        life.held.gist_params(wide),
        life.loaded.gist_params(wide),
        life.store.gist_params(wide),
        life.depth,
    )


def within(life: Lifetimes, elements: isl.Set) -> Lifetimes:
    """The lifetimes of some of the elements."""
    return replace(
        life,
        held=life.held.intersect_range(elements),
        loaded=life.loaded.intersect(elements),
        store=life.store.intersect_range(elements),
    )


def longer(life: Lifetimes) -> Lifetimes:
    """Lifetimes in few pieces that hold at least the same elements for at least as long.

    All elements count as loaded, which makes them appear in local memory as early as the pipeline allows.
    """
    held = _in_few_pieces(life.held)
    nothing = isl.Map.empty(life.store.get_space())
    return replace(life, held=held, loaded=isl.Set.universe(held.get_space().range()), store=nothing)


def _in_few_pieces(value: isl.Map) -> isl.Map:
    """The relation, or a convex one around it where it has many pieces."""
    return value if value.n_basic_map() <= FEW_PIECES else value.simple_hull().to_map()
