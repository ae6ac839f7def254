"""Masters that read: requests for elements become bursts, and the elements come back as a stream.

A core speaks a small protocol of its own: commands (address, number of beats) with a handshake, and beats that come
back in order and are always taken, since no burst is asked for without room for it. Both buses need no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import assert_never

from loadstone.bus.avalon import avalon_read_ports
from loadstone.bus.axi import INCREMENTING, axi_ports, read_channels
from loadstone.bus.ports import Bus, declare_ports, lanes_of
from loadstone.rtl import (
    Instance,
    Module,
    RtlError,
    Signal,
    Value,
    address_width,
    bit,
    cat,
    const,
    make_fifo,
    mux,
    unsigned,
)

BUFFERED_BURSTS = 4
"""So many of the longest bursts fit into the buffer of a master."""


@dataclass(frozen=True, slots=True, eq=False)
class Requests:
    """The ports that take requests: a byte address, which is a multiple of the element, and a number of elements."""

    valid: Signal
    ready: Signal
    address: Signal
    count: Signal

    @property
    def transfer(self) -> Value:
        """Whether a request is taken in this cycle."""
        return self.valid & self.ready


def buffered_beats(bus: Bus, bursts: int) -> int:
    """The beats that fit into the buffer of a master for some of the longest bursts."""
    if bursts < 2:
        raise RtlError("a master has room for two bursts at least")
    return bursts * bus.burst


def declare_requests(m: Module, bus: Bus) -> Requests:
    """The ports of a module that takes requests."""
    return Requests(
        valid=m.input("request_valid", bit),
        ready=m.output("request_ready", bit),
        address=m.input("request_address", bus.address, "in bytes"),
        count=m.input("request_count", bus.count, "elements; none is allowed"),
    )


@cache
def make_read_master(bus: Bus, element_width: int, buffered_bursts: int = BUFFERED_BURSTS) -> Module:
    """A master that gives the elements of requests in order, one in a cycle, and asks for no beat twice.

    Its buffer holds beats that were asked for. No cycle is lost while the latency is less than all of the longest
    bursts in it but one take, in cycles, with 8 cycles for the master itself.
    """
    buffer = buffered_beats(bus, buffered_bursts)
    name = f"{bus.protocol}_read_{bus.data_width}x{bus.burst}_e{element_width}_q{buffer}"
    m = Module(name, f"Reads elements of {element_width} bits.")
    requests = declare_requests(m, bus)
    valid, data = m.output("element_valid", bit), m.output("element_data", unsigned(element_width))
    ready = m.input("element_ready", bit)
    taken, arrived, word = m.wire("taken", bit), m.wire("arrived", bit), m.wire("word", bus.data)
    ports = {
        "request_valid": requests.valid,
        "request_address": requests.address,
        "request_count": requests.count,
        "element_ready": ready,
        "command_ready": taken,
        "beat_valid": arrived,
        "beat_data": word,
    }
    core = m.instance("core", make_read_core(bus, element_width, buffer), ports)
    m.assign(requests.ready, core["request_ready"])
    m.assign(valid, core["element_valid"])
    m.assign(data, core["element_data"])
    match bus.protocol:
        case "axi":
            _speak_axi(m, bus, core, taken, arrived, word)
        case "avalon":
            _speak_avalon(m, bus, core, taken, arrived, word)
        case _:
            assert_never(bus.protocol)
    return m


def _speak_axi(m: Module, bus: Bus, core: Instance, taken: Signal, arrived: Signal, word: Signal) -> None:
    """Commands on channel AR, beats from channel R; `error` tells of a response that is none of success."""
    axi = declare_ports(m, axi_ports(read_channels(bus)), "master")
    m.assign(axi["araddr"], core["command_address"])
    m.assign(axi["arlen"], (core["command_beats"] - 1).resized(8).as_unsigned())
    m.assign(axi["arsize"], bus.beat_shift)
    m.assign(axi["arburst"], INCREMENTING)
    m.assign(axi["arvalid"], core["command_valid"])
    m.assign(axi["rready"], 1)
    m.assign(taken, axi["arready"])
    m.assign(arrived, axi["rvalid"])
    m.assign(word, axi["rdata"])
    add_error(m, axi["rvalid"] & axi["rresp"][1])


def add_error(m: Module, failed: Value) -> None:
    """An output `error` that stays set once something failed."""
    error = m.register("failed", bit, reset=0)
    with m.clocked(), m.when(failed):
        m.assign(error, 1)
    m.output("error", error, "a response was an error")


def _speak_avalon(m: Module, bus: Bus, core: Instance, taken: Signal, arrived: Signal, word: Signal) -> None:
    """Commands as bursts of reads."""
    avalon = declare_ports(m, avalon_read_ports(bus), "master")
    m.assign(avalon["address"], core["command_address"])
    m.assign(avalon["burstcount"], core["command_beats"])
    m.assign(avalon["read"], core["command_valid"])
    m.assign(taken, ~avalon["waitrequest"])
    m.assign(arrived, avalon["readdatavalid"])
    m.assign(word, avalon["readdata"])


@cache
def make_read_core(bus: Bus, element_width: int, buffer: int) -> Module:
    """The part of a reading master that both buses share."""
    name = f"{bus.protocol}_read_core_{bus.data_width}x{bus.burst}_e{element_width}_q{buffer}"
    m = Module(name, f"Cuts requests for elements of {element_width} bits into bursts, and beats into elements.")
    requests = declare_requests(m, bus)
    popped = m.wire("popped", bit, "a beat leaves the buffer")
    starts = m.wire("starts", bit, "a request that asks for something is taken")
    m.assign(starts, requests.transfer & (requests.count != 0))
    beats = _add_buffer(m, bus, buffer, popped)
    room = _add_cutter(m, bus, lanes_of(bus, element_width), buffer, requests, starts, popped)
    if lanes_of(bus, element_width) == 1:
        _add_plain_output(m, bus, beats, popped)
        m.assign(requests.ready, room)
    else:
        segments = _add_unpacker(m, bus, element_width, buffer, requests, starts, beats, popped)
        m.assign(requests.ready, room & segments["in_ready"])
    return m


def _add_buffer(m: Module, bus: Bus, buffer: int, popped: Signal) -> Instance:
    """The queue of beats that arrived."""
    fifo = make_fifo(f"{m.name}_beats", bus.data, buffer)
    arrived, data = m.input("beat_valid", bit), m.input("beat_data", bus.data)
    return m.instance("beats", fifo, {"in_valid": arrived, "in_data": data, "out_ready": popped})


def _add_cutter(
    m: Module, bus: Bus, lanes: int, buffer: int, requests: Requests, starts: Signal, popped: Signal
) -> Signal:
    """Cuts requests at multiples of the longest burst; whether it can take a request in this cycle."""
    m.section("Requests are cut into bursts, each when the buffer has room for the longest one.")
    place = m.register("place", bus.place, comment="the next beat")
    left = m.register("left", unsigned(bus.count_width + 1), reset=0, comment="beats that are still to be asked for")
    free = m.register("free", unsigned(buffer.bit_length()), reset=buffer, comment="beats that the buffer has room for")
    reach = m.wire("reach", (bus.burst - place[: bus.burst_shift]).wrapped(bus.length), "beats to the next multiple")
    ends = m.wire("ends", left <= reach, "the burst is the last of its request")
    length = m.wire("length", mux(ends, left.resized(bus.length.width), reach))
    queued = m.wire("queued", bit)
    issue = m.wire("issue", (left != 0) & (free >= bus.burst) & queued)
    _add_commands(m, bus, place, length, issue, queued)
    with m.clocked():
        with m.when(starts):
            m.assign(place, requests.address[bus.beat_shift :])
            m.assign(left, beats_of(bus, lanes, requests.address, requests.count))
        with m.elsewhen(issue):
            m.assign(place, (place + length).wrapped(bus.place))
            m.assign(left, (left - length).wrapped(left.bits))
        m.assign(free, (free - mux(issue, length, 0) + popped).wrapped(free.bits))
    return m.wire("cutter_ready", (left == 0) | (issue & ends))


def _add_commands(m: Module, bus: Bus, place: Signal, length: Signal, issue: Signal, queued: Signal) -> None:
    """Registers between the cutter and the bus."""
    fifo = make_fifo(f"{m.name}_commands", unsigned(bus.place.width + bus.length.width), 2)
    taken = m.input("command_ready", bit)
    queue = m.instance("commands", fifo, {"in_valid": issue, "in_data": cat(place, length), "out_ready": taken})
    m.assign(queued, queue["in_ready"])
    m.output("command_valid", queue["out_valid"])
    m.output("command_address", queue["out_data"][bus.length.width :] << bus.beat_shift)
    m.output("command_beats", queue["out_data"][: bus.length.width])


def beats_of(bus: Bus, lanes: int, address: Value, count: Value) -> Value:
    """The beats that elements from an address on touch."""
    shift = (lanes - 1).bit_length()
    ahead = first_lane(bus, lanes, address) if lanes > 1 else const(0)
    return ((count + ahead + (lanes - 1)) >> shift).resized(bus.count_width + 1)


def first_lane(bus: Bus, lanes: int, address: Value) -> Value:
    """The place in its beat of the element at an address."""
    return address[bus.beat_shift - address_width(lanes) : bus.beat_shift]


def _add_plain_output(m: Module, bus: Bus, beats: Instance, popped: Signal) -> None:
    """Beats are elements."""
    ready = m.input("element_ready", bit)
    m.output("element_valid", beats["out_valid"])
    m.output("element_data", beats["out_data"])
    m.assign(popped, beats["out_valid"] & ready)


def _add_unpacker(
    m: Module,
    bus: Bus,
    element_width: int,
    buffer: int,
    requests: Requests,
    starts: Signal,
    beats: Instance,
    popped: Signal,
) -> Instance:
    """Takes the elements of each request out of its beats; the queue of requests that wait for it."""
    m.section("Beats are cut into elements, request by request.")
    lanes = lanes_of(bus, element_width)
    lane_type = unsigned(address_width(lanes))
    ready, loads = m.input("element_ready", bit), m.wire("loads", bit)
    fifo = make_fifo(f"{m.name}_segments", unsigned(lane_type.width + bus.count_width), buffer)
    segment = cat(first_lane(bus, lanes, requests.address), requests.count)
    segments = m.instance("segments", fifo, {"in_valid": starts, "in_data": segment, "out_ready": loads})
    lane = m.register("lane", lane_type)
    remaining = m.register("remaining", bus.count, reset=0, comment="elements of the request that are still to come")
    ends = m.wire("segment_ends", remaining == 1)
    valid = m.output("element_valid", (remaining != 0) & beats["out_valid"])
    m.output("element_data", (beats["out_data"] >> lane_offset(lane, element_width))[:element_width])
    moves = m.wire("moves", valid & ready)
    m.assign(popped, moves & (ends | lane.all()))
    m.assign(loads, (remaining == 0) | (moves & ends))
    with m.clocked():
        with m.when(loads):
            m.assign(lane, segments["out_data"][bus.count_width :])
            m.assign(remaining, mux(segments["out_valid"], segments["out_data"][: bus.count_width], 0))
        with m.elsewhen(moves):
            m.assign(lane, (lane + 1).wrapped(lane_type))
            m.assign(remaining, (remaining - 1).wrapped(bus.count))
    return segments


def lane_offset(lane: Value, element_width: int) -> Value:
    """The first bit of a lane."""
    return cat(lane, const(0, unsigned((element_width - 1).bit_length())))
