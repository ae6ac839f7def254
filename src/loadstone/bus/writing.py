"""Write masters: a stream of elements goes to the addresses of requests, in bursts.

A core speaks a small protocol of its own: a command (address, number of beats) stands as soon as all beats of its burst
are in the buffer, so that no bus ever waits for data, and beats follow with strobes and a mark on the last one.
"""

from __future__ import annotations

from functools import cache
from typing import assert_never

from loadstone.bus import reading
from loadstone.bus.avalon import avalon_write_ports
from loadstone.bus.axi import INCREMENTING, axi_ports, write_channels
from loadstone.bus.flights import RESPONSE, add_flights, add_record, add_window, show_failures, tell_failure
from loadstone.bus.ports import Bus, Widths, declare_ports, first_lane, widths_of
from loadstone.bus.slices import Packed, add_packer, slot_count, slots_of, spread
from loadstone.rtl import (
    Instance,
    Module,
    Record,
    Signal,
    Stream,
    Value,
    add_queue,
    address_width,
    bit,
    const,
    signed,
    unsigned,
)

_COMMANDS = 32
_OPEN_BURSTS = unsigned(8)
_LEAD = signed(1 + _OPEN_BURSTS.width)


@cache
def make_write_master(bus: Bus, elements: Widths | int, sliced: bool = False) -> Module:
    """A master that writes a stream of elements where requests say, one in a cycle, no beat twice.

    One that is `sliced` takes `slice_slots` slots from `slice_lane` of the word on [slices.py].
    `idle` is set when all requests are written and all responses came. A master that stops takes no more
    elements, and writes the bursts that are complete.
    """
    widths = widths_of(elements)
    name = f"{bus.protocol}_write_{bus.title}_{widths.title}_q{bus.buffered_beats}{reading.sliced_title(sliced)}"
    m = Module(name, f"Writes elements of {widths.widest} bits.")
    requests = reading.declare_requests(m, bus, widths)
    valid, data = m.input("element_valid", bit), m.input("element_data", reading.word_type(bus, widths, sliced))
    ready, idle = m.output("element_ready", bit), m.output("idle", bit, "all is written")
    command_taken, beat_taken, done = m.wire("command_taken", bit), m.wire("beat_taken", bit), m.wire("done", bit)
    stop, response = m.input("stop", bit, "no more elements are taken"), m.wire("answer", RESPONSE)
    ports = {
        **reading.request_ports(requests),
        "element_valid": valid,
        "element_data": data,
        "command_ready": command_taken,
        "beat_ready": beat_taken,
        "done": done,
        "response": response,
        "stop": stop,
        **reading.slice_ports(m, bus, widths, sliced),
    }
    core = m.instance("core", make_write_core(bus, widths, sliced), ports)
    m.assign(requests.ready, core["request_ready"])
    m.assign(ready, core["element_ready"])
    m.assign(idle, core["idle"])
    show_failures(m, dict(core.outputs))
    match bus.protocol:
        case "axi":
            axi = _speak_axi(m, bus, core, command_taken, beat_taken)
            m.assign(done, axi["bvalid"])
            m.assign(response, axi["bresp"])
        case "avalon":
            avalon = _speak_avalon(m, bus, core, command_taken, beat_taken)
            m.assign(done, avalon["writeresponsevalid"])
            m.assign(response, avalon["response"])
        case _:
            assert_never(bus.protocol)
    return m


def _speak_axi(m: Module, bus: Bus, core: Instance, command_taken: Signal, beat_taken: Signal) -> dict[str, Signal]:
    """Commands on channel AW, beats on W from when their command is offered, responses from B; all signals.

    Beats do not wait for their command to be taken: a slave may want to see both before it takes either.
    """
    axi = declare_ports(m, axi_ports(write_channels(bus)), "master")
    lead = m.register("lead", _LEAD, reset=0, comment="bursts whose address was taken, less those whose data were")
    m.assign(axi["awaddr"], core["command_address"])
    m.assign(axi["awlen"], (core["command_beats"] - 1).resized(8).as_unsigned())
    m.assign(axi["awsize"], bus.beat_shift)
    m.assign(axi["awburst"], INCREMENTING)
    addressed = m.wire("addressed", axi["awvalid"] & axi["awready"])
    m.assign(axi["awvalid"], core["command_valid"] & add_window(m, bus.outstanding, addressed, axi["bvalid"]))
    m.assign(axi["wdata"], core["beat_data"])
    m.assign(axi["wstrb"], core["beat_strobe"])
    m.assign(axi["wlast"], core["beat_last"])
    offered = m.wire("offered", (lead > 0) | ((lead == 0) & axi["awvalid"]), "the address of the beat is shown")
    m.assign(axi["wvalid"], core["beat_valid"] & offered)
    m.assign(axi["bready"], 1)
    m.assign(command_taken, addressed)
    m.assign(beat_taken, axi["wready"] & offered)
    ends = m.wire("ends", axi["wvalid"] & axi["wready"] & axi["wlast"])
    with m.clocked():
        m.assign(lead, (lead + addressed - ends).wrapped(_LEAD))
    return axi


def _speak_avalon(m: Module, bus: Bus, core: Instance, command_taken: Signal, beat_taken: Signal) -> dict[str, Signal]:
    """A command stands beside its beats; the last of them that is taken ends it; all signals."""
    avalon = declare_ports(m, avalon_write_ports(bus), "master")
    answered = avalon["writeresponsevalid"]
    m.assign(avalon["address"], core["command_address"])
    m.assign(avalon["burstcount"], core["command_beats"])
    begins = m.wire("may_begin", core["command_valid"] & add_window(m, bus.outstanding, command_taken, answered))
    m.assign(avalon["write"], begins & core["beat_valid"])
    m.assign(avalon["writedata"], core["beat_data"])
    m.assign(avalon["byteenable"], core["beat_strobe"])
    m.assign(beat_taken, begins & ~avalon["waitrequest"])
    m.assign(command_taken, avalon["write"] & ~avalon["waitrequest"] & core["beat_last"])
    return avalon


@cache
def make_write_core(bus: Bus, widths: Widths, sliced: bool = False) -> Module:
    """The part of a writing master that both buses share."""
    buffer = bus.buffered_beats
    name = f"{bus.protocol}_write_core_{bus.title}_{widths.title}_q{buffer}{reading.sliced_title(sliced)}"
    m = Module(name, f"Packs elements of {widths.widest} bits into beats, and beats into bursts.")
    requests = reading.declare_requests(m, bus, widths)
    moves = m.wire("moves", bit, "an element is taken")
    rest, whole = (
        (slot_count(bus, widths), slots_of(bus, widths, requests)) if sliced else (bus.count, requests.fields["count"])
    )
    remaining = m.register("remaining", rest, reset=0, comment="elements of the request that are still to come")
    packed = (add_packer if sliced else _add_packer)(m, bus, widths, requests, remaining, moves)
    pushes = m.wire("pushes", moves & packed.complete, "a beat is complete")
    ends, start, length = _add_burst(m, bus, requests, pushes, packed.is_last)
    command = reading.command_record(bus).made(place=start, beats=length)
    beat = Record({"last": bit, "strobe": bus.strobe, "data": bus.data})
    made = beat.made(last=ends, strobe=packed.strobe, data=packed.word)
    room = _add_queues(m, bus, buffer, pushes, ends, command, made, beat)
    _add_responses(m, bus, pushes & ends, start, remaining, moves, room, packed.left)
    with m.clocked():
        with m.when(requests.transfer):
            m.assign(remaining, whole)
        with m.elsewhen(moves):
            m.assign(remaining, (remaining - packed.taken).wrapped(remaining.bits))
    return m


def _add_packer(m: Module, bus: Bus, widths: Widths, requests: Stream, remaining: Signal, moves: Signal) -> Packed:
    """Collects the elements of a beat."""
    last = m.wire("is_last", remaining == 1, "the element ends its request")
    m.assign(requests.ready, (remaining == 0) | (moves & last))
    element = m.input("element_data", unsigned(widths.widest))
    lanes = widths.lanes(bus)
    if lanes == 1:
        word, strobe = m.wire("word", element), m.wire("strobe", const(bus.strobe.maximum))
        return Packed(const(1), word, strobe, last, const(1), const(0))
    m.section("Elements are gathered into beats.")
    lane_type = unsigned(address_width(lanes))
    lane = m.register("lane", lane_type)
    gathered = m.register("gathered", bus.data, reset=0, comment="the beat so far, 0 where nothing is yet")
    filled = m.register("filled", unsigned(lanes), reset=0, comment="the lanes of it that are filled")
    taken = reading.lanes_taken(m, widths, requests.transfer, requests.fields.get("size", const(0)))
    ones, own = const(1, unsigned(lanes)), element
    if not widths.are_equal:
        ones = m.wire("ones", _ones(lanes, taken), "the lanes of the element, at the bottom")
        own = element & spread(ones, widths.narrowest)[: widths.widest]
    word = m.wire("word", gathered | (own.resized(bus.data_width) << reading.lane_offset(lane, widths.narrowest)))
    now_filled = m.wire("now_filled", filled | (ones << lane).resized(lanes))
    following = m.wire("following_lane", lane + taken)
    complete = m.wire("complete", (following == lanes) | last)
    strobe = m.wire("strobe", spread(now_filled, widths.narrowest // 8))
    with m.clocked():
        with m.when(requests.transfer):
            m.assign(lane, first_lane(bus, lanes, requests.fields["address"]))
        with m.elsewhen(moves):
            m.assign(lane, following.wrapped(lane_type))
        with m.when(moves & complete):
            m.assign(gathered, 0)
            m.assign(filled, 0)
        with m.elsewhen(moves):
            m.assign(gathered, word)
            m.assign(filled, now_filled)
    return Packed(complete, word, strobe, last, const(1), const(0))


def _ones(lanes: int, taken: Value) -> Value:
    """So many ones as there are lanes taken."""
    return ((const(1, unsigned(lanes + 1)) << taken) - 1).wrapped(unsigned(lanes))


def _add_burst(m: Module, bus: Bus, requests: Stream, pushes: Signal, last: Signal) -> tuple[Signal, Signal, Value]:
    """The burst that is being filled: whether this beat ends it, its first place, and its length."""
    m.section("Beats form bursts, which end at multiples of the longest one.")
    place = m.register("place", bus.place, comment="the beat that is being filled")
    start = m.register("start", bus.place, comment="the first beat of its burst")
    ends = m.wire("ends", last | place[: bus.burst_shift].all())
    following = m.wire("following", (place + 1).wrapped(bus.place))
    with m.clocked():
        with m.when(requests.transfer):
            m.assign(place, requests.fields["address"][bus.beat_shift :])
            m.assign(start, requests.fields["address"][bus.beat_shift :])
        with m.elsewhen(pushes):
            m.assign(place, following)
            with m.when(ends):
                m.assign(start, following)
    length = place[: bus.burst_shift] - start[: bus.burst_shift] + 1
    return ends, start, length.wrapped(bus.length)


def _add_queues(
    m: Module, bus: Bus, buffer: int, pushes: Signal, ends: Signal, command: Value, beat: Value, record: Record
) -> Signal:
    """The queues of commands and of beats; whether both have room."""
    taken = {name: m.input(f"{name}_ready", bit) for name in ("command", "beat")}
    commands = add_queue(m, "commands", _COMMANDS, pushes & ends, command, taken["command"])
    beats = add_queue(m, "beats", buffer, pushes, beat, taken["beat"])
    reading.show_command(m, bus, commands)
    m.output("beat_valid", beats.valid)
    for field in ("data", "strobe", "last"):
        m.output(f"beat_{field}", record.unpacked(beats.data)[field])
    return m.wire("room", commands.room & beats.room)


def _add_responses(
    m: Module,
    bus: Bus,
    burst_ends: Value,
    place: Value,
    remaining: Signal,
    moves: Signal,
    room: Signal,
    left: Value,
) -> None:
    """Counts bursts that are not done; says when an element, or the rest of one, is taken, and when all is written."""
    m.section("Bursts are open until they are done.")
    done, response, valid = m.input("done", bit), m.input("response", RESPONSE), m.input("element_valid", bit)
    flights, count = add_flights(m), m.register("open_bursts", _OPEN_BURSTS, reset=0)
    fails = m.wire("fails", done & response[1])
    oldest = add_record(m, place, 1 << _OPEN_BURSTS.width, burst_ends, done & ~fails & ~flights.failed)
    tell_failure(m, flights, fails, response, oldest << bus.beat_shift, count == 0)
    ready = m.output("element_ready", (remaining != 0) & room & ~count.all() & ~flights.stops)
    m.assign(moves, (valid & ready) | (left & room & ~count.all() & ~flights.stops))
    m.output("idle", (remaining == 0) & ~left & (count == 0))
    with m.clocked():
        m.assign(count, (count + burst_ends - done).wrapped(_OPEN_BURSTS))
