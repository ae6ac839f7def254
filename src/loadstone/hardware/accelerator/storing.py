"""The store engine: it reads the cells of results in cycles without a datapath read, and writes them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadstone.hardware.accelerator.external import External
from loadstone.hardware.accelerator.mover import Mover
from loadstone.hardware.accelerator.moves import Moves, add_moves
from loadstone.hardware.accelerator.slices import Slices, bank_flags, stands_in_the_way
from loadstone.hardware.compute.engine import Ask, Engine
from loadstone.hardware.layout import ArrayLayout
from loadstone.rtl.conditions import any_of, one_hot_mux
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Instance
from loadstone.rtl.record import Record
from loadstone.rtl.types import bit, unsigned

WAITING = 256
"""How many elements can wait to be written to external memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Storing:
    """The store engine: reads of cells by array; whether a tile was read, how many elements leave, and all is written.

    `writer` is its master.
    """

    reads: Mapping[str, Sequence[Ask]]
    tile_stored: Signal
    leaves: Value
    written: Signal
    writer: Instance


def add_storing(external: External, mover: Mover, engine: Engine, copy: Signal, begin: Signal) -> Storing:
    """The store engine of a mover; datapaths have priority at read ports."""
    names, m = external.names, external.names.module
    room = names.register("store_room", unsigned(WAITING.bit_length()), comment="elements that may still be read")
    taken, ready = m.wire(names.fresh("store_requested"), bit), m.wire(names.fresh("store_ready"), bit)
    moves, slices = add_moves(external, "store", mover, engine.compute.stores, copy), Slices(external)
    record = Record({**slices.fields, "word": slices.word})
    cells = {name: _Cell.of(engine, slices, moves, name) for name in moves.numbers}
    able = {name: _able(engine, cell, moves.is_of(name) & (room != 0)) for name, cell in cells.items()}
    runs = external.runs("store", any_of(*able.values()), moves.place, moves.end_of_tile, taken)
    reads = {name: names.wire(f"store_{name}_goes", flag & runs["in_ready"]) for name, flag in able.items()}
    went = names.wire("store_goes", any_of(*reads.values()))
    ends = names.wire("tile_stored", moves.end_of_tile & runs["closed"])
    m.assign(moves.taken, went | ends)
    valid, word = _results(engine, slices, reads, cells)
    fields = {name: _later(engine, f"store_{name}", value) for name, value in slices.of(moves).items()}
    queue = names.queue("results", WAITING, valid, record.made(**fields, word=word), ready)
    shown, result = (
        names.wire("result_shown", queue.valid & external.pauses.goes("result")),
        record.unpacked(queue.data),
    )
    writer = external.top.add_writer(external.request(runs), shown, result["word"], slices.ports(result))
    m.assign(taken, writer["request_ready"])
    m.assign(ready, writer["element_ready"] & shown)
    leaves = names.wire("result_leaves", queue.valid & ready)
    with m.clocked("Room is taken when a cell is read, and given back when its element leaves."):
        m.assign(room, (room + leaves - went).wrapped(room.bits))
        with m.when(begin):
            m.assign(room, WAITING)
    idle = runs["empty"] & (room == WAITING) & writer["idle"]
    written = names.wire("all_written", ~moves.is_there & idle)
    asked = {name: cells[name].asks(goes) for name, goes in reads.items()}
    return Storing(asked, ends, slices.counted(leaves, result), written, writer)


@dataclass(frozen=True, slots=True, eq=False)
class _Cell:
    """A cell of an array that is read, or those of a slice: flags for its elements, and for the banks with them."""

    store: ArrayLayout
    address: Value
    flags: Sequence[Value]
    banks: Sequence[Value]

    @classmethod
    def of(cls, engine: Engine, slices: Slices, moves: Moves, array: str) -> _Cell:
        """The cell of an array to which a move goes."""
        store = engine.compute.stores[array]
        cell, flags = moves.cell_in(store), slices.flags(array, slices.of(moves))
        return cls(store, cell, flags, bank_flags(store, cell, flags))

    def asks(self, goes: Value) -> list[Ask]:
        """The reads of it, if it goes."""
        if not self.banks:
            return [Ask(goes, self.address)]
        return [Ask(goes & flag, self.address, (bank,)) for bank, flag in enumerate(self.banks)]

    def words(self, engine: Engine) -> list[Value]:
        """The words that arrive of it."""
        if not self.banks:
            return [engine.word(self.store.array, self.address)]
        return engine.slice_words(self.store.array, self.address, len(self.flags))


def _able(engine: Engine, cell: _Cell, wanted: Value) -> Signal:
    """Whether a cell can be read: it is wanted, and no datapath reads there."""
    array = cell.store.array
    asks, size = engine.fetches(array, 0), len(cell.flags)
    used = any_of(*(stands_in_the_way(ask, cell.address, size, cell.store) for ask in asks))
    return engine.names.wire(f"store_{array}_able", wanted & ~used)


def _later(engine: Engine, wish: str, value: Value, reset: int | None = None) -> Value:
    """A value when the word requested now arrives."""
    for k in range(engine.compute.memories.latency):
        value = engine.names.module.stored(engine.names.fresh(f"{wish}_{k}"), value, reset=reset)
    return value


def _results(
    engine: Engine, slices: Slices, reads: Mapping[str, Signal], cells: Mapping[str, _Cell]
) -> tuple[Value, Value]:
    """Whether words arrive from a local memory, and the word of the bus with them."""
    arrives = {name: _later(engine, f"{name}_read", goes, reset=0) for name, goes in reads.items()}
    word = one_hot_mux([(flag, slices.joined(name, cells[name].words(engine))) for name, flag in arrives.items()])
    return any_of(*arrives.values()), word.wrapped(slices.word)
