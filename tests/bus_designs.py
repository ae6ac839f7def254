"""Modules that hold masters, a bus with random stalls, a monitor and a memory, to be tested together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from loadstone.bus import (
    Bus,
    Widths,
    attach,
    avalon_read_ports,
    avalon_write_ports,
    axi_channels,
    axi_ports,
    declare_ports,
    declare_wires,
    make_axi_monitor,
    make_axi_stalls,
    make_read_bridge,
    make_read_master,
    make_write_bridge,
    make_write_master,
    next_random,
    prefixed,
    read_channels,
    slices,
    widths_of,
    write_channels,
)
from loadstone.dram import Timing, make_memory
from loadstone.rtl import (
    Instance,
    Module,
    Signal,
    Value,
    add_queue,
    address_width,
    bit,
    cat,
    const,
    mux,
    signed,
    unsigned,
)
from loadstone.rtl.expressions import Operand

Elements = Widths | int
STATISTICS = ("row_hits", "row_changes", "busy_cycles", "words_read", "words_written")


def add_masters(
    m: Module,
    bus: Bus,
    elements: Elements,
    bus_wires: dict[str, Signal],
    reads: dict[str, Operand],
    writes: dict[str, Operand],
    sliced: bool = False,
) -> tuple[Instance, Instance]:
    """A reading and a writing master on an AXI bus, Avalon masters by bridges."""
    reader, writer = make_read_master(bus, elements, sliced), make_write_master(bus, elements, sliced)
    if bus.protocol == "axi":
        return attach(m, "reader", reader, bus_wires, reads), attach(m, "writer", writer, bus_wires, writes)
    read_side = declare_wires(m, avalon_read_ports(bus), "read_side_")
    write_side = declare_wires(m, avalon_write_ports(bus), "write_side_")
    attach(m, "read_bridge", make_read_bridge(bus), {**bus_wires, **prefixed(read_side, "avalon_")}, {})
    attach(m, "write_bridge", make_write_bridge(bus), {**bus_wires, **prefixed(write_side, "avalon_")}, {})
    return attach(m, "reader", reader, read_side, reads), attach(m, "writer", writer, write_side, writes)


Order = Literal["any", "address first", "data first", "together", "each after the other"]
ORDERS: tuple[Order, ...] = ("address first", "data first", "together", "each after the other")


@cache
def make_order(bus: Bus, order: Order) -> Module:
    """A piece of AXI bus that takes the address and the data of a write in some order, as a slave may.

    It takes data of a burst after its address; the address after all data; both in one cycle; or each of them when it
    sees the other.
    """
    m = Module(f"order_{order.replace(' ', '_')}")
    ports = axi_ports(axi_channels(bus))
    upper, lower = declare_ports(m, ports, "slave", "s_"), declare_ports(m, ports, "master", "m_")
    aw, w = (channel.stream(upper) for channel in write_channels(bus)[:2])
    lead = m.register("lead", signed(16), reset=0, comment="bursts whose address was taken, less those with all data")
    inside = m.register("midway", bit, reset=0, comment="the first beat of a burst was taken, the last one not")
    rooms = {name: m.wire(f"{name}_room", bit) for name in ("aw", "w")}
    allowed: dict[Order, tuple[Value, Value]] = {
        "any": (const(1), const(1)),
        "address first": (const(1), lead > 0),
        "data first": (lead < 0, const(1)),
        "together": (~inside & w.valid & rooms["w"], inside | (aw.valid & rooms["aw"])),
        "each after the other": (w.valid | inside | (lead < 0), aw.valid | (lead > 0)),
    }
    for name, allow in zip(("aw", "w"), allowed[order], strict=True):
        channel = next(each for each in write_channels(bus) if each.name == name)
        source, sink = channel.stream(upper), channel.stream(lower)
        takes = m.wire(f"{name}_takes", source.valid & allow)
        queue = add_queue(m, f"{name}_queue", 1024, takes, source.payload, sink.ready, f"order_{name}_queue")
        m.assign(rooms[name], queue.room)
        m.assign(source.ready, queue.room & allow)
        m.assign(sink.valid, queue.valid)
        for field, value in channel.record.unpacked(queue.data).items():
            m.assign(sink.fields[field], value)
    ends = m.wire("ends", w.transfer & w.fields["last"])
    with m.clocked():
        m.assign(lead, (lead + aw.transfer - ends).wrapped(lead.bits))
        m.assign(inside, mux(w.transfer, ~w.fields["last"], inside))
    for port in axi_ports((*read_channels(bus), write_channels(bus)[2])):
        target, source = (lower, upper) if port.driver == "master" else (upper, lower)
        m.assign(target[port.name], source[port.name])
    return m


def add_memory(
    m: Module,
    bus: Bus,
    timing: Timing,
    depth: int,
    upper: dict[str, Signal],
    chance: Signal,
    order: Order = "any",
) -> Instance:
    """Stalls with a monitor on either side, and a memory; the monitor of the upper side."""
    lower = declare_wires(m, axi_ports(axi_channels(bus)), "lower_")
    ordered = upper if order == "any" else declare_wires(m, axi_ports(axi_channels(bus)), "ordered_")
    if order != "any":
        attach(m, "order", make_order(bus, order), {**prefixed(upper, "s_"), **prefixed(ordered, "m_")}, {})
    sides = {**prefixed(ordered, "s_"), **prefixed(lower, "m_")}
    attach(m, "stalls", make_axi_stalls(bus), sides, {"chance": chance})
    watch = attach(m, "watch_upper", make_axi_monitor(bus), upper, {})
    watch_lower = attach(m, "watch_lower", make_axi_monitor(bus), lower, {})
    memory = attach(m, "memory", make_memory(timing, bus, depth), lower, {})
    m.output("upper_error", watch["error"])
    m.output("lower_error", watch_lower["error"])
    for name in STATISTICS:
        m.output(name, memory[name])
    return watch


@cache
def make_bench(
    bus: Bus, elements: Elements, timing: Timing, depth: int, order: Order = "any", sliced: bool = False
) -> Module:
    """Both masters on one memory; requests and elements or slices are ports `read_...` and `write_...`."""
    m = Module("bench")
    chance = m.input("chance", unsigned(8))
    upper = declare_wires(m, axi_ports(axi_channels(bus)), "upper_")
    widths = widths_of(elements)
    element = bus.data if sliced else unsigned(widths.widest)
    types = {"valid": bit, "address": bus.address, "count": bus.count}
    types |= {} if widths.are_equal else {"size": widths.size}
    reads: dict[str, Operand] = {f"request_{name}": m.input(f"read_request_{name}", types[name]) for name in types}
    writes: dict[str, Operand] = {f"request_{name}": m.input(f"write_request_{name}", types[name]) for name in types}
    stop = m.input("stop", bit)
    reads |= {"element_ready": m.input("read_element_ready", bit), "stop": stop}
    writes |= {
        "element_valid": m.input("write_element_valid", bit),
        "element_data": m.input("write_element_data", element),
        "stop": stop,
    }
    if sliced:
        slots = unsigned(widths.lanes(bus).bit_length())
        for side, ports in (("read", reads), ("write", writes)):
            ports[slices.SLOTS] = m.input(f"{side}_{slices.SLOTS}", slots)
            ports[slices.LANE] = m.input(f"{side}_{slices.LANE}", unsigned(address_width(widths.lanes(bus))))
    reader, writer = add_masters(m, bus, elements, upper, reads, writes, sliced)
    watch = add_memory(m, bus, timing, depth, upper, chance, order)
    for name in ("request_ready", "element_valid", "element_data"):
        m.output(f"read_{name}", reader[name])
    for name in ("request_ready", "element_ready", "idle"):
        m.output(f"write_{name}", writer[name])
    m.output("quiet", watch["quiet"])
    for name, signal in upper.items():
        m.output(f"bus_{name}", signal)
    return m


# ---- A test that makes and checks its own data ----

SLOTS = 8
STATE = unsigned(32)
FIRST_SEED = 0x1234567


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """Requests of an epoch, one after the other: the one at hand, in elements, and whether all are through."""

    first: Signal
    count: Signal
    is_over: Signal
    state: Signal


def add_walk(m: Module, name: str, epoch: Value, seed: Value, starts: Value, advances: Value, slot_bits: int) -> Walk:
    """Walks through slots of one half of the memory; in each it takes a random part of random length."""
    state = m.register(f"{name}_state", STATE, reset=FIRST_SEED)
    slot = m.register(f"{name}_slot", unsigned(SLOTS.bit_length()), reset=SLOTS)
    is_over = m.wire(f"{name}_is_over", slot == SLOTS)
    half = slot_bits - 1
    offset, length = state[:half], mux(state[30], state[half : 2 * half], state[half : half + 2])
    first = m.wire(f"{name}_first", cat(epoch[0], slot[:3], const(0, bit), offset))
    with m.clocked():
        with m.when(starts):
            m.assign(state, seed)
            m.assign(slot, 0)
        with m.elsewhen(advances):
            m.assign(state, next_random(state))
            m.assign(slot, (slot + 1).wrapped(slot.bits))
    return Walk(first, m.wire(f"{name}_count", length), is_over, state)


def value_at(epoch: Value, place: Value, width: int) -> Value:
    """The element that an epoch writes to a place."""
    mixed = next_random((cat(epoch, place) ^ 0x5BD1E995).wrapped(STATE))
    return cat(*[mixed] * (-(-width // 32)))[:width]


def add_elements(
    m: Module, name: str, epoch: Value, seed: Value, starts: Value, moves: Value, slot_bits: int
) -> tuple[Walk, Signal]:
    """A walk through the elements of requests: the request at hand, and how many of its elements are through."""
    through = m.register(f"{name}_through", unsigned(slot_bits), reset=0)
    advances = m.wire(f"{name}_advances", bit)
    walk = add_walk(m, name, epoch, seed, starts, advances, slot_bits)
    m.assign(advances, ~walk.is_over & (walk.count == through))
    with m.clocked():
        with m.when(advances | starts):
            m.assign(through, 0)
        with m.elsewhen(moves):
            m.assign(through, (through + 1).wrapped(through.bits))
    return walk, through


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Requests and elements of one direction in one epoch, and what they need from a master."""

    epoch: Value
    requests: Walk
    elements: Walk
    through: Signal
    asks: Signal
    moves: Signal
    wants_to_move: Signal

    @property
    def is_over(self) -> Value:
        return self.requests.is_over & self.elements.is_over

    def ports(self, element_width: int) -> dict[str, Operand]:
        """The inputs of a master that take requests."""
        shift = (element_width // 8 - 1).bit_length()
        return {
            "request_valid": ~self.requests.is_over,
            "request_address": self.requests.first << shift,
            "request_count": self.requests.count,
        }

    def element(self, width: int) -> Value:
        """The element whose turn it is."""
        return value_at(self.epoch, (self.elements.first + self.through).resized(16), width)


def add_side(m: Module, name: str, epoch: Value, seed: Value, starts: Value, willing: Value, slot_bits: int) -> Side:
    """One direction; its elements move only in cycles in which it is willing."""
    asks, moves = m.wire(f"{name}_asks", bit), m.wire(f"{name}_moves", bit)
    requests = add_walk(m, f"{name}_requests", epoch, seed, starts, asks, slot_bits)
    elements, through = add_elements(m, f"{name}_elements", epoch, seed, starts, moves, slot_bits)
    wants = m.wire(f"{name}_wants", ~elements.is_over & (elements.count != through) & willing)
    return Side(epoch, requests, elements, through, asks, moves, wants)


@cache
def make_traffic(bus: Bus, element_width: int, elements: int) -> Module:
    """An AXI master that writes random requests into one half of some elements, and reads the other half.

    What it reads is what it wrote in the epoch before. It is done after `epochs`, or when an element is wrong.
    """
    m = Module("traffic")
    chance, epochs = m.input("chance", unsigned(8), "of a pause, in 256"), m.input("epochs", unsigned(16))
    ports = declare_ports(m, axi_ports(axi_channels(bus)), "master")
    slot_bits = (elements // 2 // SLOTS).bit_length() - 1
    epoch, running = m.register("epoch", unsigned(16), reset=0), m.register("running", bit, reset=0)
    seed, old_seed = (m.register(name, STATE, reset=FIRST_SEED) for name in ("seed", "old_seed"))
    noise = m.register("noise", STATE, reset=1)
    starts = m.wire("starts", ~running & (epoch != epochs))
    write = add_side(m, "write", epoch, seed, starts, noise[:8] >= chance, slot_bits)
    old_epoch = m.wire("old_epoch", (epoch - 1).wrapped(epoch.bits))
    read = add_side(m, "read", old_epoch, old_seed, starts & (epoch != 0), noise[8:16] >= chance, slot_bits)
    idle = add_sides(m, bus, element_width, ports, read, write)
    with m.clocked():
        m.assign(noise, next_random(noise))
        with m.when(starts):
            m.assign(running, 1)
        with m.elsewhen(running & read.is_over & write.is_over & idle):
            m.assign(running, 0)
            m.assign(epoch, (epoch + 1).wrapped(epoch.bits))
            m.assign(old_seed, seed)
            m.assign(seed, next_random(write.requests.state))
    m.output("done", (~running & (epoch == epochs)) | m["wrong_element"])
    return m


def add_sides(m: Module, bus: Bus, width: int, ports: dict[str, Signal], read: Side, write: Side) -> Signal:
    """Masters for both directions, and a check of what is read; whether all is written."""
    reads: dict[str, Operand] = {**read.ports(width), "element_ready": read.wants_to_move, "stop": 0}
    gives: dict[str, Operand] = {"element_valid": write.wants_to_move, "element_data": write.element(width), "stop": 0}
    reader, writer = add_masters(m, bus, width, ports, reads, {**write.ports(width), **gives})
    m.assign(read.asks, ~read.requests.is_over & reader["request_ready"])
    m.assign(write.asks, ~write.requests.is_over & writer["request_ready"])
    m.assign(read.moves, read.wants_to_move & reader["element_valid"])
    m.assign(write.moves, write.wants_to_move & writer["element_ready"])
    wrong, checked = m.register("wrong", bit, reset=0), m.register("checked_count", unsigned(32), reset=0)
    expected = m.wire("expected", read.element(width))
    with m.clocked(), m.when(read.moves):
        m.assign(checked, (checked + 1).wrapped(checked.bits))
        with m.when(reader["element_data"] != expected):
            m.assign(wrong, 1)
    m.output("wrong_element", wrong)
    m.output("checked", checked)
    return writer["idle"]


@cache
def make_soak(bus: Bus, element_width: int, timing: Timing, depth: int) -> Module:
    """Traffic on a memory, with stalls and monitors; a rule that is broken ends it as well."""
    m = Module("soak")
    chance, epochs = m.input("chance", unsigned(8)), m.input("epochs", unsigned(16))
    upper = declare_wires(m, axi_ports(axi_channels(bus)), "upper_")
    traffic_module = make_traffic(bus, element_width, depth * bus.data_width // element_width)
    traffic = attach(m, "traffic", traffic_module, upper, {"chance": chance, "epochs": epochs})
    add_memory(m, bus, timing, depth, upper, chance)
    m.output("wrong_element", traffic["wrong_element"])
    m.output("checked", traffic["checked"])
    m.output("done", traffic["done"] | (m["upper_error"] != 0) | (m["lower_error"] != 0))
    return m


def random_after(state: int) -> int:
    """What `next_random` gives."""
    state ^= state << 13 & 0xFFFFFFFF
    state ^= state >> 17
    return state ^ (state << 5 & 0xFFFFFFFF)


def soaked_elements(epochs: int, elements: int, element_width: int) -> tuple[list[int], int]:
    """The elements in memory after some epochs of `make_soak`, and how many it read, those of all but the last one."""
    memory = [0] * elements
    slot_elements = elements // 2 // SLOTS
    half = slot_elements.bit_length() - 2
    seed, read = FIRST_SEED, 0
    for epoch in range(epochs):
        state = seed
        for slot in range(SLOTS):
            short = state >> half & 3
            length = state >> half & ((1 << half) - 1) if state >> 30 & 1 else short
            first = epoch % 2 * elements // 2 + slot * slot_elements + state % (1 << half)
            for place in range(first, first + length):
                mixed = random_after((epoch << 16 | place) ^ 0x5BD1E995)
                memory[place] = (mixed * ((1 << 32 * 16) // 0xFFFFFFFF)) & ((1 << element_width) - 1)
            read += length if epoch < epochs - 1 else 0
            state = random_after(state)
        seed = random_after(state)
    return memory, read


@dataclass(frozen=True, slots=True)
class Pattern:
    """What `make_probe` reads: its inputs."""

    total: int
    count: int
    stride: int
    serial: int


@cache
def make_probe(bus: Bus) -> Module:
    """An AXI master that reads `total` times `count` beats, `stride` bytes apart, one after the other or pipelined.

    `first` is the cycle of the first beat after the first request, `last` that of the last one.
    """
    m = Module("probe")
    total, count = m.input("total", unsigned(16)), m.input("count", bus.count)
    stride, serial = m.input("stride", bus.address), m.input("serial", bit)
    ports = declare_ports(m, axi_ports(read_channels(bus)), "master")
    clock, asked, arrived = (m.register(name, unsigned(32), reset=0) for name in ("clock", "asked", "arrived"))
    number, address = m.register("number", unsigned(16), reset=0), m.register("address", bus.address, reset=0)
    asks = m.wire("asks", (number != total) & (~serial | (asked == arrived)))
    requests = {
        "request_valid": asks,
        "request_address": address,
        "request_count": count,
        "element_ready": 1,
        "stop": 0,
    }
    reader = attach(m, "reader", make_read_master(bus, bus.data_width), ports, requests)
    times = {name: m.register(f"{name}_time", unsigned(32), reset=0) for name in ("first", "last")}
    with m.clocked():
        m.assign(clock, (clock + 1).wrapped(clock.bits))
        with m.when(asks & reader["request_ready"]):
            m.assign(number, (number + 1).wrapped(number.bits))
            m.assign(address, (address + stride).wrapped(address.bits))
            m.assign(asked, (asked + count).wrapped(asked.bits))
        with m.when(reader["element_valid"]):
            m.assign(arrived, (arrived + 1).wrapped(arrived.bits))
            m.assign(times["last"], clock)
            with m.when(arrived == 0):
                m.assign(times["first"], clock)
    for name, register in times.items():
        m.output(name, register)
    m.output("done", (number == total) & (asked == arrived) & (number != 0))
    return m


@cache
def make_probed_memory(bus: Bus, timing: Timing, depth: int) -> Module:
    """The probe on a memory of ours."""
    m = Module("probed")
    wires = declare_wires(m, axi_ports(axi_channels(bus)))
    probe_module, silent = make_probe(bus), axi_ports(write_channels(bus))
    own = {port.name: m.input(port.name, port.bits) for port in probe_module.of_kind("input") if port.name not in wires}
    probe = attach(m, "probe", probe_module, wires, own)
    attach(m, "memory", make_memory(timing, bus, depth), wires, {})
    for port in silent:
        if port.driver == "master":
            m.assign(wires[port.name], 0)
    for name in ("first", "last", "done"):
        m.output(name, probe[name])
    return m
