"""An external memory in hardware, for simulation: an AXI slave with the timing of a DRAM."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from loadstone.bus.axi import axi_channels, axi_ports
from loadstone.bus.ports import Bus, declare_ports, is_power
from loadstone.dram.timing import BeatTiming, Timing
from loadstone.rtl import (
    Memory,
    Module,
    Ring,
    RtlError,
    Signal,
    Stream,
    Value,
    add_ring,
    bit,
    cat,
    const,
    mux,
    repeat,
    unsigned,
)

COUNTER = unsigned(32)
_REQUESTS = 16
_LENGTH = unsigned(8)


@dataclass(frozen=True, slots=True, eq=False)
class _Beat:
    """The beat whose turn it is."""

    waits: Value
    is_write: Value
    position: Signal
    is_last: Signal


@dataclass(frozen=True, slots=True, eq=False)
class _Service:
    """How far the beat is: whether its row is open, time passes for it, it is through, it did not begin."""

    is_hit: Signal
    passes: Signal
    ends: Signal
    between: Signal


@cache
def make_memory(timing: Timing, bus: Bus, depth: int) -> Module:
    """A memory of `depth` words of the bus, a power of two, in the rtl memory `words`; addresses wrap around in it.

    Bursts are served one after the other in the order in which their addresses arrive, reads and writes in turn where
    both arrive at once. Each beat has the data bus of the DRAM for itself for the cycles that `timing` says, and a
    response follows `latency` cycles after the address at the earliest, while later beats are already served. Outputs
    count beats in open rows, beats that had to open a row, cycles of service, and words read and written.
    """
    if not is_power(depth):
        raise RtlError(f"a memory of {depth} words: the number must be a power of two")
    beats = timing.for_beats(bus.data_width)
    m = Module(
        f"memory_{timing.name}_{bus.address_width}_{bus.data_width}x{depth}", f"External memory, timing {timing.name}."
    )
    signals = declare_ports(m, axi_ports(axi_channels(bus)), "slave")
    channels = {channel.name: channel.stream(signals) for channel in axi_channels(bus)}
    ends = m.wire("ends", bit, "a beat is through")
    beat = _add_requests(m, bus, channels, ends)
    room = m.wire("room", bit, "a response can be stored")
    refreshes = m.wire("refreshes", bit)
    service = _add_service(m, beats, beat, channels["w"], room, ends, refreshes)
    words = m.memory("words", bus.data, depth, latency=0)
    word = _add_words(m, words, beat, channels["w"], ends)
    m.assign(channels["w"].ready, ends & beat.is_write)
    _add_refresh(m, beats, service.between, refreshes)
    _add_responses(m, beats, beat, channels, word, ends, room)
    _add_counters(m, beat, service)
    return m


def _add_requests(m: Module, bus: Bus, channels: dict[str, Stream], ends: Signal) -> _Beat:
    """Takes addresses into one queue, and walks through the beats of the oldest."""
    m.section("Bursts wait in the order in which they came.")
    ar, aw = channels["ar"], channels["aw"]
    turn = m.register("turn", bit, reset=0, comment="a write goes first if both come at once")
    takes = m.wire("takes", bit)
    done = m.register("done", _LENGTH, reset=0, comment="beats of the oldest burst that are through")
    is_last = m.wire("is_last", bit)
    (read_address, read_length, *_), (write_address, write_length, *_) = ar.fields.values(), aw.fields.values()
    address = mux(aw.transfer, write_address, read_address)[bus.beat_shift :]
    burst = cat(aw.transfer, address, mux(aw.transfer, write_length, read_length))
    ring = add_ring(m, "requests", burst, _REQUESTS, takes, ends & is_last)
    free = m.wire("free", ring.count != _REQUESTS)
    m.assign(takes, ar.transfer | aw.transfer)
    m.assign(ar.ready, free & ~(aw.valid & turn))
    m.assign(aw.ready, free & ~(ar.valid & ~turn))
    m.assign(is_last, done == ring.oldest[: _LENGTH.width])
    with m.clocked():
        with m.when(takes):
            m.assign(turn, ar.transfer)
        with m.when(ends):
            m.assign(done, mux(is_last, 0, (done + 1).wrapped(_LENGTH)))
    position = m.wire("position", (ring.oldest[_LENGTH.width : -1] + done).wrapped(bus.place))
    return _Beat(ring.count != 0, ring.oldest[-1], position, is_last)


def _add_service(
    m: Module, beats: BeatTiming, beat: _Beat, w: Stream, room: Signal, ends: Signal, refreshes: Signal
) -> _Service:
    """Lets the time of each beat pass, which begins when its data are there."""
    m.section("A beat takes longer where it must open a row.")
    is_hit = _add_rows(m, beats, beat.position, ends, refreshes)
    longest = max(beats.row_change, beats.hit)
    elapsed = m.register("elapsed", unsigned(longest.bit_length()), reset=0)
    begun = m.wire("begun", beat.waits & (~beat.is_write | w.valid) & ~refreshes)
    is_over = m.wire("is_over", elapsed == mux(is_hit, beats.hit - 1, beats.row_change - 1))
    m.assign(ends, begun & is_over & room)
    with m.clocked():
        with m.when(ends):
            m.assign(elapsed, 0)
        with m.elsewhen(begun & ~is_over):
            m.assign(elapsed, (elapsed + 1).wrapped(elapsed.bits))
    passes = m.wire("passes", (begun & ~is_over) | ends)
    return _Service(is_hit, passes, ends, m.wire("between", elapsed == 0, "no beat has begun"))


def _add_rows(m: Module, beats: BeatTiming, position: Signal, ends: Signal, refreshes: Signal) -> Signal:
    """The open row of each bank; whether that of the beat is open."""
    row_shift = (beats.row_beats - 1).bit_length()
    bank_width = (beats.banks - 1).bit_length()
    row = m.wire("row", position[row_shift + bank_width :])
    bank = m.wire("bank", position[row_shift : row_shift + bank_width] if bank_width else const(0))
    rows = m.memory("rows", row.bits, max(2, beats.banks), latency=0)
    rows.write(bank, row, ends)
    is_open = m.register("is_open", unsigned(beats.banks), reset=0, comment="the banks with an open row")
    with m.clocked():
        with m.when(refreshes):
            m.assign(is_open, 0)
        with m.elsewhen(ends):
            m.assign(is_open, is_open | (const(1, is_open.bits) << bank))
    return m.wire("is_hit", is_open[bank] & (rows.read(bank) == row))


def _add_refresh(m: Module, beats: BeatTiming, between: Signal, refreshes: Signal) -> None:
    """Stops service and closes all rows from time to time, between two beats."""
    if not beats.refresh_interval:
        m.assign(refreshes, 0)
        return
    m.section("Refresh.")
    clock = m.register("clock", unsigned(beats.refresh_interval.bit_length()), reset=0)
    due = m.register("due", bit, reset=0)
    left = m.register("left", unsigned(beats.refresh.bit_length()), reset=0, comment="cycles of refresh to come")
    begins = m.wire("begins", due & (left == 0) & between)
    m.assign(refreshes, begins | (left != 0))
    wraps = m.wire("wraps", clock == beats.refresh_interval - 1)
    with m.clocked():
        m.assign(clock, mux(wraps, 0, (clock + 1).wrapped(clock.bits)))
        with m.when(wraps):
            m.assign(due, 1)
        with m.elsewhen(begins):
            m.assign(due, 0)
        with m.when(begins):
            m.assign(left, beats.refresh - 1)
        with m.elsewhen(left != 0):
            m.assign(left, (left - 1).wrapped(left.bits))


def _add_words(m: Module, words: Memory, beat: _Beat, w: Stream, ends: Signal) -> Signal:
    """Reads the word of the beat, and writes those of its bytes that are to be written."""
    index = m.wire("place", beat.position[: words.address_type.width])
    word = words.read(index)
    data, strobe, _ = w.fields.values()
    mask = m.wire("mask", cat(*(repeat(strobe[k], 8) for k in reversed(range(strobe.width)))))
    words.write(index, (word & ~mask) | (data & mask), ends & beat.is_write)
    return word


def _add_responses(
    m: Module, beats: BeatTiming, beat: _Beat, channels: dict[str, Stream], word: Signal, ends: Signal, room: Signal
) -> None:
    """Responses wait until the latency has passed."""
    m.section("Responses.")
    r, b = channels["r"], channels["b"]
    depth = 1 << (beats.delay + 8).bit_length()
    reads = m.wire("reads", ends & ~beat.is_write)
    acknowledges = m.wire("acknowledges", ends & beat.is_write & beat.is_last)
    answers = add_ring(m, "answers", cat(beat.is_last, word), depth, reads, r.transfer)
    written = _add_open_count(m, "written", depth, acknowledges, b.transfer)
    m.assign(room, (answers.count != depth) & (written != depth))
    m.assign(r.valid, _add_due_count(m, "read", beats.delay, depth, reads, r.transfer) != 0)
    m.assign(b.valid, _add_due_count(m, "write", beats.delay, depth, acknowledges, b.transfer) != 0)
    _show(m, r, answers)
    m.assign(b.fields["resp"], 0)


def _show(m: Module, r: Stream, answers: Ring) -> None:
    """Drives the payload of channel R."""
    data, response, last = r.fields.values()
    m.assign(data, answers.oldest[:-1])
    m.assign(response, 0)
    m.assign(last, answers.oldest[-1])


def _add_open_count(m: Module, name: str, most: int, more: Value, fewer: Value) -> Signal:
    """How many things came and did not go yet."""
    count = m.register(f"{name}_count", unsigned(most.bit_length()), reset=0)
    with m.clocked():
        m.assign(count, (count + more - fewer).wrapped(count.bits))
    return count


def _add_due_count(m: Module, name: str, delay: int, most: int, comes: Signal, goes: Value) -> Signal:
    """How many things came `delay` cycles ago or earlier, and did not go yet."""
    if delay == 1:
        return _add_open_count(m, f"{name}_due", most, comes, goes)
    line = m.register(f"{name}_line", unsigned(delay - 1), reset=0, comment="what comes after some cycles")
    with m.clocked():
        m.assign(line, cat(line, comes).resized(delay - 1))
    return _add_open_count(m, f"{name}_due", most, line[-1], goes)


def _add_counters(m: Module, beat: _Beat, service: _Service) -> None:
    """Outputs that count."""
    m.section("Counters.")
    counted = {
        "row_hits": service.ends & service.is_hit,
        "row_changes": service.ends & ~service.is_hit,
        "busy_cycles": service.passes,
        "words_read": service.ends & ~beat.is_write,
        "words_written": service.ends & beat.is_write,
    }
    for name, condition in counted.items():
        count = m.register(f"{name}_total", COUNTER, reset=0)
        with m.clocked(), m.when(condition):
            m.assign(count, (count + 1).wrapped(COUNTER))
        m.output(name, count)
