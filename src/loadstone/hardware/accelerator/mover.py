"""Movers: controllers that walk through what the tiles of an accelerator load or store.

In each step they stand at an element, or at a slice of a row [loops/slices.py].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from loadstone.hardware.compute.calls import exact
from loadstone.hardware.control.controller import Options, Registers, make_controller
from loadstone.hardware.control.interface import standing
from loadstone.hardware.datapath.pipeline import address_type
from loadstone.hardware.layout import ArrayLayouts, PackedLayout, PackedLayouts
from loadstone.hardware.names import Names
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.model import Block, For, Instance, Node, children, with_instances
from loadstone.loops.paths import Path, places
from loadstone.loops.paths import statements as statements_of
from loadstone.loops.ranges import Ranges
from loadstone.loops.tile_loops import MARKERS, process_loops, sliced_moves
from loadstone.model.expression import binary
from loadstone.rtl.conditions import one_hot_mux
from loadstone.rtl.expressions import Signal, Value, cat, const
from loadstone.rtl.types import bit

PLACE, CELL, COUNT, ROW = "place", "cell", "count", "row"
"""The arguments of an element: its place in external memory, in elements of its array, and its cell in the buffer.

Those of a slice are the arguments of its first element, and the number of its elements. Subscripts whose strides change
with parameters are arguments of their own, one for each, and not in the place.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """The current element or slice of a mover: valid flag, place, cell, count, rows, and the wire that advances it."""

    wanted: Signal
    place: Signal
    cell: Signal
    count: Value
    rows: tuple[Signal, ...]
    goes: Signal


class Mover:
    """A mover in a module: its elements by array, and the markers at which it stands (`at`) until it is passed on."""

    def __init__(
        self,
        names: Names,
        title: str,
        accelerator: Accelerator,
        stores: tuple[PackedLayouts, ArrayLayouts],
        ranges: Ranges,
        parameters: Mapping[str, Signal],
        begin: Signal,
        sizes: Mapping[str, int],
    ) -> None:
        tree = _addressed(process_loops(accelerator, sliced_moves(accelerator, title, sizes)), *stores, sizes)
        self.arrays = tuple(name for name in statements_of(tree) if name not in MARKERS.names)
        counts = {name: (COUNT,) if name in sizes else () for name in self.arrays}
        arguments = {name: (PLACE, CELL, *counts[name], *_row_names(stores[0][name])) for name in self.arrays}
        options = replace(tile_options(tree), arguments=arguments)
        module, context = f"{names.module.name}_{title}", accelerator.kernel.context
        controller = make_controller(module, tree, ranges.limits, options, context)
        self._goes = {name: names.module.wire(names.fresh(f"{title}_{name}_goes"), bit) for name in statements_of(tree)}
        control = controller.added(names, f"{title}_control", begin, parameters, self._goes)
        self.last = control["last"]
        wanted = {
            name: standing(names, f"{title}_{name}", control[controller.port(name, "start")], goes)
            for name, goes in self._goes.items()
        }
        self.at = {name: wanted[name] for name in MARKERS.names if name in wanted}
        self.passes = {name: self._goes[name] for name in self.at}
        self.elements = {
            name: Element(
                wanted[name],
                control[controller.port(name, PLACE)],
                control[controller.port(name, CELL)],
                control[controller.port(name, COUNT)] if name in sizes else const(1),
                tuple(control[controller.port(name, row)] for row in _row_names(stores[0][name])),
                self._goes[name],
            )
            for name in self.arrays
        }

    def cell(self, stores: ArrayLayouts, copy: Signal) -> Value:
        """The cell of the element at which it stands, in a copy of its memory."""
        return one_hot_mux(
            [(element.wanted, self.cell_of(name, stores, copy)) for name, element in self.elements.items()]
        )

    @property
    def count(self) -> Value:
        """The number of elements at which it stands."""
        return one_hot_mux([(element.wanted, element.count) for element in self.elements.values()])

    def cell_of(self, name: str, stores: ArrayLayouts, copy: Signal) -> Value:
        """The cell of an element of an array, in a copy of its memory where that has two."""
        store = stores[name]
        cell = self.elements[name].cell.wrapped(address_type(store, one_copy=True))
        return cat(copy, cell) if store.copies > 1 else cell


def _row_names(layout: PackedLayout) -> tuple[str, ...]:
    return tuple(f"{ROW}_{k}" for k in range(len(layout.moving)))


def _addressed(tree: Node, external: PackedLayouts, inside: ArrayLayouts, sizes: Mapping[str, int]) -> Node:
    """The loops with places, cells, counts and rows of elements or slices instead of their subscripts."""

    def placed(instance: Instance) -> Instance:
        name, subscripts, counts = instance.statement, instance.arguments, ()
        if name in MARKERS.names:
            return instance
        if name in sizes:
            *outer, first, begin, count = subscripts
            subscripts, counts = (*outer, first), (count,)
            cell = binary("+", inside[name].address((*outer, begin)), binary("-", first, begin))
        else:
            cell = inside[name].address(subscripts)
        arguments = (external[name].address(subscripts), cell, *counts, *external[name].rows(subscripts))
        return Instance(name, tuple(map(exact, arguments)))

    return with_instances(tree, placed)


def tile_options(tree: Node) -> Options:
    """How the controllers of processes are built: with registers for values of parameters, and around loops in tiles.

    The latter are around the outermost of them: what these need of coordinates is ready when they begin.
    """
    bodies = [
        ((*path, 1), node.items[1])
        for path, node in places(tree)
        if isinstance(node, Block) and node.items[:1] == (Instance(MARKERS.tile_begin, ()),)
    ]
    above = {path: Registers(1, 1) for place, body in bodies for path in _outermost_loops(body, place)}
    return Options(above=above, steady=True)


def _outermost_loops(node: Node, path: Path) -> Iterator[Path]:
    """The paths of loops that are in no other."""
    if isinstance(node, For):
        yield path
        return
    for position, child in enumerate(children(node)):
        yield from _outermost_loops(child, (*path, position))
