"""What a mover hands on to its engine: elements with their addresses and cells, and records that end a tile.

A queue with registers on both sides stands between them, so that no path leads from a controller through an engine and
back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.hardware.accelerator.external import External, Place
from loadstone.hardware.accelerator.mover import Mover
from loadstone.hardware.datapath.pipeline import address_type
from loadstone.hardware.layout import ArrayLayout, ArrayLayouts
from loadstone.loops.tile_loops import MARKERS
from loadstone.rtl.conditions import any_of, one_hot_mux
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.record import Record
from loadstone.rtl.types import address_width, bit, unsigned

MOVES = 2
"""How many moves the queue holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The oldest move: whether it is an element, or the end of a tile; the array by number, the address, and the cell.

    `taken` is the wire that takes it.
    """

    is_element: Signal
    end_of_tile: Signal
    number: Signal
    address: Signal
    cell: Signal
    taken: Signal
    numbers: Mapping[str, int]

    @property
    def is_there(self) -> Value:
        """Whether there is a move."""
        return self.is_element | self.end_of_tile

    @property
    def place(self) -> Place:
        """Where the element is."""
        return Place(self.address, {name: self.number == number for name, number in self.numbers.items()})

    def is_of(self, array: str) -> Value:
        """Whether it is an element of an array."""
        return self.is_element & (self.number == self.numbers[array])

    def cell_in(self, store: ArrayLayout) -> Value:
        """The cell as an address of a memory."""
        return self.cell.wrapped(address_type(store))


def add_moves(external: External, title: str, mover: Mover, stores: ArrayLayouts, copy: Signal) -> Moves:
    """The queue behind a mover, whose cells are in a copy of memories that have two."""
    names, m = external.names, external.names.module
    numbers = {name: number for number, name in enumerate(mover.arrays)}
    cells = unsigned(address_width(max([2, *(stores[name].depth for name in mover.arrays)])))
    number_type = unsigned(address_width(max(2, len(numbers))))
    record = Record({"end_of_tile": bit, "number": number_type, "address": external.top.bus.address, "cell": cells})
    number = one_hot_mux([(mover.elements[name].wanted, const(k, number_type)) for name, k in numbers.items()])
    at_end, taken = mover.at[MARKERS.tile_end], m.wire(names.fresh(f"{title}_taken"), bit)
    move = record.made(
        end_of_tile=at_end,
        number=number.wrapped(number_type),
        address=external.address(mover),
        cell=mover.cell(stores, copy).wrapped(cells),
    )
    stands = any_of(at_end, *(element.wanted for element in mover.elements.values()))
    queue = names.queue(f"{title}_moves", MOVES, stands, move, taken)
    m.assign(mover.passes[MARKERS.tile_end], at_end & queue.room)
    for element in mover.elements.values():
        m.assign(element.goes, element.wanted & queue.room)
    end_of_tile, number, address, cell = record.unpacked(queue.data).values()
    return Moves(
        names.wire(f"{title}_element", queue.valid & ~end_of_tile),
        names.wire(f"{title}_end_of_tile", queue.valid & end_of_tile),
        names.wire(f"{title}_number", number),
        names.wire(f"{title}_address", address),
        names.wire(f"{title}_cell", cell),
        taken,
        numbers,
    )
