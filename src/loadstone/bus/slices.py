"""Slices: neighbouring elements that move in one cycle, between beats of a bus and a word that is as wide as a beat.

A beat has slots for elements of the narrowest kind. The slots of a slice follow each other in its request, and in the
word, where the first of them has some lane; at neither end do they need to begin where a beat does. The beats of a
request are rotated to the lanes of its slices, or slices to the lanes of beats: a slot of lane l goes to the lane
l + distance, modulo the number of slots.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.bus.ports import Bus, Widths, first_lane
from loadstone.rtl import (
    Bits,
    Module,
    Record,
    Signal,
    Stream,
    Value,
    add_queue,
    address_width,
    bit,
    cat,
    mux,
    repeat,
    unsigned,
)
from loadstone.rtl.blocks import Queue

LANE, SLOTS = "slice_lane", "slice_slots"
"""The inputs of a master for the slice that it moves: the lane of its first slot, and the number of its slots."""


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """A slice in a word of `slots` lanes: where it begins, and how many slots it has."""

    lane: Signal
    count: Signal


def declare_slice(m: Module, slots: int) -> Slice:
    """The inputs for a slice."""
    lane = m.input(LANE, unsigned(address_width(slots)), "of the word: the first slot of the slice")
    return Slice(lane, m.input(SLOTS, unsigned(slots.bit_length()), "of the slice, at least one"))


def spread(flags: Value, times: int) -> Value:
    """The flags, each repeated."""
    return cat(*(repeat(flags[k], times) for k in reversed(range(flags.width))))


def chosen_slots(flags: Value, width: int, left: Value, right: Value) -> Value:
    """The slots of the left word where flags are set, else those of the right one."""
    parts = [
        mux(flags[k], left[k * width : (k + 1) * width], right[k * width : (k + 1) * width])
        for k in reversed(range(flags.width))
    ]
    return cat(*parts)


def rotated_down(m: Module, name: str, word: Value, width: int, distance: Value) -> Value:
    """The word with each slot so many lanes lower, and the lowest ones on top."""
    for place in range(distance.width):
        by = width << place
        word = m.wire(f"{name}_{place}", mux(distance[place], cat(word[:by], word[by:]), word))
    return word


def add_aligner(
    m: Module, bus: Bus, widths: Widths, buffer: int, requests: Stream, starts: Signal, beats: Queue, popped: Signal
) -> Queue:
    """Gives slices of requests out of their beats; the queue of requests that wait for it.

    A beat of which a slice leaves slots is held, so that the next slice can have them with some of the next beat. A
    slice over two beats of which none is held waits a cycle.
    """
    m.section("Beats are cut into slices, request by request.")
    slots = widths.lanes(bus)
    ready, asked, loads = m.input("element_ready", bit), declare_slice(m, slots), m.wire("loads", bit)
    segment = Record({"lane": asked.lane.bits, "slots": slot_count(bus, widths)})
    made = segment.made(lane=first_lane(bus, slots, requests.fields["address"]), slots=slots_of(bus, widths, requests))
    segments = add_queue(m, "segments", buffer, starts, made, loads)
    lane, remaining = m.register("lane", asked.lane.bits), m.register("remaining", slot_count(bus, widths), reset=0)
    end = m.wire("end_of_slice", lane + asked.count)
    is_last = m.wire("is_last", remaining == asked.count, "the slice ends its request")
    moves = _add_held(m, bus, widths, asked, beats, popped, (lane, end, remaining, is_last))
    m.assign(moves, m["element_valid"] & ready)
    m.assign(loads, (remaining == 0) | (moves & is_last))
    following = segment.unpacked(segments.data)
    with m.clocked():
        with m.when(loads):
            m.assign(lane, following["lane"])
            m.assign(remaining, mux(segments.valid, following["slots"], 0))
        with m.elsewhen(moves):
            m.assign(lane, end.wrapped(lane.bits))
            m.assign(remaining, (remaining - asked.count).wrapped(remaining.bits))
    return segments


def _add_held(
    m: Module,
    bus: Bus,
    widths: Widths,
    asked: Slice,
    beats: Queue,
    popped: Signal,
    place: tuple[Signal, Signal, Signal, Signal],
) -> Signal:
    """The beat that is held, and the slice in it and the next one; the wire that says whether the slice moves."""
    lane, end, remaining, is_last = place
    slots, moves = widths.lanes(bus), m.wire("moves", bit)
    held, holds = m.register("held", bus.data), m.register("holds", bit, reset=0, comment="slots of a beat are held")
    crosses, is_open = m.wire("crosses", end > slots), m.wire("is_open", remaining != 0)
    m.output("element_valid", is_open & mux(crosses, holds & beats.valid, holds | beats.valid))
    fills = m.wire("fills", is_open & ~holds & crosses & beats.valid, "the first of two beats is held")
    m.assign(popped, fills | (moves & (crosses | ~holds)))
    with m.clocked():
        with m.when(popped):
            m.assign(held, beats.data)
        with m.when(moves | fills):
            m.assign(holds, fills | ((end != slots) & ~is_last))
    old = m.wire("old_slots", cat(*(holds & (lane <= k) for k in reversed(range(slots)))))
    word = m.wire("merged", chosen_slots(old, widths.narrowest, held, beats.data))
    distance = m.wire("distance", (lane - asked.lane).wrapped(lane.bits))
    m.output("element_data", rotated_down(m, "rotated", word, widths.narrowest, distance))
    return moves


def slot_count(bus: Bus, widths: Widths) -> Bits:
    """The type of numbers of slots in a request."""
    return unsigned(bus.count_width + widths.largest)


def slots_of(bus: Bus, widths: Widths, requests: Stream) -> Value:
    """The slots of the elements of a request."""
    count = requests.fields["count"].resized(slot_count(bus, widths).width)
    return count << requests.fields["size"] if "size" in requests.fields else count


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """The beat in a packer: whether it is complete, its bits, which bytes are set, and whether it ends its request.

    `taken` is what goes off the rest of the request; `left` says that the request has a further beat, and no slice.
    """

    complete: Value
    word: Signal
    strobe: Signal
    is_last: Signal
    taken: Value
    left: Value


def add_packer(m: Module, bus: Bus, widths: Widths, requests: Stream, remaining: Signal, moves: Signal) -> Packed:
    """Gathers slices into beats; what is left of a last slice over two beats takes a cycle of its own."""
    m.section("Slices are gathered into beats.")
    slots, given = widths.lanes(bus), declare_slice(m, widths.lanes(bus))
    lane = m.register("lane", given.lane.bits)
    gathered = m.register("gathered", bus.data, reset=0, comment="the beat so far")
    filled = m.register("filled", unsigned(slots), reset=0, comment="the slots of it that are filled")
    left = m.register("left", bit, reset=0, comment="slots of the last slice are left")
    end, ends = m.wire("end_of_slice", lane + given.count), m.wire("ends_request", remaining == given.count)
    crosses, distance = m.wire("crosses", end > slots), m.wire("distance", (given.lane - lane).wrapped(lane.bits))
    own = rotated_down(m, "rotated", m.input("element_data", bus.data), widths.narrowest, distance)
    fits = m.wire("fits", cat(*(~left & (lane <= k) & (end > k) for k in reversed(range(slots)))))
    over = m.wire("over", cat(*(~left & (end > slots + k) for k in reversed(range(slots)))), "slots of the next beat")
    word = m.wire("word", chosen_slots(fits, widths.narrowest, own, gathered))
    now = m.wire("now_filled", filled | fits)
    complete = m.wire("complete", left | ends | (end >= slots))
    with m.clocked():
        with m.when(requests.transfer):
            m.assign(lane, first_lane(bus, slots, requests.fields["address"]))
        with m.elsewhen(moves):
            m.assign(lane, end.wrapped(lane.bits))
        with m.when(moves):
            m.assign(left, ~left & ends & crosses)
            m.assign(gathered, mux(complete, own, word))
            m.assign(filled, mux(complete, over, now))
    is_last = m.wire("is_last", left | (ends & ~crosses), "the beat ends its request")
    m.assign(requests.ready, ((remaining == 0) & ~left) | (moves & is_last))
    strobe = m.wire("strobe", spread(now, widths.narrowest // 8))
    return Packed(complete, word, strobe, is_last, mux(left, 0, given.count), left)
