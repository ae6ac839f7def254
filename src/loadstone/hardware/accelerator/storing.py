"""The store engine: it reads the cells of results in cycles without a datapath read, and writes them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.hardware.accelerator.external import External
from loadstone.hardware.accelerator.mover import Mover
from loadstone.hardware.accelerator.moves import add_moves
from loadstone.hardware.compute.engine import Engine, in_memory_of
from loadstone.rtl.conditions import Choice, any_of, one_hot_mux
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Instance
from loadstone.rtl.types import bit, unsigned

WAITING = 256
"""How many elements can wait to be written to external memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Storing:
    """The store engine: reads of cells by array; whether a tile was read, an element leaves, and all is written.

    `writer` is its master.
    """

    reads: Mapping[str, Choice]
    tile_stored: Signal
    leaves: Signal
    written: Signal
    writer: Instance


def add_storing(external: External, mover: Mover, engine: Engine, copy: Signal, begin: Signal) -> Storing:
    """The store engine of a mover; datapaths have priority at read ports."""
    names, m = external.names, external.names.module
    room = names.register("store_room", unsigned(WAITING.bit_length()), comment="elements that may still be read")
    taken, ready = m.wire(names.fresh("store_requested"), bit), m.wire(names.fresh("store_ready"), bit)
    moves = add_moves(external, "store", mover, engine.compute.stores, copy)
    cells = {name: moves.cell_in(engine.compute.stores[name]) for name in moves.numbers}
    able = {name: _able(engine, name, cell, moves.is_of(name) & (room != 0)) for name, cell in cells.items()}
    runs = external.runs("store", any_of(*able.values()), moves.place, moves.end_of_tile, taken)
    reads = {name: names.wire(f"store_{name}_goes", flag & runs["in_ready"]) for name, flag in able.items()}
    went = names.wire("store_goes", any_of(*reads.values()))
    ends = names.wire("tile_stored", moves.end_of_tile & runs["closed"])
    m.assign(moves.taken, went | ends)
    valid, word = _results(external, engine, reads, cells)
    queue = names.queue("results", WAITING, valid, word, ready)
    shown = names.wire("result_shown", queue.valid & external.pauses.goes("result"))
    writer = external.top.add_writer(external.request(runs), shown, queue.data)
    m.assign(taken, writer["request_ready"])
    m.assign(ready, writer["element_ready"] & shown)
    leaves = names.wire("result_leaves", queue.valid & ready)
    with m.clocked("Room is taken when a cell is read, and given back when its element leaves."):
        m.assign(room, (room + leaves - went).wrapped(room.bits))
        with m.when(begin):
            m.assign(room, WAITING)
    idle = runs["empty"] & (room == WAITING) & writer["idle"]
    written = names.wire("all_written", ~moves.is_there & idle)
    return Storing({name: (goes, cells[name]) for name, goes in reads.items()}, ends, leaves, written, writer)


def _able(engine: Engine, name: str, cell: Value, wanted: Value) -> Signal:
    """Whether a cell of an array can be read: it is wanted, and no datapath reads there."""
    store = engine.compute.stores[name]
    used = any_of(*(in_memory_of(ask, cell, store) for ask in engine.fetches(name, 0)))
    return engine.names.wire(f"store_{name}_able", wanted & ~used)


def _results(
    external: External, engine: Engine, reads: Mapping[str, Signal], cells: Mapping[str, Value]
) -> tuple[Value, Value]:
    """Whether a word arrives from a local memory, and the word."""
    names, m = external.names, external.names.module
    arrives: dict[str, Value] = {}
    for name, goes in reads.items():
        flag: Value = goes
        for k in range(engine.compute.memories.latency):
            flag = m.stored(names.fresh(f"{name}_read_{k}"), flag, reset=0)
        arrives[name] = flag
    kind = unsigned(external.top.widths.widest)
    word = one_hot_mux([(flag, engine.word(name, cells[name]).wrapped(kind)) for name, flag in arrives.items()])
    return any_of(*arrives.values()), word.wrapped(kind)
