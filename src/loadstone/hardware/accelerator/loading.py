"""The load engine: it requests the elements of tiles, and writes them to their cells when they arrive.

A queue holds a record of each element, or slice of a row, in flight: the number of its array, and its cell. A record
with `end_of_tile` ends a tile: when it comes to the front, all elements of the tile have arrived. Elements of arrays to
which datapaths write wait for a free cycle in a queue of their own, so that they do not stall those of other arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadstone.hardware.accelerator.external import External
from loadstone.hardware.accelerator.mover import Mover
from loadstone.hardware.accelerator.moves import add_moves
from loadstone.hardware.accelerator.slices import Slices, bank_flags, stands_in_the_way
from loadstone.hardware.compute.engine import Engine, Write
from loadstone.hardware.datapath.pipeline import address_type
from loadstone.hardware.layout import ArrayLayout
from loadstone.rtl.blocks import add_queue
from loadstone.rtl.conditions import all_of, any_of, mux
from loadstone.rtl.expressions import Signal, Value, cat, const
from loadstone.rtl.module import Instance
from loadstone.rtl.record import Record
from loadstone.rtl.types import bit, unsigned

ON_THE_WAY = 512
"""The most elements in flight: requested, not arrived yet."""
QUEUED = 16
"""How many elements of an array can wait for datapaths that write there."""


@dataclass(frozen=True, slots=True, eq=False)
class Loading:
    """What the engine gives: the words that arrive by array, how many do, and whether a tile has arrived.

    `reader` is its master.
    """

    arrivals: Mapping[str, Sequence[Write]]
    arrives: Value
    tile_loaded: Signal
    reader: Instance


def add_loading(external: External, mover: Mover, engine: Engine, copy: Signal) -> Loading:
    """The load engine of a mover; datapaths have priority at write ports."""
    names, m = external.names, external.names.module
    moves, slices = add_moves(external, "load", mover, engine.compute.stores, copy), Slices(external)
    record = Record({"end_of_tile": bit, "number": moves.number.bits, "cell": moves.cell.bits, **slices.fields})
    room, taken = m.wire(names.fresh("load_room"), bit), m.wire(names.fresh("load_requested"), bit)
    runs = external.runs("load", moves.is_element & room, moves.place, moves.end_of_tile, taken)
    goes = names.wire("load_goes", room & mux(moves.end_of_tile, runs["closed"], moves.is_element & runs["in_ready"]))
    m.assign(moves.taken, goes)
    made = record.made(end_of_tile=moves.end_of_tile, number=moves.number, cell=moves.cell, **slices.of(moves))
    pops = m.wire(names.fresh("record_pops"), bit)
    queue = names.queue("records", ON_THE_WAY, goes, made, pops)
    oldest = record.unpacked(queue.data)
    m.assign(room, queue.room)
    accepts = m.wire(names.fresh("load_accepts"), bit)
    reader = external.top.add_reader(external.request(runs), accepts, slices.ports(oldest))
    m.assign(taken, reader["request_ready"])
    end_of_tile = queue.valid & oldest["end_of_tile"]
    waits = queue.valid & ~oldest["end_of_tile"] & reader["element_valid"]
    arrives = names.wire("arrives", waits & external.pauses.goes("arrival"))
    arrivals = {
        name: _arrival(
            engine,
            slices,
            name,
            external.top.modules.fresh(f"{m.name}_{name}_arrivals"),
            arrives & (oldest["number"] == number),
            oldest,
            reader["element_data"],
        )
        for name, number in moves.numbers.items()
    }
    m.assign(accepts, any_of(*(each.taken for each in arrivals.values())))
    tile_loaded = names.wire("tile_loaded", end_of_tile & all_of(*(each.is_empty for each in arrivals.values())))
    m.assign(pops, accepts | tile_loaded)
    arrived = {name: each.writes for name, each in arrivals.items()}
    return Loading(arrived, slices.counted(accepts, oldest), tile_loaded, reader)


@dataclass(frozen=True, slots=True, eq=False)
class _Arrival:
    """Elements of an array: the words that are written, whether some are taken from the bus, and whether none waits."""

    writes: Sequence[Write]
    taken: Value
    is_empty: Value


def _arrival(
    engine: Engine, slices: Slices, name: str, title: str, here: Value, oldest: Mapping[str, Value], word: Value
) -> _Arrival:
    """Writes the elements of an array that arrive, in cycles in which no datapath writes there."""
    names, store = engine.names, engine.compute.stores[name]
    place, words = oldest["cell"].wrapped(address_type(store)), slices.words(store, word)
    flags = slices.flags(name, oldest)
    if not engine.writes(name):
        enable = names.wire(f"{name}_arrives", here)
        return _Arrival(_writes(store, enable, place, words, flags), enable, const(1, bit))
    m = names.module
    writes = m.wire(names.fresh(f"{name}_arrives"), bit)
    fields = {"place": place.bits} | ({"flags": unsigned(len(flags))} if len(flags) > 1 else {})
    record = Record({**fields, **{f"data_{k}": store.type for k in range(len(words))}})
    kept: dict[str, Value] = {f"data_{k}": each for k, each in enumerate(words)}
    kept |= {"flags": cat(*reversed(flags))} if len(flags) > 1 else {}
    queue = add_queue(m, names.fresh(f"{name}_arrivals"), QUEUED, here, record.made(place=place, **kept), writes, title)
    found = record.unpacked(queue.data)
    place, words = found["place"], [found[f"data_{k}"] for k in range(len(words))]
    flags = [found["flags"][k] for k in range(len(flags))] if len(flags) > 1 else flags
    free = ~any_of(*(stands_in_the_way(write, place, len(flags), store) for write in engine.writes(name)))
    m.assign(writes, queue.valid & free)
    taken = names.wire(f"{name}_taken", here & queue.room)
    waiting = names.state(f"{name}_waiting", unsigned(QUEUED.bit_length()), "elements in the queue")
    with m.clocked():
        m.assign(waiting, (waiting + taken - writes).wrapped(waiting.bits))
    return _Arrival(_writes(store, writes, place, words, flags), taken, waiting == 0)


def _writes(
    store: ArrayLayout, enable: Value, place: Value, words: Sequence[Value], flags: Sequence[Value]
) -> list[Write]:
    """The writes of a slice, one in each bank; of an element, one."""
    if len(words) == 1:
        return [Write(enable, place, words[0])]
    banks = bank_flags(store, place, flags)
    return [Write(enable & flag, place, words[bank % len(words)], (bank,)) for bank, flag in enumerate(banks)]
