"""Read masters: requests for elements become bursts, and the elements come back as a stream.

A core speaks a small protocol of its own: commands (address, number of beats) with a handshake, and beats that come
back in order with their responses and are always taken, since no burst is issued without room for it. Both buses
need no more.
"""

from __future__ import annotations

from functools import cache
from typing import assert_never

from loadstone.bus.avalon import avalon_read_ports
from loadstone.bus.axi import INCREMENTING, axi_ports, read_channels
from loadstone.bus.flights import RESPONSE, Flights, add_flights, add_record, add_window, show_failures, tell_failure
from loadstone.bus.ports import Bus, Widths, declare_ports, first_lane, widths_of
from loadstone.bus.slices import LANE, SLOTS, add_aligner, declare_slice
from loadstone.rtl import (
    Bits,
    Instance,
    Module,
    Record,
    Signal,
    Stream,
    Value,
    add_queue,
    address_width,
    bit,
    cat,
    const,
    mux,
    unsigned,
)
from loadstone.rtl.blocks import Queue


def declare_requests(m: Module, bus: Bus, widths: Widths) -> Stream:
    """The ports for requests: a byte address, which is a multiple of the element, and a number of elements.

    Where there are several widths, requests have the size of their elements.
    """
    valid, ready = m.input("request_valid", bit), m.output("request_ready", bit)
    fields = {"address": m.input("request_address", bus.address, "in bytes")}
    fields["count"] = m.input("request_count", bus.count, "elements; none is allowed")
    if not widths.are_equal:
        fields["size"] = m.input("request_size", widths.size, f"of {widths.narrowest} << size")
    return Stream(valid, ready, fields)


def request_ports(requests: Stream) -> dict[str, Signal]:
    """What a core takes of the requests of its master."""
    return {"request_valid": requests.valid, **{f"request_{name}": value for name, value in requests.fields.items()}}


@cache
def make_read_master(bus: Bus, elements: Widths | int, sliced: bool = False) -> Module:
    """A master that gives the elements of requests in order, one in a cycle, and asks for no beat twice.

    With `sliced`, it gives `slice_slots` slots at once, from `slice_lane` of the word on [slices.py].

    Elements that are narrower than the widest have others above them in the word. The buffer holds requested
    beats. No cycle is lost while the latency is less than all of the longest bursts in it but one take, in cycles,
    with 8 cycles for the master itself.
    """
    widths = widths_of(elements)
    name = f"{bus.protocol}_read_{bus.title}_{widths.title}_q{bus.buffered_beats}{sliced_title(sliced)}"
    m = Module(name, f"Reads elements of {widths.widest} bits.")
    requests = declare_requests(m, bus, widths)
    valid, data = m.output("element_valid", bit), m.output("element_data", word_type(bus, widths, sliced))
    ready, stop = m.input("element_ready", bit), m.input("stop", bit, "no more bursts are asked for")
    taken, arrived, word = m.wire("taken", bit), m.wire("arrived", bit), m.wire("word", bus.data)
    response = m.wire("answer", RESPONSE)
    ports = {
        **request_ports(requests),
        "element_ready": ready,
        "command_ready": taken,
        "beat_valid": arrived,
        "beat_data": word,
        "beat_response": response,
        "stop": stop,
        **slice_ports(m, bus, widths, sliced),
    }
    core = m.instance("core", make_read_core(bus, widths, sliced), ports)
    m.assign(requests.ready, core["request_ready"])
    m.assign(valid, core["element_valid"])
    m.assign(data, core["element_data"])
    show_failures(m, dict(core.outputs))
    match bus.protocol:
        case "axi":
            axi = _speak_axi(m, bus, core, taken)
            for signal, name in ((arrived, "rvalid"), (word, "rdata"), (response, "rresp")):
                m.assign(signal, axi[name])
        case "avalon":
            avalon = _speak_avalon(m, bus, core, taken)
            for signal, name in ((arrived, "readdatavalid"), (word, "readdata"), (response, "response")):
                m.assign(signal, avalon[name])
        case _:
            assert_never(bus.protocol)
    return m


def sliced_title(sliced: bool) -> str:
    """Slices in the name of a master."""
    return "_sliced" if sliced else ""


def word_type(bus: Bus, widths: Widths, sliced: bool) -> Bits:
    """What a master gives or takes in a cycle: an element, or a slice in a word as wide as a beat."""
    return bus.data if sliced else unsigned(widths.widest)


def slice_ports(m: Module, bus: Bus, widths: Widths, sliced: bool) -> dict[str, Signal]:
    """What a core takes of the slices of its master."""
    if not sliced:
        return {}
    given = declare_slice(m, widths.lanes(bus))
    return {LANE: given.lane, SLOTS: given.count}


def _speak_axi(m: Module, bus: Bus, core: Instance, taken: Signal) -> dict[str, Signal]:
    """Commands on channel AR, beats from channel R; all signals."""
    axi = declare_ports(m, axi_ports(read_channels(bus)), "master")
    m.assign(axi["araddr"], core["command_address"])
    m.assign(axi["arlen"], (core["command_beats"] - 1).resized(8).as_unsigned())
    m.assign(axi["arsize"], bus.beat_shift)
    m.assign(axi["arburst"], INCREMENTING)
    m.assign(axi["arvalid"], core["command_valid"])
    m.assign(axi["rready"], 1)
    m.assign(taken, axi["arready"])
    return axi


def _speak_avalon(m: Module, bus: Bus, core: Instance, taken: Signal) -> dict[str, Signal]:
    """Commands as bursts of reads; all signals."""
    avalon = declare_ports(m, avalon_read_ports(bus), "master")
    m.assign(avalon["address"], core["command_address"])
    m.assign(avalon["burstcount"], core["command_beats"])
    m.assign(avalon["read"], core["command_valid"])
    m.assign(taken, ~avalon["waitrequest"])
    return avalon


@cache
def make_read_core(bus: Bus, widths: Widths, sliced: bool = False) -> Module:
    """The part of a reading master that both buses share."""
    buffer = bus.buffered_beats
    name = f"{bus.protocol}_read_core_{bus.title}_{widths.title}_q{buffer}{sliced_title(sliced)}"
    m = Module(name, f"Cuts requests for elements of {widths.widest} bits into bursts, and beats into elements.")
    requests = declare_requests(m, bus, widths)
    popped = m.wire("popped", bit, "a beat leaves the buffer")
    starts = m.wire("starts", bit, "a request that asks for something is taken")
    m.assign(starts, requests.transfer & (requests.fields["count"] != 0))
    beats = _add_buffer(m, bus, buffer, popped)
    room = _add_cutter(m, bus, widths.lanes(bus), buffer, requests, starts, popped)
    if widths.lanes(bus) == 1:
        _add_plain_output(m, bus, beats, popped)
        m.assign(requests.ready, room)
    else:
        add_output = add_aligner if sliced else _add_unpacker
        segments = add_output(m, bus, widths, buffer, requests, starts, beats, popped)
        m.assign(requests.ready, room & segments.room)
    return m


def _add_buffer(m: Module, bus: Bus, buffer: int, popped: Signal) -> Queue:
    """The queue of beats that arrived."""
    arrived, data = m.input("beat_valid", bit), m.input("beat_data", bus.data)
    return add_queue(m, "beats", buffer, arrived, data, popped)


def _add_cutter(
    m: Module, bus: Bus, lanes: int, buffer: int, requests: Stream, starts: Signal, popped: Signal
) -> Signal:
    """Cuts requests at multiples of the longest burst; whether it can take a request in this cycle."""
    m.section("Requests are cut into bursts, each when the buffer has room for the longest one.")
    flights = add_flights(m)
    place = m.register("place", bus.place, comment="the next beat")
    left = m.register("left", unsigned(bus.count_width + 1), reset=0, comment="beats that are still to be asked for")
    free = m.register("free", unsigned(buffer.bit_length()), reset=buffer, comment="beats that the buffer has room for")
    reach = m.wire("reach", (bus.burst - place[: bus.burst_shift]).wrapped(bus.length), "beats to the next multiple")
    ends = m.wire("ends", left <= reach, "the burst is the last of its request")
    length = m.wire("length", mux(ends, left.resized(bus.length.width), reach))
    queued, issue = m.wire("queued", bit), m.wire("issue", bit)
    _add_commands(m, bus, place, length, issue, queued)
    open_window = _add_responses(m, bus, buffer, flights, place, length, issue)
    m.assign(issue, (left != 0) & (free >= bus.burst) & queued & ~flights.stops & open_window)
    with m.clocked():
        with m.when(starts):
            m.assign(place, requests.fields["address"][bus.beat_shift :])
            m.assign(left, beats_of(bus, lanes, requests))
        with m.elsewhen(issue):
            m.assign(place, cat(place[bus.burst_shift :] + 1, const(0, unsigned(bus.burst_shift))).wrapped(bus.place))
            m.assign(left, mux(ends, 0, left - reach).wrapped(left.bits))
        m.assign(free, (free - mux(issue, length, 0) + popped).wrapped(free.bits))
    return m.wire("cutter_ready", (left == 0) | (issue & ends))


def _add_commands(m: Module, bus: Bus, place: Signal, length: Signal, issue: Signal, queued: Signal) -> None:
    """Registers between the cutter and the bus."""
    command = command_record(bus).made(place=place, beats=length)
    queue = add_queue(m, "commands", 2, issue, command, m.input("command_ready", bit))
    m.assign(queued, queue.room)
    show_command(m, bus, queue)


def show_command(m: Module, bus: Bus, queue: Queue) -> None:
    """Outputs for the oldest command."""
    command = command_record(bus).unpacked(queue.data)
    m.output("command_valid", queue.valid)
    m.output("command_address", command["place"] << bus.beat_shift)
    m.output("command_beats", command["beats"])


def command_record(bus: Bus) -> Record:
    """A command in a queue: the place of a burst, in beats, and their number."""
    return Record({"place": bus.place, "beats": bus.length})


def _add_responses(
    m: Module, bus: Bus, buffer: int, flights: Flights, place: Signal, length: Signal, issue: Signal
) -> Value:
    """Follows beats that come back, a cycle later: the record of a burst is there two cycles after its issue.

    Whether a further burst may be issued.
    """
    m.section("Responses.")
    comes, response = m["beat_valid"], m.input("beat_response", RESPONSE)
    awaited = m.register("awaited", unsigned(buffer.bit_length()), reset=0, comment="beats that are still to come")
    offset = m.register("offset", unsigned(bus.burst_shift), reset=0, comment="beats of the oldest burst that came")
    came = m.stored("came", comes, reset=0)
    fails, last = m.stored("fails", comes & response[1], reset=0), m.wire("last_offset", offset.bits)
    goes_on = m.wire("goes_on", came & ~fails & ~flights.failed)
    final = (length - 1).wrapped(offset.bits)
    oldest = add_record(m, cat(place, final), buffer, issue, goes_on & (offset == last))
    m.assign(last, oldest[: offset.width])
    first = oldest[offset.width :]
    beat = cat(first[bus.burst_shift :], (first[: bus.burst_shift] + offset).wrapped(offset.bits))
    with m.clocked():
        m.assign(awaited, (awaited + mux(issue, length, 0) - comes).wrapped(awaited.bits))
        with m.when(goes_on):
            m.assign(offset, mux(offset == last, 0, (offset + 1).wrapped(offset.bits)))
    quiet = (awaited == 0) & ~came
    tell_failure(m, flights, fails, m.stored("came_response", response), beat << bus.beat_shift, quiet)
    return add_window(m, bus.outstanding, issue, goes_on & (offset == last))


def beats_of(bus: Bus, lanes: int, requests: Stream) -> Value:
    """The beats that the elements of a request touch."""
    shift = (lanes - 1).bit_length()
    ahead = first_lane(bus, lanes, requests.fields["address"]) if lanes > 1 else const(0)
    taken = requests.fields["count"] << requests.fields.get("size", const(0))
    return ((taken + ahead + (lanes - 1)) >> shift).resized(bus.count_width + 1)


def _add_plain_output(m: Module, bus: Bus, beats: Queue, popped: Signal) -> None:
    """Beats are elements."""
    ready = m.input("element_ready", bit)
    m.output("element_valid", beats.valid)
    m.output("element_data", beats.data)
    m.assign(popped, beats.valid & ready)


def _add_unpacker(
    m: Module,
    bus: Bus,
    widths: Widths,
    buffer: int,
    requests: Stream,
    starts: Signal,
    beats: Queue,
    popped: Signal,
) -> Queue:
    """Takes the elements of each request out of its beats; the queue of requests that wait for it."""
    m.section("Beats are cut into elements, request by request.")
    lanes = widths.lanes(bus)
    lane_type = unsigned(address_width(lanes))
    ready, loads = m.input("element_ready", bit), m.wire("loads", bit)
    sizes = () if widths.are_equal else (requests.fields["size"],)
    segment = cat(*sizes, first_lane(bus, lanes, requests.fields["address"]), requests.fields["count"])
    segments = add_queue(m, "segments", buffer, starts, segment, loads)
    lane = m.register("lane", lane_type)
    following = m.wire("following", lane + lanes_taken(m, widths, loads, segments.data[-widths.size.width :]))
    remaining = m.register("remaining", bus.count, reset=0, comment="elements of the request that are still to come")
    ends = m.wire("segment_ends", remaining == 1)
    valid = m.output("element_valid", (remaining != 0) & beats.valid)
    m.output("element_data", (beats.data >> lane_offset(lane, widths.narrowest))[: widths.widest])
    moves = m.wire("moves", valid & ready)
    m.assign(popped, moves & (ends | (following == lanes)))
    m.assign(loads, (remaining == 0) | (moves & ends))
    with m.clocked():
        with m.when(loads):
            m.assign(lane, segments.data[bus.count_width :].resized(lane_type.width))
            m.assign(remaining, mux(segments.valid, segments.data[: bus.count_width], 0))
        with m.elsewhen(moves):
            m.assign(lane, following.wrapped(lane_type))
            m.assign(remaining, (remaining - 1).wrapped(bus.count))
    return segments


def lanes_taken(m: Module, widths: Widths, loads: Value, size: Value) -> Value:
    """The lanes of an element of the current request, whose size is given with the request."""
    if widths.are_equal:
        return const(1)
    kept = m.register("size", widths.size)
    with m.clocked(), m.when(loads):
        m.assign(kept, size)
    return const(1, unsigned(1 + widths.largest)) << kept


def lane_offset(lane: Value, element_width: int) -> Value:
    """The first bit of a lane."""
    return cat(lane, const(0, unsigned((element_width - 1).bit_length())))
