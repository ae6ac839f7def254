"""Random stalls on the channels of a bus, for tests."""

from __future__ import annotations

from functools import cache

from loadstone.bus.axi import axi_channels, axi_ports
from loadstone.bus.ports import Bus, declare_ports
from loadstone.rtl import Bits, Module, Value, bit, mux, unsigned

STATE = unsigned(32)
_SEED = 0x2545F491


def next_random(state: Value) -> Value:
    """The number after another one in a sequence of 2^32 - 1 that look random [Marsaglia, Xorshift RNGs]."""
    state = state ^ (state << 13).wrapped(STATE)
    state = state ^ (state >> 17)
    return state ^ (state << 5).wrapped(STATE)


@cache
def make_pauses() -> Module:
    """Random pauses: `goes` is not set in a cycle with a chance of `chance` in 256."""
    m = Module("pauses", "Says in which cycles something may go on.")
    seed, chance = m.parameter("SEED", STATE, _SEED), m.input("chance", unsigned(8), "0 never stops")
    started, state = m.register("started", bit, reset=0), m.register("state", STATE)
    with m.clocked():
        m.assign(started, 1)
        m.assign(state, mux(started, next_random(state), seed))
    m.output("goes", started & (state[24:] >= chance))
    return m


@cache
def make_stall(type: Bits) -> Module:
    """A channel with random stalls: each word stalls with a chance of `chance` in 256 in each cycle.

    What it shows stays until it is taken. No register is on the way.
    """
    m = Module(f"stall_{type.width}", "Lets words pass, but not in every cycle.")
    seed = m.parameter("SEED", STATE, _SEED)
    chance = m.input("chance", unsigned(8), "0 lets everything pass")
    in_valid, in_data, out_ready = m.input("in_valid", bit), m.input("in_data", type), m.input("out_ready", bit)
    started = m.register("started", bit, reset=0)
    state = m.register("state", STATE)
    stopped = m.register("stopped", bit, reset=0)
    valid = m.output("out_valid", in_valid & ~stopped)
    m.output("in_ready", out_ready & ~stopped)
    m.output("out_data", in_data)
    drawn = m.wire("drawn", next_random(state))
    with m.clocked():
        m.assign(started, 1)
        m.assign(state, drawn)
        with m.when(~started):
            m.assign(state, seed)
        with m.when(~valid | out_ready):
            m.assign(stopped, drawn[24:] < chance)
    return m


@cache
def make_axi_stalls(bus: Bus) -> Module:
    """A piece of AXI bus, from `s_...` to `m_...`, on which all channels stall at random."""
    m = Module(f"axi_stalls_{bus.data_width}_{bus.address_width}", "Random stops on all channels of an AXI bus.")
    chance = m.input("chance", unsigned(8))
    ports = axi_ports(axi_channels(bus))
    upper, lower = declare_ports(m, ports, "slave", "s_"), declare_ports(m, ports, "master", "m_")
    for number, channel in enumerate(axi_channels(bus), 1):
        near, far = (upper, lower) if channel.driver == "master" else (lower, upper)
        source, sink = channel.stream(near), channel.stream(far)
        inputs = {"chance": chance, "in_valid": source.valid, "in_data": source.payload, "out_ready": sink.ready}
        stall = m.instance(f"{channel.name}_stall", make_stall(channel.record.type), inputs, {"SEED": _SEED + number})
        m.assign(source.ready, stall["in_ready"])
        m.assign(sink.valid, stall["out_valid"])
        for name, value in channel.record.unpacked(stall["out_data"]).items():
            m.assign(sink.fields[name], value)
    return m
