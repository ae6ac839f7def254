"""Queues inside of a module, whose words can be used in the cycle after they came."""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.rtl import Module, Signal, Value, address_width, unsigned


@dataclass(frozen=True, slots=True, eq=False)
class Ring:
    """A queue: the number of words in it, and the oldest."""

    count: Signal
    oldest: Signal


def add_ring(m: Module, name: str, word: Value, depth: int, push: Value, pop: Value) -> Ring:
    """A queue for `depth` words, a power of two, in a module; the user checks its count before push and pop."""
    place = unsigned(address_width(depth))
    count = m.register(f"{name}_count", unsigned(place.width + 1), reset=0)
    head, tail = (m.register(f"{name}_{end}", place, reset=0) for end in ("head", "tail"))
    memory = m.memory(f"{name}_ring", word.bits, depth, latency=0)
    memory.write(tail, word, push)
    with m.clocked():
        m.assign(count, (count + push - pop).wrapped(count.bits))
        m.assign(tail, (tail + push).wrapped(place))
        m.assign(head, (head + pop).wrapped(place))
    return Ring(count, memory.read(head))
