"""Memories on the chip with one port that writes and some that read; a read sees what is written in the same cycle.

The low bits of an address are the bank, where there are several; each bank is a memory with ports of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.hardware.compute.engine import Ask, Engine, Write, bank_of, written
from loadstone.hardware.compute.local_layout import bank_count
from loadstone.hardware.layout import Store
from loadstone.hardware.selection import chosen
from loadstone.rtl.expressions import Signal, Value, any_of, const, mux
from loadstone.rtl.module import Module
from loadstone.rtl.types import Bits, address_width, bit, unsigned


def make_memory(
    name: str, type: Bits, depth: int, *, latency: int = 1, reads: int = 1, initial: Sequence[int] = ()
) -> Module:
    """A memory of words, as many copies as there are ports that read.

    Ports: `write_enable`, `write_address`, `write_data`; for each read k `read_k_enable`, `read_k_address`, and
    `read_k_data`, `latency` cycles later. A word that is written while it is on its way to a read is the one that is
    read: in the cycle of the address, and in the cycles after it, but for that of the data.
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
    """The word, or the one that was written to its address on its way."""
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


def add_memory(engine: Engine, module: str, store: Store, arrivals: Sequence[Write], read: Ask | None) -> None:
    """The memory of an array, in its banks, between datapaths, words that arrive, and one more that reads.

    That one reads from the first port, when no datapath reads there.
    """
    banks, ports = bank_count(store), engine.ports(store.array)
    depth = max(2, store.depth // banks)
    memory = make_memory(module, store.type, depth, latency=engine.compute.memories.latency, reads=ports)
    writes = [*engine.writes(store.array), *arrivals]
    for bank in range(banks):
        inputs = written([_in_its_bank(write, bank, banks) for write in writes if _may_be_in(write, bank)])
        for port in range(ports):
            asks = [*engine.fetches(store.array, port), *([read] if port == 0 and read is not None else [])]
            here = [(_in_bank(ask, bank, banks), _offset(ask.address, banks)) for ask in asks if _may_be_in(ask, bank)]
            inputs[f"read_{port}_enable"] = any_of(*(enable for enable, _ in here))
            inputs[f"read_{port}_address"] = chosen(here)
        wish = f"{store.array}_memory" if banks == 1 else f"{store.array}_memory_{bank}"
        instance = engine.names.module.instance(engine.names.fresh(wish), memory, inputs)
        for port in range(ports):
            engine.names.module.assign(engine.bank_words[store.array, port, bank], instance[f"read_{port}_data"])


def _may_be_in(one: Write | Ask, bank: int) -> bool:
    return one.banks is None or bank in one.banks


def _in_its_bank(write: Write, bank: int, banks: int) -> Write:
    return Write(_in_bank(write, bank, banks), _offset(write.address, banks), write.data)


def _offset(address: Value, banks: int) -> Value:
    """The place of an address in its bank."""
    if banks == 1:
        return address
    bits = (banks - 1).bit_length()
    return address[bits:] if address.bits.width > bits else const(0)


def _in_bank(one: Write | Ask, bank: int, banks: int) -> Value:
    """Whether a word is written to, or read from, a bank."""
    if banks == 1 or one.banks == (bank,):
        return one.enable
    return one.enable & (bank_of(one.address, banks) == bank)
