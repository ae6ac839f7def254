"""Memories on the chip with one port that writes and some that read; a read sees what is written in the same cycle."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.rtl.expressions import Signal, Value, mux
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
