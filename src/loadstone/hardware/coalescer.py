"""Runs of consecutive elements: single addresses become requests for several elements."""

from __future__ import annotations

from functools import cache

from loadstone.rtl import Bits, Module, bit, cat, make_fifo, mux, unsigned


@cache
def make_coalescer(name: str, address: Bits, step: int, longest: int, queued: int = 4) -> Module:
    """Takes the addresses of elements, and gives requests (address, count) for runs of them, in order.

    An element that is `step` behind the one before it joins its run, up to the longest. `flush` ends the run at hand
    unless an element comes; `closed` says that no element is held back, `empty` that all requests were taken, too.
    """
    m = Module(name, f"Joins elements {step} bytes apart to runs of at most {longest}.")
    count_type = unsigned(longest.bit_length())
    valid, place, flush = m.input("in_valid", bit), m.input("in_address", address), m.input("flush", bit)
    taken = m.input("request_ready", bit)
    first, following = m.register("first", address), m.register("following", address)
    count = m.register("count", count_type, reset=0, comment="elements of the run at hand")
    queue_ready = m.wire("queue_ready", bit)
    is_open = m.wire("is_open", count != 0)
    joins = m.wire("joins", is_open & (place == following) & (count != longest))
    ends = m.wire("ends", is_open & queue_ready & mux(valid, ~joins, flush))
    fifo = make_fifo(f"{name}_requests", unsigned(address.width + count_type.width), queued)
    queue = m.instance("requests", fifo, {"in_valid": ends, "in_data": cat(first, count), "out_ready": taken})
    m.assign(queue_ready, queue["in_ready"])
    pending = m.register("pending", unsigned((queued + 1).bit_length()), reset=0, comment="requests in the queue")
    leaves = m.wire("leaves", queue["out_valid"] & taken)
    ready = m.output("in_ready", joins | ~is_open | queue_ready)
    takes = m.wire("takes", valid & ready)
    with m.clocked():
        m.assign(pending, (pending + ends - leaves).wrapped(pending.bits))
        with m.when(takes):
            m.assign(following, (place + step).wrapped(address))
            with m.when(~joins):
                m.assign(first, place)
            m.assign(count, mux(joins, (count + 1).wrapped(count_type), 1))
        with m.elsewhen(ends):
            m.assign(count, 0)
    m.output("request_valid", queue["out_valid"])
    m.output("request_address", queue["out_data"][count_type.width :])
    m.output("request_count", queue["out_data"][: count_type.width])
    m.output("closed", ~is_open)
    m.output("empty", ~is_open & (pending == 0))
    return m
