"""Channels in hardware: FIFOs, and cells for values that are not in order.

A producer books a place when an instance starts, and sends the value when it leaves the pipeline; so no pipeline ever
has to stop. A consumer sees whether a value is there, and takes it out at its last read:

    fifo, fifo-register          a queue; a value stays at the front until it is taken
    reorder, reorder-register    a memory; each cell has a bit that says that it is booked, and one that it is full

What a process sends to itself needs no booking: it runs its instances in order, and the size of the channel is what
that order needs.

A value that a datapath needs some cycles after its start is taken as late as that. An instance claims it at its start,
which it may do as soon as the value is sure to be there in time: it may then still be in the pipeline. So a sum waits
for one addition, and not for all that stands before it.
"""

from __future__ import annotations

from loadstone.hardware.network.links import Link
from loadstone.hardware.words import bits_of
from loadstone.rtl.blocks import add_queue
from loadstone.rtl.conditions import mux
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.module import Module
from loadstone.rtl.types import bit, unsigned

ROUND_TRIP = 4
"""The cycles from the start of an instance that takes a value to that of one that may book its place, and back."""


def make_channel(name: str, link: Link, latency: int, *, late: bool = False) -> Module:
    """The hardware of a channel, whose values come `latency` cycles after their places were booked.

    Ports: `there`, `word` and `take` for the consumer; `send` and `value` for the producer, and `room` and `book` where
    that is another process. With cells, the consumer also gives `source`, and `read` in the cycle before it wants the
    word; the producer gives `target` where it books, and `filled` where it sends. If values are taken `late`, the
    consumer also gives `claim`, and `promise` if it is the producer, too; `there` says that a value can be claimed.
    """
    m = Module(name, f"Channel {link.channel.id}, from {link.channel.producer} to {link.channel.consumer}.")
    if link.has_cells:
        _add_cells(m, link)
    else:
        _add_queue(m, link, capacity(link, latency, late=late), late)
    return m


def capacity(link: Link, latency: int, *, late: bool) -> int:
    """The capacity of a queue: what the schedule needs, and what keeps both ends busy.

    A value that a process hands on to itself, or takes late, may meet the one that the same instance takes.
    """
    if link.is_private:
        return link.size.cells + (link.channel.forwards or late)
    return link.size.cells + latency + ROUND_TRIP


def queue_latency(places: int) -> int:
    """The cycles from a value that goes into an empty queue to the one in which it is at the front."""
    return 1 if places <= 2 else 2


def _add_queue(m: Module, link: Link, places: int, late: bool) -> None:
    type = bits_of(link.element)
    take = m.input("take", bit, "the value at the front has been read for the last time")
    send, value = m.input("send", bit), m.input("value", type)
    queue = add_queue(m, "queue", places, send, value, take)
    m.output("there", _claimable(m, link, places, send) if late else queue.valid)
    m.output("word", queue.data)
    if not link.is_private:
        book = m.input("book", bit, "a value will be sent")
        free = m.register("free", unsigned(places.bit_length()), reset=places, comment="places that are not booked")
        m.output("room", free != 0)
        with m.clocked():
            m.assign(free, (free + take - book).wrapped(free.bits))


def _claimable(m: Module, link: Link, places: int, send: Signal) -> Value:
    """Whether a value can be claimed: promised by the process itself, or sent by another one."""
    claim = m.input("claim", bit, "the first value that can be claimed will be read for the last time")
    comes = m.input("promise", bit, "a value will be there in time") if link.is_private else send
    count = m.register("claimable", unsigned((places + 1).bit_length()), reset=0, comment="values that can be claimed")
    with m.clocked():
        m.assign(count, (count + comes - claim).wrapped(count.bits))
    return count != 0


def _add_cells(m: Module, link: Link) -> None:
    cells, type = max(2, link.size.cells), bits_of(link.element)
    source, read = m.input("source", link.cell, "the cell that is wanted"), m.input("read", bit)
    take = m.input("take", bit, "the value has been read for the last time")
    send, filled, value = m.input("send", bit), m.input("filled", link.cell), m.input("value", type)
    words = m.memory("words", type, cells, collision="any")
    words.write(filled, value, send)
    m.output("word", words.read(source, read))
    leaves = m.wire("leaves", _one_hot(take, source, cells))
    full = m.register("full", unsigned(cells), reset=0, comment="cells with values")
    m.output("there", full[source])
    with m.clocked():
        m.assign(full, full & ~leaves | _one_hot(send, filled, cells))
    if not link.is_private:
        target, book = m.input("target", link.cell), m.input("book", bit, "a value will be sent to the target")
        booked = m.register("booked", unsigned(cells), reset=0, comment="cells that have values, or wait for them")
        m.output("room", ~booked[target])
        with m.clocked():
            m.assign(booked, booked & ~leaves | _one_hot(book, target, cells))


def _one_hot(enable: Signal, place: Signal, count: int) -> Value:
    """A word with one bit set, if enabled."""
    one = const(1, unsigned(count))
    return mux(enable, (one << place).wrapped(unsigned(count)), 0)
