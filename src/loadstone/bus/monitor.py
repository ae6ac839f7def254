"""A protocol monitor for AXI: it observes a bus and holds the first rule that was broken."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

from loadstone.bus.axi import axi_channels, axi_ports
from loadstone.bus.ports import LONGEST_BURST, PAGE_BYTES, Bus, declare_ports
from loadstone.rtl import Module, Signal, Stream, Value, add_ring, any_of, bit, const, mux, unsigned

_CODE = unsigned(5)
MOST_OPEN = 256
_BEATS = unsigned(LONGEST_BURST.bit_length())
_PATIENCE = unsigned(8)


class Rule(IntEnum):
    """What can be wrong on a bus [AMBA AXI and ACE Protocol Specification, A3]."""

    NONE = 0
    AR_UNSTABLE = 1
    R_UNSTABLE = 2
    AW_UNSTABLE = 3
    W_UNSTABLE = 4
    B_UNSTABLE = 5
    READ_CROSSES_PAGE = 6
    WRITE_CROSSES_PAGE = 7
    READ_SHAPE = 8
    WRITE_SHAPE = 9
    RLAST_WRONG = 10
    R_UNASKED = 11
    WLAST_WRONG = 12
    B_UNASKED = 13
    TOO_MANY_OPEN = 14
    W_WAITS_FOR_AW = 15
    AW_WAITS_FOR_W = 16


@cache
def make_axi_monitor(bus: Bus, most: int = MOST_OPEN) -> Module:
    """A module that sees all signals of a bus; `error` is the first `Rule` broken, `quiet` says that nothing is open.

    Valid stays until ready, with the same payload. Bursts are incrementing, not wider than the bus, and stay inside of
    a page. Beats are as many as requested, the last one marked. Each burst of writes has one response, after its data.
    Neither the address nor the data of a write wait for the other to be taken: a master that shows one of
    them alone for 255 cycles breaks this rule. Fewer than `most` bursts, a power of two, may be open in a direction.
    """
    size = "" if most == MOST_OPEN else f"_{most}"
    m = Module(f"axi_monitor_{bus.data_width}_{bus.address_width}{size}", "Watches an AXI bus.")
    signals = declare_ports(m, axi_ports(axi_channels(bus)), "monitor")
    channels = {channel.name: channel.stream(signals) for channel in axi_channels(bus)}
    ar, aw = channels["ar"], channels["aw"]
    broken: dict[Rule, Value] = {
        Rule[f"{name.upper()}_UNSTABLE"]: _unstable(m, name, channel) for name, channel in channels.items()
    }
    broken |= {Rule.READ_CROSSES_PAGE: _crosses_page(ar), Rule.WRITE_CROSSES_PAGE: _crosses_page(aw)}
    broken |= {Rule.READ_SHAPE: _misshapen(bus, ar), Rule.WRITE_SHAPE: _misshapen(bus, aw)}
    reads_open, read_faults = _watch_reads(m, channels, most)
    writes_open, write_faults = _watch_writes(m, channels, most)
    _report(m, broken | read_faults | write_faults, reads_open, writes_open)
    return m


def _report(m: Module, broken: dict[Rule, Value], reads_open: Signal, writes_open: Signal) -> None:
    """Outputs: the first fault, and whether all is done."""
    too_many = reads_open[-1] | writes_open[-1]
    code: Value = const(0, _CODE)
    for rule, condition in sorted({**broken, Rule.TOO_MANY_OPEN: too_many}.items(), reverse=True):
        code = mux(condition, const(rule.value, _CODE), code)
    found = m.wire("found", code)
    error = m.register("first_error", _CODE, reset=0)
    with m.clocked(), m.when(error == 0):
        m.assign(error, found)
    m.output("error", error, "the first rule that was broken, or 0")
    m.output("quiet", (reads_open == 0) & (writes_open == 0), "nothing is open")


def _unstable(m: Module, name: str, channel: Stream) -> Value:
    """Whether a stalled word was dropped or changed."""
    with m.clocked(f"Channel {name.upper()}: what waits must stay."):
        waited = m.stored(f"{name}_waited", channel.valid & ~channel.ready, reset=0)
        before = m.stored(f"{name}_before", channel.payload)
    return waited & (~channel.valid | (channel.payload != before))


def _crosses_page(channel: Stream) -> Value:
    """Whether a burst reaches beyond the page that it starts in."""
    address, length, size, _ = channel.fields.values()
    offset_width = PAGE_BYTES.bit_length() - 1
    first = (address[:offset_width] >> size) + length
    return channel.valid & ((first.resized(offset_width + 1) << size).resized(2 * offset_width) >> offset_width).any()


def _misshapen(bus: Bus, channel: Stream) -> Value:
    """Whether a burst does not increment, or is wider than the bus."""
    _, _, size, burst = channel.fields.values()
    return channel.valid & ((burst != 1) | (size > bus.beat_shift))


def _watch_reads(m: Module, channels: dict[str, Stream], most: int) -> tuple[Signal, dict[Rule, Value]]:
    """Bursts that are open, and what is wrong with beats that come back."""
    m.section("Reads: beats against requested bursts.")
    ar, r = channels["ar"], channels["r"]
    beat = m.register("read_beat", _BEATS, reset=0)
    ends = m.wire("read_ends", r.transfer & r.fields["last"])
    reads = add_ring(m, "reads", ar.fields["len"], most, ar.transfer, ends)
    with m.clocked(), m.when(r.transfer):
        m.assign(beat, mux(r.fields["last"], 0, (beat + 1).wrapped(_BEATS)))
    asked = m.wire("asked", reads.count != 0)
    return reads.count, {
        Rule.R_UNASKED: r.valid & ~asked,
        Rule.RLAST_WRONG: r.valid & asked & (r.fields["last"] != (beat == reads.oldest)),
    }


def _watch_writes(m: Module, channels: dict[str, Stream], most: int) -> tuple[Signal, dict[Rule, Value]]:
    """Bursts that are open, and what is wrong with their data and responses. Data may come before addresses."""
    m.section("Writes: requested lengths against burst lengths, and responses.")
    aw, w, b = channels["aw"], channels["w"], channels["b"]
    beat = m.register("write_beat", _BEATS, reset=0)
    ends = m.wire("write_ends", w.transfer & w.fields["last"])
    both = m.wire("both", bit, "a burst has its address and all its data")
    asked = add_ring(m, "writes", aw.fields["len"], most, aw.transfer, both)
    given = add_ring(m, "data", beat, most, ends, both)
    m.assign(both, (asked.count != 0) & (given.count != 0))
    complete = m.register("complete", unsigned(most.bit_length()), reset=0, comment="bursts without a response")
    with m.clocked():
        m.assign(complete, (complete + both - b.transfer).wrapped(complete.bits))
        with m.when(w.transfer):
            m.assign(beat, mux(w.fields["last"], 0, (beat + 1).wrapped(_BEATS)))
    is_open = m.wire("writes_open", (asked.count + complete).resized(complete.width))
    too_long = any_of(beat[-1], both & (given.oldest != asked.oldest))
    alone = {
        Rule.W_WAITS_FOR_AW: aw.valid & ~aw.ready & ~w.valid & (asked.count == 0) & (given.count == 0) & (beat == 0),
        Rule.AW_WAITS_FOR_W: w.valid & ~w.ready & ~aw.valid & (asked.count == 0),
    }
    lonely = {rule: _lasting(m, rule.name.lower(), condition) for rule, condition in alone.items()}
    return is_open, {Rule.WLAST_WRONG: too_long, Rule.B_UNASKED: b.valid & (complete == 0) & ~both, **lonely}


def _lasting(m: Module, name: str, condition: Value) -> Value:
    """Whether something has been so for as many cycles as can be counted."""
    count = m.register(f"{name}_cycles", _PATIENCE, reset=0)
    with m.clocked():
        m.assign(count, mux(condition, (count + 1).wrapped(_PATIENCE), 0))
    return condition & count.all()
