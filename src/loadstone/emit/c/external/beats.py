"""Beats in HLS C++: whole words of the bus between rows in external memory and banks of local memory.

    for (x = first; x <= last; x++)         for (k = 0; k < beats; k++)
      local[cell(x)] = a[row + x];    ->      #pragma HLS pipeline II=1
                                              word = a[first_beat + k];
                                              for (bank = 0; bank < B; bank++)
                                                #pragma HLS unroll
                                                if (first <= x && x <= last)
                                                  local[cell(x)][bank] = word[lane];

where `lane` is the element of the beat that belongs in a bank, and `x` its last subscript. Loads may read elements
beside the row. Stores keep them: the first and the last beat of a row are read before, where the row does not fill
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import islpy as isl

from loadstone.errors import UnsupportedError
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.compiled_walk import growths
from loadstone.loops.facts import range_of
from loadstone.loops.model import For, Instance, Node, children, with_children
from loadstone.loops.ranges import Limits, Ranges
from loadstone.loops.slices import is_row
from loadstone.loops.tile_loops import array_moves
from loadstone.model.expression import substituted
from loadstone.model.kernel import Array
from loadstone.model.tidy import tidy
from loadstone.model.types import BOOL
from loadstone.parallel.beats import APART, Beats, find_beats
from loadstone.parallel.lanes import Lanes

NOT_ALL_ROWS = "not all of its elements are moved in loops along rows"
IN_PARTS = "its local memory is in parts, which have no banks"
BITS = "truth values do not fill the bytes of a beat"


def program_beats(
    accelerator: Accelerator, limits: Mapping[str, Limits], lanes: Lanes, width: int
) -> tuple[Beats, Lanes]:
    """The elements of each array that move at once over a bus of some bits, and lanes with their banks."""
    fits = {array.name: max(1, width // array.type.bits) for array in accelerator.transferred}
    obstacles = {array.name: _obstacle(accelerator, array) for array in accelerator.transferred}
    alone = {name: reason for name, reason in obstacles.items() if reason and fits[name] > 1}
    wide = {name: 1 if name in alone else count for name, count in fits.items()}
    if all(count == 1 for count in wide.values()):
        return Beats(fits, wide, alone), lanes
    rest = {name: count for name, count in wide.items() if count > 1}
    found, banked = find_beats(accelerator, Ranges(accelerator.kernel, limits), lanes, rest, frozenset())
    return Beats(fits, {**wide, **found.sizes}, {**alone, **found.reasons}), banked


def _obstacle(accelerator: Accelerator, array: Array) -> str:
    """Why an array cannot move in beats."""
    if array.record is not None:
        return APART
    if array.type == BOOL:
        return BITS
    if accelerator.buffers[array.name].parts:
        return IN_PARTS
    moved = {"load": accelerator.loaded, "store": accelerator.stored}
    try:
        loops = [array_moves(accelerator, verb, array.name) for verb, names in moved.items() if array.name in names]
    except UnsupportedError:
        return NOT_ALL_ROWS
    return "" if all(row_loops(each) is not None for each in loops) else NOT_ALL_ROWS


def row_loops(node: Node) -> Node | None:
    """Loops over the rows of what they visit, whose instances have the first and the last subscript of a row instead.

    None where some instance is not in a loop along a row.
    """
    match node:
        case Instance():
            return None
        case For(body=Instance() as instance) if is_row(growths(node) or ()):
            return _row(node, instance)
        case _:
            inner = {id(child): row_loops(child) for child in children(node)}
            return None if None in inner.values() else with_children(node, lambda child: inner[id(child)] or child)


def _row(loop: For, instance: Instance) -> Instance | None:
    span = range_of(loop, isl.Set("{ : }"))
    if span is None or span.step != 1:
        return None
    *outer, last = instance.arguments
    first, final = (tidy(substituted(last, {span.iterator: end})) for end in (span.start, span.last))
    around = (tidy(substituted(each, {span.iterator: span.start})) for each in outer)
    return replace(instance, arguments=(*around, first, final))
