"""On-chip memories with one write port and some read ports; a read sees the write of the same cycle.

The low bits of an address are the bank, where there are several, and the highest bit is the copy where two are apart;
each bank of each copy is a memory with ports of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loadstone.hardware.compute.engine import Ask, Engine, Write, bank_of, copy_of, memories_of, memory_title, written
from loadstone.hardware.compute.local_layout import bank_count, copy_count, memory_depth
from loadstone.hardware.datapath.pipeline import address_type
from loadstone.hardware.layout import ArrayLayout
from loadstone.rtl.conditions import any_of, mux, one_hot_mux
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.module import Module
from loadstone.rtl.types import Bits, address_width, bit, unsigned


def make_memory(
    name: str, type: Bits, depth: int, *, latency: int = 1, reads: int = 1, initial: Sequence[int] = ()
) -> Module:
    """A memory of words, one copy per read port.

    Ports: `write_enable`, `write_address`, `write_data`; for each read k `read_k_enable`, `read_k_address`, and
    `read_k_data`, `latency` cycles later. A write to a word in flight is forwarded to the read: in the cycle of the
    address, and in the cycles after it, but for that of the data.
    """
    m = Module(name, f"{depth} words, with {reads} port{'s' if reads > 1 else ''} to read.")
    address = unsigned(address_width(depth))
    enable = m.input("write_enable", bit)
    target = m.input("write_address", address)
    data = m.input("write_data", type)
    for k in range(reads):
        asked = m.input(f"read_{k}_enable", bit)
        place = m.input(f"read_{k}_address", address)
        copy = m.memory(words(k), type, depth, latency=1, collision="any", initial=initial)
        copy.write(target, data, enable)
        found = copy.read(place, asked)
        m.output(f"read_{k}_data", _newest(m, k, found, (enable, target, data), (asked, place), latency))
    return m


def words(copy: int) -> str:
    """The name of a copy of the words."""
    return f"words_{copy}"


def _newest(
    m: Module, k: int, found: Value, write: tuple[Signal, Signal, Signal], read: tuple[Signal, Signal], latency: int
) -> Value:
    """The word, or a later write to its address, forwarded."""
    enable, target, data = write
    asked, place = read
    for cycle in range(latency):
        with m.clocked("A word that is written is the one that is read."):
            hit = m.stored(f"hit_{k}_{cycle}", enable & asked & (target == place))
            newer = m.stored(f"newer_{k}_{cycle}", data)
            if cycle + 1 < latency:
                asked, place = m.stored(f"asked_{k}_{cycle}", asked), m.stored(f"place_{k}_{cycle}", place)
            if cycle:
                found = m.stored(f"found_{k}_{cycle}", found)
        found = mux(hit, newer, found)
    return found


def add_memory(
    engine: Engine, module: str, store: ArrayLayout, arrivals: Sequence[Write], reads: Sequence[Ask]
) -> None:
    """The memories of an array between datapaths, words that arrive, and further reads.

    Those are from the first port, when no datapath reads there.
    """
    ports, made = engine.ports(store.array), engine.compute.memories
    memory = make_memory(module, store.type, memory_depth(store), latency=made.latency, reads=ports)
    writes = [*engine.writes(store.array), *arrivals]
    for copy, bank in memories_of(store):
        place = _Place(store, copy, bank)
        inputs = written([place.taken(write) for write in writes if place.may_have(write)])
        for port in range(ports):
            asks = [*engine.fetches(store.array, port), *(reads if port == 0 else ())]
            here = [(place.has(ask), place.offset(ask.address)) for ask in asks if place.may_have(ask)]
            inputs[f"read_{port}_enable"] = any_of(*(enable for enable, _ in here))
            inputs[f"read_{port}_address"] = one_hot_mux(here)
        wish = memory_title(f"{store.array}_memory", store, (copy, bank))
        instance = engine.names.module.instance(engine.names.fresh(wish), memory, inputs)
        for port in range(ports):
            word = engine.memory_words[store.array, port, copy, bank]
            engine.names.module.assign(word, instance[f"read_{port}_data"])


@dataclass(frozen=True, slots=True)
class _Place:
    """One of the memories of a store: which words are in it, and where."""

    store: ArrayLayout
    copy: int
    bank: int

    def may_have(self, one: Write | Ask) -> bool:
        """Whether a word may be in it."""
        return one.banks is None or self.bank in one.banks

    def has(self, one: Write | Ask) -> Value:
        """Whether a word is written to, or read from it."""
        banks, found = bank_count(self.store), one.enable
        if copy_count(self.store) > 1:
            found = found & (copy_of(one.address, self.store) == self.copy)
        is_known = banks == 1 or one.banks == (self.bank,)
        return found if is_known else found & (bank_of(one.address, banks) == self.bank)

    def taken(self, write: Write) -> Write:
        """A word that is written as one that is written to it."""
        return Write(self.has(write), self.offset(write.address), write.data)

    def offset(self, address: Value) -> Value:
        """The place of an address in it."""
        low = (bank_count(self.store) - 1).bit_length()
        if copy_count(self.store) > 1:
            address = address.wrapped(address_type(self.store, one_copy=True))
        return address[low:] if address.bits.width > low else const(0)
