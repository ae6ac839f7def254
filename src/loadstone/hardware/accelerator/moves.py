"""What a mover hands on to its engine: elements with their addresses and cells, and records that end a tile.

A queue with registers on both sides stands between them, so that no path leads from a controller through an engine and
back. Where strides follow parameters, registers behind it take rows times strides, and the address with these. The last
register tells whether an element is next to the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

from loadstone.hardware.accelerator.external import External, Place
from loadstone.hardware.accelerator.mover import ROW, Mover
from loadstone.hardware.datapath.pipeline import address_type
from loadstone.hardware.layout import ArrayLayout, ArrayLayouts
from loadstone.loops.tile_loops import MARKERS
from loadstone.rtl.conditions import any_of, mux, one_hot_mux
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.record import Record
from loadstone.rtl.types import address_width, bit, unsigned

MOVES, TOLD = 2, 2
"""How many moves the queue holds, and how many the last registers, through which no path leads back."""


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The oldest move: whether it is an element, or the end of a tile; the array by number, the address, and the cell.

    Where several elements move at once, these are those of the first, and `count` says how many there are. An element
    that `follows` is next to the one before it in external memory. `taken` is the wire that takes the move, `is_there`
    says that some move is on its way.
    """

    is_element: Signal
    end_of_tile: Signal
    number: Signal
    address: Signal
    cell: Signal
    count: Value
    follows: Signal
    taken: Signal
    numbers: Mapping[str, int]
    is_there: Value

    @property
    def place(self) -> Place:
        """Where the element is."""
        return Place(self.address, self.count, self.follows, self.arrays)

    @property
    def arrays(self) -> dict[str, Value]:
        """Of which array it is."""
        return {name: self.number == number for name, number in self.numbers.items()}

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
    fields = {"end_of_tile": bit, "number": number_type, "address": external.top.bus.address, "cell": cells}
    counts = unsigned(external.beats.most.bit_length())
    record = Record(fields | ({"count": counts} if external.beats.most > 1 else {}))
    number = one_hot_mux([(mover.elements[name].wanted, const(k, number_type)) for name, k in numbers.items()])
    at_end, taken = mover.at[MARKERS.tile_end], m.wire(names.fresh(f"{title}_taken"), bit)
    move: dict[str, Value] = {
        "end_of_tile": at_end,
        "number": number.wrapped(number_type),
        "address": external.address(mover),
        "cell": mover.cell(stores, copy).wrapped(cells),
    }
    if "count" in record.fields:
        move["count"] = mover.count.wrapped(counts)
    stands = any_of(at_end, *(element.wanted for element in mover.elements.values()))
    passes = m.wire(names.fresh(f"{title}_passes"), bit)
    room, waits, shown, found = _queued(external, title, mover, record, stands, move, passes, numbers)
    follows = _follows(external, title, found, shown & passes, numbers)
    record = Record({**record.fields, "follows": bit})
    told = names.queue(f"{title}_told", TOLD, shown, record.made(**found, follows=follows), taken)
    m.assign(passes, told.room)
    is_there, valid, parts = waits | told.valid, told.valid, record.unpacked(told.data)
    m.assign(mover.passes[MARKERS.tile_end], at_end & room)
    for element in mover.elements.values():
        m.assign(element.goes, element.wanted & room)
    end_of_tile, number, address, cell = (parts[name] for name in fields)
    return Moves(
        names.wire(f"{title}_element", valid & ~end_of_tile),
        names.wire(f"{title}_end_of_tile", valid & end_of_tile),
        names.wire(f"{title}_number", number),
        names.wire(f"{title}_address", address),
        names.wire(f"{title}_cell", cell),
        names.wire(f"{title}_count", parts["count"]) if "count" in parts else const(1),
        names.wire(f"{title}_follows", parts["follows"]),
        taken,
        numbers,
        is_there,
    )


def _queued(
    external: External,
    title: str,
    mover: Mover,
    record: Record,
    stands: Value,
    move: Mapping[str, Value],
    taken: Signal,
    numbers: Mapping[str, int],
) -> tuple[Signal, Value, Signal, dict[str, Value]]:
    """Puts moves into a queue, and their whole addresses into a register.

    Whether there is room for a move, whether there is one, whether it is shown, and what is shown of it.
    """
    names, rows = external.names, _rows(mover)
    if not rows:
        queue = names.queue(f"{title}_moves", MOVES, stands, record.made(**move), taken)
        return queue.room, queue.valid, queue.valid, record.unpacked(queue.data)
    advances = names.module.wire(names.fresh(f"{title}_advances"), bit)
    whole = Record({**record.fields, **{name: row.bits for name, row in rows.items()}})
    queue = names.queue(f"{title}_moves", MOVES, stands, whole.made(**move, **rows), advances)
    parts = whole.unpacked(queue.data)
    offsets = _offsets(external, mover, {name: parts.pop(name) for name in rows}, parts["number"], numbers)
    products = {name: offset.wrapped(external.top.bus.address) for name, offset in zip(rows, offsets, strict=True)}
    scaled = Record({**record.fields, **{name: offset.bits for name, offset in products.items()}})
    sums = names.module.wire(names.fresh(f"{title}_sums"), bit)
    multiplied = names.queue(f"{title}_scaled", 1, queue.valid, scaled.made(**parts, **products), sums)
    parts = scaled.unpacked(multiplied.data)
    terms = [parts.pop(name) for name in rows]
    address = reduce(lambda total, term: total + term, terms, parts["address"]).wrapped(record.fields["address"])
    placed = names.queue(f"{title}_placed", 1, multiplied.valid, record.made(**{**parts, "address": address}), taken)
    names.module.assign(advances, multiplied.room)
    names.module.assign(sums, placed.room)
    waits = queue.valid | multiplied.valid | placed.valid
    return queue.room, waits, placed.valid, record.unpacked(placed.data)


def _follows(
    external: External, title: str, move: Mapping[str, Value], passes: Value, numbers: Mapping[str, int]
) -> Value:
    """Whether an element is next to the one before it, which passed before."""
    m, names = external.names.module, external.names
    following = names.register(f"{title}_following", external.top.bus.address, "behind the element before")
    arrays = {name: move["number"] == number for name, number in numbers.items()}
    step = external.step(arrays, move.get("count", const(1)))
    with m.clocked(), m.when(passes & ~move["end_of_tile"]):
        m.assign(following, (move["address"] + step).wrapped(following.bits))
    return move["address"] == following


def _rows(mover: Mover) -> dict[str, Value]:
    """The rows of the element at which a mover stands, by name; anything where its array has fewer."""
    elements = mover.elements.values()
    found: dict[str, Value] = {}
    for k in range(max((len(each.rows) for each in elements), default=0)):
        rows = [(each.wanted, each.rows[k]) for each in elements if k < len(each.rows)]
        found[f"{ROW}_{k}"] = one_hot_mux(rows).wrapped(unsigned(max(row.width for _, row in rows)))
    return found


def _offsets(
    external: External, mover: Mover, rows: Mapping[str, Value], number: Value, numbers: Mapping[str, int]
) -> Iterator[Value]:
    """Rows times strides, in bytes; the stride is 0 where an array has fewer rows."""
    strides = {name: external.strides.of(name) for name in mover.arrays}
    for k, row in enumerate(rows.values()):
        stride: Value = const(0)
        for name, each in strides.items():
            if k < len(each):
                stride = mux(number == numbers[name], each[k] << external.shift(name), stride)
        yield row * stride
