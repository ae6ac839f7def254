"""The results of a direct implementation in flight to memory."""

from __future__ import annotations

from loadstone.rtl.blocks import add_ring
from loadstone.rtl.conditions import any_of, mux
from loadstone.rtl.expressions import Value, const
from loadstone.rtl.module import Module
from loadstone.rtl.types import Bits, address_width, bit, unsigned


def make_open_writes(name: str, element: Bits, depth: int) -> Module:
    """A table of the elements that are computed and written, from when their instances pass to when memory has them.

    `adds` makes an entry, which has the number `entry`; there must be room. It ends when `arrives` comes for it, which
    does so in the order in which entries `leave`, or when it is `dropped`. `hit` says that `asked` is in the table.
    """
    m = Module(name, f"At most {depth} elements that are on their way to memory.")
    index, every = unsigned(address_width(depth)), unsigned(depth)
    adds, added, asked = m.input("adds", bit), m.input("added", element), m.input("asked", element)
    leaves, leaving, arrives = m.input("leaves", bit), m.input("leaving", index), m.input("arrives", bit)
    drops, dropped = m.input("drops", bit), m.input("dropped", index)
    taken, entry = m.register("taken", every, reset=0), m.register("following", index, reset=0)
    elements = [m.register(f"element_{k}", element) for k in range(depth)]
    oldest = add_ring(m, "left", leaving, depth, leaves, arrives).oldest

    def marked(flag: Value, number: Value) -> Value:
        return mux(flag, const(1, every) << number, const(0, every))

    with m.clocked():
        m.assign(taken, (taken | marked(adds, entry)) & ~(marked(arrives, oldest) | marked(drops, dropped)))
        m.assign(entry, (entry + adds).wrapped(index))
        for k, register in enumerate(elements):
            with m.when(adds & (entry == k)):
                m.assign(register, added)
    m.output("entry", entry)
    m.output("room", ~taken[entry])
    m.output("hit", any_of(*(taken[k] & (register == asked) for k, register in enumerate(elements))))
    return m
