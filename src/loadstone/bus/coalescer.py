"""Runs of consecutive elements: single addresses become requests for several elements."""

from __future__ import annotations

from functools import cache

from loadstone.bus.ports import Widths
from loadstone.rtl import Bits, Module, Signal, Value, add_queue, bit, cat, const, mux, unsigned
from loadstone.rtl.blocks import Queue


@cache
def make_coalescer(
    name: str, address: Bits, widths: Widths, longest: int, queued: int = 4, at_once: int = 1, *, told: bool = False
) -> Module:
    """Takes the addresses of elements, and gives requests (address, count) for runs of them, in order.

    Where up to so many come `at_once`, each address has the count of the elements from there on, one at least. The
    longest run is the one of so many addresses.

    An element that is next to the one before it joins its run, up to the longest. Where there are several widths,
    elements and requests have sizes, and those of a run are equal. Whether an element is next to the one before may be
    `told` with it. The longest run ends by itself, so that nothing waits for what comes after it; `flush` ends others
    unless an element comes. `closed` says that no element is held back, `empty` that all requests were taken, too.
    """
    m = Module(name, f"Joins elements that are next to each other to runs of at most {longest}.")
    count_type = unsigned((longest * at_once).bit_length())
    valid, place, flush = m.input("in_valid", bit), m.input("in_address", address), m.input("flush", bit)
    taken = m.input("request_ready", bit)
    takes, joins = m.wire("takes", bit), m.wire("joins", bit)
    size, run_size = _sizes(m, widths, takes & ~joins)
    more = const(1) if at_once == 1 else m.input("in_count", unsigned(at_once.bit_length()))
    first = m.register("first", address)
    follows = m.input("in_follows", bit) if told else _follows(m, place, takes, _bytes(widths, more, at_once) << size)
    count = m.register("count", count_type, comment="elements of the run at hand")
    queue_ready = m.wire("queue_ready", bit)
    is_open = m.register("is_open", bit, reset=0, comment="there is a run at hand")
    full = _full(m, longest, takes, joins)
    m.assign(joins, is_open & follows & ~full & (size == run_size))
    ends = m.wire("ends", is_open & queue_ready & mux(valid, ~joins, flush | full))
    request = cat(run_size, first, count)
    queue = add_queue(m, "requests", queued, ends, request, taken)
    m.assign(queue_ready, queue.room)
    pending = _pending(m, queued, ends, m.wire("leaves", queue.valid & taken))
    m.assign(takes, valid & m.output("in_ready", joins | ~is_open | queue_ready))
    with m.clocked():
        with m.when(takes):
            with m.when(~joins):
                m.assign(first, place)
            m.assign(count, mux(joins, (count + more).wrapped(count_type), more))
            m.assign(is_open, 1)
        with m.elsewhen(ends):
            m.assign(is_open, 0)
    _show(m, queue, count_type, address, widths)
    m.output("closed", ~is_open)
    m.output("empty", ~is_open & (pending == 0))
    return m


def _pending(m: Module, queued: int, ends: Value, leaves: Value) -> Signal:
    """The number of requests in the queue."""
    pending = m.register("pending", unsigned((queued + 1).bit_length()), reset=0, comment="requests in the queue")
    with m.clocked():
        m.assign(pending, (pending + ends - leaves).wrapped(pending.bits))
    return pending


def _follows(m: Module, place: Signal, takes: Value, step: Value) -> Value:
    """Whether an element is next to the one before."""
    following = m.register("following", place.bits)
    with m.clocked(), m.when(takes):
        m.assign(following, (place + step).wrapped(following.bits))
    return place == following


def _bytes(widths: Widths, count: Value, at_once: int) -> Value:
    """The bytes of so many elements of the narrowest kind, in a type for those of the widest."""
    narrowest = widths.narrowest // 8
    if at_once == 1:
        return const(narrowest, unsigned((widths.widest // 8).bit_length()))
    return (count << (narrowest.bit_length() - 1)).resized((at_once * widths.widest // 8).bit_length())


def _full(m: Module, longest: int, takes: Value, joins: Value) -> Signal:
    """Whether the run at hand, if there is one, has the most addresses."""
    addresses = m.register("addresses", unsigned(longest.bit_length()), comment="of the run at hand, but for one")
    full = m.register("full", bit, comment="the run at hand has no room for another address")
    with m.clocked(), m.when(takes):
        m.assign(addresses, mux(joins, (addresses + 1).wrapped(addresses.bits), 0))
        m.assign(full, mux(joins, addresses == longest - 2, const(int(longest == 1))))
    return full


def _sizes(m: Module, widths: Widths, begins: Value) -> tuple[Value, Value]:
    """The size of the next element, and of the current run."""
    if widths.are_equal:
        return const(0), const(0)
    size, kept = m.input("in_size", widths.size), m.register("run_size", widths.size)
    with m.clocked(), m.when(begins):
        m.assign(kept, size)
    return size, kept


def _show(m: Module, requests: Queue, count: Bits, address: Bits, widths: Widths) -> None:
    """Outputs for the parts of the oldest request."""
    request = requests.data
    m.output("request_valid", requests.valid)
    m.output("request_count", request[: count.width])
    m.output("request_address", request[count.width : count.width + address.width])
    if not widths.are_equal:
        m.output("request_size", request[count.width + address.width :])
