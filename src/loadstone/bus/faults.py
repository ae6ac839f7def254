"""Responses that are errors, at random, on a piece of bus, to test what is attached to it."""

from __future__ import annotations

from functools import cache

from loadstone.bus.axi import axi_channels, axi_ports
from loadstone.bus.flights import RESPONSE
from loadstone.bus.ports import LONGEST_BURST, Bus, declare_ports
from loadstone.bus.stalls import STATE, next_random
from loadstone.rtl import Module, Signal, Stream, Value, add_ring, bit, cat, mux, unsigned

CHANCE = unsigned(16)
_OPEN = 256
_SEEDS = {"read": 0x2F6E2B1, "write": 0x7A3C1D5}


@cache
def make_axi_faults(bus: Bus) -> Module:
    """A piece of AXI bus, from `s_...` to `m_...`, in which responses become errors with a chance in 65536.

    Each beat that is read has a response, and each burst that is written. For both, outputs tell of the first error
    since `forget`: `read_fault` and `write_fault` are the responses, or 0, `..._fault_address` where, in bytes.
    """
    m = Module(f"axi_faults_{bus.data_width}_{bus.address_width}", "Errors on an AXI bus.")
    ports = axi_ports(axi_channels(bus))
    upper, lower = declare_ports(m, ports, "slave", "s_"), declare_ports(m, ports, "master", "m_")
    forget = m.input("forget", bit, "forgets the first errors")
    channels = {channel.name: channel for channel in axi_channels(bus)}
    for name, source, sink in (("read", "ar", "r"), ("write", "aw", "b")):
        moves = {each: channels[each].stream(upper) for each in (source, sink)}
        fault = _drawn(m, name, moves[sink])
        place = _place(m, bus, name, moves[source], moves[sink])
        _remember(m, name, forget, moves[sink].transfer & fault[1], fault, place)
        m.assign(upper[f"{sink}resp"], fault)
    for port in ports:
        if not port.name.endswith("resp"):
            target, source_side = (lower, upper) if port.driver == "master" else (upper, lower)
            m.assign(target[port.name], source_side[port.name])
    return m


def _drawn(m: Module, name: str, sink: Stream) -> Signal:
    """The response to show, which stays until it is taken."""
    chance = m.input(f"{name}_chance", CHANCE, "of an error, in 65536")
    state = m.register(f"{name}_state", STATE, reset=_SEEDS[name])
    fault = m.register(f"{name}_drawn", RESPONSE, reset=0)
    drawn = m.wire(f"{name}_random", next_random(state))
    with m.clocked():
        m.assign(state, drawn)
        with m.when(~sink.valid | sink.ready):
            m.assign(fault, mux(drawn[16:] < chance, cat(1, drawn[3]), 0))
    return fault


def _place(m: Module, bus: Bus, name: str, source: Stream, sink: Stream) -> Value:
    """The byte address of the current response."""
    is_read = name == "read"
    ends = sink.transfer & sink.fields["last"] if is_read else sink.transfer
    bursts = add_ring(m, f"{name}_bursts", source.fields["addr"], _OPEN, source.transfer, ends)
    if not is_read:
        return bursts.oldest
    beat = m.register("beat", unsigned(LONGEST_BURST.bit_length()), reset=0)
    with m.clocked(), m.when(sink.transfer):
        m.assign(beat, mux(ends, 0, (beat + 1).wrapped(beat.bits)))
    return (bursts.oldest + (beat << bus.beat_shift)).wrapped(bus.address)


def _remember(m: Module, name: str, forget: Signal, fails: Value, fault: Signal, place: Value) -> None:
    first, address = m.register(f"first_{name}", RESPONSE, reset=0), m.register(f"first_{name}_address", place.bits)
    with m.clocked():
        with m.when(forget):
            m.assign(first, 0)
        with m.elsewhen(fails & (first == 0)):
            m.assign(first, fault)
            m.assign(address, place)
    m.output(f"{name}_fault", first, "the first error since it was forgotten, or 0")
    m.output(f"{name}_fault_address", address, "where, in bytes")
