"""Is a load/store plan valid, and is it exact? Decided for any plan, ours or one that the user brings.

With In(T) what tile T reads and has not written before, Out(T) what it writes, and X(t < T) the union of X(t) over the
earlier tiles of the strip, Definitions 1 to 4 of [RR-7697, 3.1] are the conditions for exact kernels:

    Definition 1 (i)    In(T) \\ Out(t < T)  is contained in  Load(t <= T)
    Definition 1 (ii)   Load(T) and Out(t < T) are disjoint
    Definition 2 (i)    the strip stores what it writes
    Definition 2 (ii)   Store(T) and Out(t > T) are disjoint
    Definition 3 (ii)   Load(t <= Tmax) is the union of In(t) \\ Out(t' < t): nothing useless is loaded
    Definition 3 (iii)  Load(T) and Load(T') are disjoint: nothing is loaded twice
    Definition 4 (ii)   Store(T) and Store(T') are disjoint: nothing is stored twice

With may-accesses Theorems 3 and 4 [RR-7697, 4.1] decide on validity: In is over-approximated, Out over-approximated
where it harms and under-approximated where it helps. Exact then means exact with respect to these approximations, and
what is stored without surely being written counts as read (In' of Theorem 6).

Definition 2 (i) requires Out = Store. Two plans that differ from it are right all the same, and are accepted:

- one that leaves out dead stores, of values that nobody sees after the strip. Such a plan is valid and exact, and so is
  one that stores everything written, as the papers do;
- one that stores back an element that it has loaded and does not write, which Theorem 4 (iii) allows. Such a plan is
  valid and not exact; so is our own one when the exact computation reached its limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import islpy as isl

from loadstone.analysis import within_extents
from loadstone.model.kernel import Array
from loadstone.poly import coalesced
from loadstone.poly.enumeration import Point, sample_pair
from loadstone.poly.order import earlier, later, not_earlier
from loadstone.poly.spaces import inputs_to_parameters
from loadstone.transfer.plan import first_tile, last_tile
from loadstone.transfer.strips import in_memory, needed_writes, strip_space
from loadstone.transfer.tile_accesses import TileAccesses, array_accesses, element_space, existing_tiles, tile_space
from loadstone.transform.tiling import TiledKernel


@dataclass(frozen=True, slots=True)
class Finding:
    """A condition that a plan violates, what that means, and where: parameters, all tile coordinates, the element."""

    condition: str
    meaning: str
    array: str
    parameters: Mapping[str, int]
    tile: Mapping[str, int]
    element: Point

    def text(self) -> str:
        """The finding in words."""
        element = self.array + "".join(f"[{index}]" for index in self.element)
        tile = ", ".join(f"{name} = {value}" for name, value in self.tile.items())
        values = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        where = f" (with {values})" if values else ""
        return f"{self.condition} is violated at tile {tile}, element {element}{where}: {self.meaning}"

    def described(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {
            "condition": self.condition,
            "meaning": self.meaning,
            "array": self.array,
            "parameters": dict(self.parameters),
            "tile": dict(self.tile),
            "element": list(self.element),
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a plan is valid, whether it is exact as well, and the first violation where it is not."""

    valid: bool
    exact: bool
    finding: Finding | None

    def text(self) -> str:
        """The verdict in words."""
        judgement = "the plan is invalid" if not self.valid else "the plan is valid, but not exact"
        return f"{judgement}: {self.finding.text()}" if self.finding else "the plan is valid and exact"

    def described(self) -> dict[str, Any]:
        """The verdict as JSON."""
        return {"valid": self.valid, "exact": self.exact, "violation": self.finding and self.finding.described()}


def check_plan(tiles: TiledKernel, load: Mapping[str, isl.Map], store: Mapping[str, isl.Map]) -> Verdict:
    """The verdict on the plan of a legal tiling.

    `load` and `store` map the tiles of the strip to the elements of each array, with the outer tile coordinates as
    parameters; an array that is left out is not moved. Exact: decides the conditions for all parameters and tiles.
    """
    for moved in (load, store):
        for name in sorted(moved.keys() - tiles.kernel.arrays.keys()):
            if not moved[name].is_empty():
                return Verdict(False, False, _finding(tiles, name, "the array", UNKNOWN_ARRAY, moved[name]))
    parts = tuple(_parts(tiles, load, store))
    invalid = _first_violation(parts, VALIDITY)
    inexact = invalid or _first_violation(parts, EXACTNESS)
    return Verdict(invalid is None, inexact is None, inexact)


@dataclass(frozen=True, eq=False)
class _Part:
    """What a plan does with one array, and what the definitions need to know of the array."""

    tiles: TiledKernel
    array: Array
    load: isl.Map
    store: isl.Map
    accesses: TileAccesses
    needed: isl.Set

    @cached_property
    def first_load(self) -> isl.Map:
        """Elements to the first tile that loads them."""
        return _first(self.load)

    @cached_property
    def first_sure_write(self) -> isl.Map:
        """Elements to the first tile that surely writes them."""
        return first_tile(self.accesses.must_writes)

    @cached_property
    def first_write(self) -> isl.Map:
        """Elements to the first tile that may write them."""
        return first_tile(self.accesses.may_writes)

    @cached_property
    def last_write(self) -> isl.Map:
        """Elements to the last tile that may write them."""
        return last_tile(self.accesses.may_writes)

    @cached_property
    def remote_reads(self) -> isl.Map:
        """Tiles to the elements that they read and that no earlier tile has surely written: In(T) \\ Out(t < T)."""
        return coalesced(self.accesses.reads.subtract(after(self.first_sure_write)))

    @cached_property
    def stored_without_sure_write(self) -> isl.Map:
        """Tiles to the elements that they store though no tile has surely written them: Store(T) \\ Out(t <= T)."""
        return self.store.subtract(since(self.first_sure_write))


def after(element_to_tile: isl.Map) -> isl.Map:
    """Tiles to the elements whose tile is an earlier one: X(t < T), from the first t of each element."""
    return element_to_tile.apply_range(later(element_to_tile.range().get_space())).reverse()


def since(element_to_tile: isl.Map) -> isl.Map:
    """Tiles to the elements whose tile is no later one: X(t <= T), from the first t of each element."""
    return element_to_tile.apply_range(not_earlier(element_to_tile.range().get_space())).reverse()


def before(element_to_tile: isl.Map) -> isl.Map:
    """Tiles to the elements whose tile is a later one: X(t > T), from the last t of each element."""
    return element_to_tile.apply_range(earlier(element_to_tile.range().get_space())).reverse()


def _in_no_tile(part: _Part) -> isl.Map:
    return part.load.union(part.store).subtract_domain(existing_tiles(part.tiles))


def _outside(part: _Part) -> isl.Map:
    moved = part.load.union(part.store)
    beyond = moved.subtract_range(within_extents(part.array, moved.get_space().range()))
    return beyond.subtract_range(part.accesses.reads.range()).subtract_range(part.accesses.may_writes.range())


def _loaded_too_late_or_never(part: _Part) -> isl.Map:
    return part.remote_reads.subtract(since(part.first_load))


def _loaded_over_written(part: _Part) -> isl.Map:
    return part.load.intersect(after(part.first_write))


def _never_stored(part: _Part) -> isl.Map:
    missing = part.needed.subtract(part.store.range())
    return part.last_write.intersect_domain(missing).reverse()


def _stored_undefined(part: _Part) -> isl.Map:
    return part.stored_without_sure_write.subtract(since(part.first_load))


def _stored_too_early(part: _Part) -> isl.Map:
    return part.store.intersect(before(part.last_write))


def _loaded_in_vain(part: _Part) -> isl.Map:
    used = coalesced(part.remote_reads.range().union(part.stored_without_sure_write.range()))
    return part.load.subtract_range(used)


def _loaded_again(part: _Part) -> isl.Map:
    return _again(part.load)


def _stored_unwritten(part: _Part) -> isl.Map:
    return part.store.subtract_range(part.accesses.may_writes.range())


def _stored_again(part: _Part) -> isl.Map:
    return _again(part.store)


def _again(moved: isl.Map) -> isl.Map:
    """Tiles to the elements that an earlier tile moves as well."""
    if moved.is_injective():
        return isl.Map.empty(moved.get_space())
    return moved.subtract(first_tile(moved).reverse())


def _first(moved: isl.Map) -> isl.Map:
    """Elements to the first tile that moves them, which is the only one as a rule."""
    return moved.reverse() if moved.is_injective() else first_tile(moved)


@dataclass(frozen=True, slots=True)
class _Condition:
    """A condition: its names for exact and for approximated kernels, in words, and tiles to violating elements."""

    exact: str
    approximated: str
    meaning: str
    violations: Callable[[_Part], isl.Map]


UNKNOWN_ARRAY = "the kernel has no array of this name"

VALIDITY = (
    _Condition(
        "the tiling", "the tiling", "no instance runs in this tile, so that nothing is moved there", _in_no_tile
    ),
    _Condition("the array", "the array", "the element is outside of the array", _outside),
    _Condition(
        "Definition 1 (i)",
        "Theorem 3 (i)",
        "the tile reads the element, which no tile of the strip has surely written or loaded by then",
        _loaded_too_late_or_never,
    ),
    _Condition(
        "Definition 1 (ii)",
        "Theorem 3 (ii)",
        "the load overwrites a value that an earlier tile of the strip may have written",
        _loaded_over_written,
    ),
    _Condition(
        "Definition 2 (i)",
        "Theorem 4 (i)",
        "the tile is the last one that writes the element, and the value is seen after the strip, but never stored",
        _never_stored,
    ),
    _Condition(
        "Definition 2 (i)",
        "Theorem 4 (iii)",
        "the tile stores the element, which no tile of the strip has surely written or loaded by then",
        _stored_undefined,
    ),
    _Condition(
        "Definition 2 (ii)",
        "Theorem 4 (ii)",
        "the tile stores the element, which a later tile of the strip may write again",
        _stored_too_early,
    ),
)

EXACTNESS = (
    _Condition(
        "Definition 3 (ii)",
        "Definition 3 (ii)",
        "the load is useless: the strip does not need the value from outside",
        _loaded_in_vain,
    ),
    _Condition(
        "Definition 3 (iii)",
        "Definition 3 (iii)",
        "an earlier tile of the strip has loaded the element already",
        _loaded_again,
    ),
    _Condition(
        "Definition 2 (i)",
        "Definition 2 (i)",
        "the store is useless: the strip does not write the element",
        _stored_unwritten,
    ),
    _Condition(
        "Definition 4 (ii)",
        "Definition 4 (ii)",
        "an earlier tile of the strip has stored the element already",
        _stored_again,
    ),
)


def _first_violation(parts: tuple[_Part, ...], conditions: tuple[_Condition, ...]) -> Finding | None:
    for condition in conditions:
        for part in parts:
            found = condition.violations(part)
            if not found.is_empty():
                name = condition.exact if part.tiles.kernel.exact else condition.approximated
                return _finding(part.tiles, part.array.name, name, condition.meaning, found)
    return None


def _parts(tiles: TiledKernel, load: Mapping[str, isl.Map], store: Mapping[str, isl.Map]) -> Iterator[_Part]:
    needed = needed_writes(tiles)
    for array in tiles.kernel.arrays.values():
        loaded, stored = (_moved(tiles, array, moved) for moved in (load, store))
        if in_memory(array) or not loaded.union(stored).is_empty():
            accesses = array_accesses(tiles, array)
            yield _Part(tiles, array, loaded, stored, accesses, _needed(tiles, array, needed, accesses))


def _moved(tiles: TiledKernel, array: Array, moved: Mapping[str, isl.Map]) -> isl.Map:
    space = tile_space(tiles, array)
    found = moved.get(array.name, isl.Map.empty(space))
    return found.align_params(space).intersect_params(tiles.kernel.context)


def _needed(tiles: TiledKernel, array: Array, needed: isl.UnionMap, accesses: TileAccesses) -> isl.Set:
    """The elements that the strip must store: all that it may write of a scalar that could have stayed a register."""
    if not in_memory(array):
        return accesses.may_writes.range()
    space = strip_space(tiles).map_from_domain_and_range(element_space(tiles.kernel.parameters, array))
    return inputs_to_parameters(needed.extract_map(space), tiles.outer)


def _finding(tiles: TiledKernel, array: str, condition: str, meaning: str, violations: isl.Map) -> Finding:
    values, inner, element = sample_pair(violations)
    outer = {name: values.pop(name) for name in tiles.outer if name in values}
    return Finding(condition, meaning, array, values, {**outer, **dict(zip(tiles.inner, inner, strict=False))}, element)
