"""The loops of the processes of an accelerator: over strips and tiles, with markers where they wait for each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import islpy as isl

from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.loops.accelerator import STRIP, TILE, Accelerator, loops_over
from loadstone.loops.model import Block, For, If, Instance, Node, mapped, walk, with_children, with_instances
from loadstone.loops.scan import Row, largest, rows, short_test, smallest
from loadstone.loops.slices import sliced
from loadstone.loops.verification import visits_all
from loadstone.model.expression import Expression, Variable, binary, integer, substituted
from loadstone.model.types import INT
from loadstone.poly import coalesced, renamed_dims
from loadstone.poly.dimensions import first_coordinates, only_parameters
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.linear import variable_names
from loadstone.poly.spaces import Dim, inputs_to_parameters
from loadstone.transfer.plan import Plan
from loadstone.transfer.tile_accesses import existing_tiles
from loadstone.transform.tiling import TiledKernel


@dataclass(frozen=True, slots=True)
class Markers:
    """The names of the places where processes wait; no name of a source has spaces."""

    strip_begin: str = "strip begin"
    tile_begin: str = "tile begin"
    tile_end: str = "tile end"
    strip_end: str = "strip end"

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return self.strip_begin, self.tile_begin, self.tile_end, self.strip_end


MARKERS = Markers()


def process_loops(accelerator: Accelerator, body: Node) -> Node:
    """The loops of a process that executes a body in each tile; the body is a function of the tile coordinates."""
    tiles = accelerator.plan.tiles
    in_tile = _between(MARKERS.tile_begin, body, MARKERS.tile_end)
    in_strip = _filled(accelerator.tiles, TILE, _with_values(in_tile, tiles.inner))
    whole = _between(MARKERS.strip_begin, in_strip, MARKERS.strip_end)
    return _filled(accelerator.strips, STRIP, _with_values(whole, tiles.outer))


def _between(first: str, body: Node, last: str) -> Node:
    return Block((Instance(first, ()), body, Instance(last, ())))


def with_registers(body: Node) -> Node:
    """What is executed in a tile, with the cycles that these registers take as empty blocks."""
    return Block((Block(()), body, Block(()))) if isinstance(body, For) else with_children(body, with_registers)


def _with_values(body: Node, names: Sequence[str]) -> Callable[[Instance], Node]:
    """The body for the values that an instance gives to names."""

    def filled(instance: Instance) -> Node:
        values = dict(zip(names, instance.arguments, strict=True))

        def change(expression: Expression) -> Expression:
            return substituted(expression, values)

        return mapped(body, change)

    return filled


def _filled(tree: Node, name: str, body: Callable[[Instance], Node]) -> Node:
    """The tree with a body in place of the instances of a name."""
    return with_instances(tree, lambda instance: body(instance) if instance.statement == name else instance)


MOVE_LIMIT = 4_000_000
"""The isl operations for the loops over what tiles move of an array; all examples but one take less than 250,000."""


ROW_LIMIT = 8_000_000
"""The isl operations for loops along the rows of an array."""


@lru_cache(maxsize=16)
def move_loops(accelerator: Accelerator, verb: str) -> Node:
    """The loops over what a tile loads or stores, arrays one after the other; instances are elements of an array.

    They are kept for a while: hardware and predictions of an accelerator share them.
    """
    moved = accelerator.loaded if verb == "load" else accelerator.stored
    return Block(tuple(array_moves(accelerator, verb, name) for name in accelerator.plan.arrays if name in moved))


def array_moves(accelerator: Accelerator, verb: str, name: str) -> Node:
    """The loops over what a tile loads or stores of an array; raises `UnsupportedError` if they are too complicated."""
    part = accelerator.plan.arrays[name]
    return _moves(accelerator.plan.tiles, name, part.load if verb == "load" else part.store)


def sliced_moves(accelerator: Accelerator, verb: str, sizes: Mapping[str, int]) -> Node:
    """The loops over what a tile loads or stores, slice by slice in arrays that have a size."""
    loops = move_loops(accelerator, verb)
    return sliced(loops, sizes, existing_coordinates(accelerator.plan.tiles)) if sizes else loops


def existing_coordinates(tiles: TiledKernel) -> isl.Set:
    """The coordinates of tiles, as parameters."""
    return inputs_to_parameters(isl.Map.from_domain(existing_tiles(tiles)), tiles.inner).params()


def has_move_loops(plan: Plan) -> bool:
    """Whether loops over what tiles move are found for all arrays."""
    moves = ((name, move) for name, part in plan.arrays.items() for move in (part.load, part.store))
    try:
        for name, move in moves:
            if not move.is_empty():
                _moves(plan.tiles, name, move)
    except UnsupportedError:
        return False
    return True


@lru_cache(maxsize=64)
def _moves(tiles: TiledKernel, name: str, move: isl.Map) -> Node:
    """Loops over the elements of an array that a tile moves, row by row."""
    named, array = renamed_dims(move, tiles.inner, Dim.in_), tiles.kernel.arrays[name]
    context, iterators = existing_coordinates(tiles), [f"{name}_{k}" for k in range(array.rank)]
    try:
        with operation_limit(MOVE_LIMIT):
            elements = inputs_to_parameters(named, tiles.inner).coalesce()
            loops = loops_over(elements, name, iterators, context)
    except LimitReached:
        hint = "other tile sizes, or more tile loops in a strip, may be simpler"
        text = f"what tiles move of '{name}' is too complicated for hardware"
        raise UnsupportedError(Diagnostic(text, array.span, hint)) from None
    return _from_first_to_last(loops, elements, iterators, context)


def _from_first_to_last(loops: Node, elements: isl.Set, iterators: Sequence[str], context: isl.Set) -> Node:
    """Loops from the first to the last element of each row, and of each row of rows, in place of loops of isl.

    Those go along what is around the elements of all tiles, with conditions inside. They remain for tiles in which some
    row has gaps.
    """
    if not any(isinstance(part, If) for loop in walk(loops) if isinstance(loop, For) for part in walk(loop)):
        return loops
    try:
        with operation_limit(ROW_LIMIT):
            found = _solid_loops(loops, coalesced(elements.intersect_params(context)), iterators, context)
    except (LimitReached, isl.Error):
        return loops
    dates = elements.identity().reset_tuple_id(Dim.in_).set_tuple_name(Dim.in_, elements.get_tuple_name())
    return found if visits_all(found, dates.to_union_map().intersect_params(context), context) else loops


def _solid_loops(loops: Node, elements: isl.Set, iterators: Sequence[str], context: isl.Set) -> Node:
    """The loops from first to last elements where rows have no gaps, and some row has several elements."""
    *above, row = rows(elements.reset_tuple_id(), iterators)
    if _are_usual(row.gaps, context) and any(_are_usual(each.gaps, context) for each in above):
        return loops
    gaps = only_parameters(row.gaps, variable_names(context.get_space()))
    solid = context.subtract(gaps).coalesce()
    if row.without(gaps).is_single:
        return loops
    found = _around(row, elements, iterators, context, _instance(elements, iterators))
    return found if context.is_subset(solid) else If(short_test(solid, context), found, loops)


def _are_usual(gaps: isl.Set, context: isl.Set) -> bool:
    """Whether there are gaps in tiles that no equation tells apart, so that many tiles differ by the widths of gaps."""
    pieces = only_parameters(gaps, variable_names(context.get_space())).coalesce().get_basic_sets()
    return not all(any(each.is_equality() for each in piece.get_constraints()) for piece in pieces)


def _around(row: Row, elements: isl.Set, iterators: Sequence[str], context: isl.Set, body: Node) -> Node:
    """Loops over rows of elements, with one from the first to the last element of a row around a body."""
    *outer, last = iterators
    end = binary("<=", Variable(last, INT), largest(row.values))
    along = For(last, smallest(row.values), end, integer(1), body)
    if not outer:
        some = elements.params()
        return along if context.is_subset(some) else If(short_test(some, context), along, None)
    prefixes = coalesced(first_coordinates(elements, len(outer)))
    try:
        with operation_limit(ROW_LIMIT):
            above = rows(prefixes, outer)[-1]
            inside = along if above.gaps.is_empty() else If(above.test, along, None)
            return _around(above, prefixes, outer, context, inside)
    except (LimitReached, isl.Error):
        name = elements.get_tuple_name() or ""
        around = loops_over(prefixes.set_tuple_name(name), name, outer, context)
        return _filled(around, name, _with_values(along, outer))


def _instance(elements: isl.Set, iterators: Sequence[str]) -> Instance:
    return Instance(elements.get_tuple_name(), tuple(Variable(each, INT) for each in iterators))
