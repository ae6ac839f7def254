"""Bursts in flight: what a master keeps of them, so that a response that is an error has an address.

After the first error the record stays where it is, so that its oldest burst is the one that failed. The master asks for
no further burst then, nor while `stop` is set; it is `quiet` when no burst is in flight.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.rtl import Module, Signal, Value, add_queue, bit, const, unsigned

RESPONSE = unsigned(2)
"""A response of AXI and of Avalon: the upper bit is set in errors, and the lower one if nobody has the address."""
FAILURES = ("error", "decode_error", "error_address", "quiet")
"""The outputs of a master that tell of errors."""


@dataclass(frozen=True, slots=True, eq=False)
class Flights:
    """The bursts in flight of a master: whether one has failed, and whether no more may be issued."""

    failed: Signal
    stops: Signal


def add_flights(m: Module) -> Flights:
    """The state of a master that can fail, and its input `stop`."""
    stop = m.input("stop", bit, "no further requests")
    failed = m.register("failed", bit, reset=0, comment="a response was an error")
    return Flights(failed, m.wire("stops", stop | failed))


def add_record(m: Module, burst: Value, depth: int, begins: Value, ends: Value) -> Signal:
    """The oldest burst in flight, from three cycles after its begin on; there are never more than `depth` of them."""
    begun, first = m.stored("flight_begins", begins, reset=0), m.stored("flight", burst)
    return add_queue(m, "flights", depth, begun, first, ends).data


def add_window(m: Module, most: int | None, begins: Value, ends: Value) -> Value:
    """Whether a further burst may begin: fewer than `most` are open, or there is no bound."""
    if most is None:
        return const(1)
    count = m.register("outstanding", unsigned(most.bit_length()), reset=0, comment="bursts without all responses")
    with m.clocked():
        m.assign(count, (count + begins - ends).wrapped(count.bits))
    return count != most


def tell_failure(m: Module, flights: Flights, fails: Value, response: Value, address: Value, quiet: Value) -> None:
    """Outputs for the first response that is an error."""
    decode = m.register("nobody_there", bit)
    with m.clocked(), m.when(fails & ~flights.failed):
        m.assign(flights.failed, 1)
        m.assign(decode, response[0])
    m.output("error", flights.failed, "a response was an error")
    m.output("decode_error", decode, "the first error: nobody has the address")
    m.output("error_address", address, "the first error: where, in bytes")
    m.output("quiet", quiet, "no burst in flight")


def show_failures(m: Module, core_outputs: dict[str, Signal]) -> None:
    """The outputs of a master for errors, which are those of its core."""
    for name in FAILURES:
        m.output(name, core_outputs[name])
