"""Masters that move slices: every byte arrives where it should, and a beat moves in each cycle."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from bus_designs import make_bench
from loadstone.bus import Bus, Widths
from loadstone.bus.coalescer import make_coalescer
from loadstone.bus.ports import Protocol
from loadstone.dram import Timing
from loadstone.rtl import Simulation, unsigned

PROTOCOLS: tuple[Protocol, ...] = ("axi", "avalon")
FLAT = Timing("flat", 1, 1 << 20, Fraction(512), 0, 40)
DEPTH = 1 << 9


@dataclass(frozen=True)
class Slice:
    """Elements of a request: the lane of the first, in slots, and their bytes."""

    lane: int
    slots: int
    size: int


@dataclass
class Traffic:
    """Random requests (address, count, size) for different bytes, each cut into slices."""

    bus: Bus
    widths: Widths
    rng: random.Random
    requests: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    slices: list[Slice] = field(default_factory=list[Slice])

    def fill(self, count: int, room: int) -> None:
        """Adds requests, one in each room of so many bytes."""
        for number in range(count):
            size = self.rng.randrange(self.widths.largest + 1)
            width = self.widths.narrowest // 8 << size
            start = number * room + width * self.rng.randrange(room // width)
            longest = ((number + 1) * room - start) // width
            elements = self.rng.choice([longest, self.rng.randrange(1, longest + 1)])
            self.requests.append((start, elements, size))
            self.cut(elements, size)

    def cut(self, elements: int, size: int) -> None:
        """Cuts the elements of a request: aligned in the word, and at random."""
        lanes = self.bus.data_width // (self.widths.narrowest << size)
        lane, aligned = self.rng.randrange(lanes), self.rng.random() < 0.5
        while elements:
            most = min(elements, lanes - lane)
            taken = most if aligned else self.rng.randrange(1, most + 1)
            self.slices.append(Slice(lane << size, taken << size, size))
            elements -= taken
            lane = 0 if aligned else self.rng.randrange(lanes)

    def bits(self, slice_: Slice) -> tuple[int, int]:
        """The first bit of a slice in its word, and the number of its bits."""
        return slice_.lane * self.widths.narrowest, slice_.slots * self.widths.narrowest


def exchange(simulation: Simulation, verb: str, traffic: Traffic, words: list[int], chance: float) -> list[int]:
    """Moves all slices; the words that are seen, and an error where a rule of the bus is broken."""
    asked, seen, cycles = 0, list[int](), 0
    slices, requests = traffic.slices, traffic.requests
    while len(seen) < len(slices) or (verb == "write" and not simulation.get("write_idle")):
        some, moves = asked < len(requests), len(seen) < len(slices)
        simulation.set(f"{verb}_request_valid", int(some))
        fields = ("address", "count") if traffic.widths.are_equal else ("address", "count", "size")
        for name, value in zip(fields, requests[asked] if some else (0, 0, 0), strict=False):
            simulation.set(f"{verb}_request_{name}", value)
        willing = int(moves and traffic.rng.random() >= chance)
        simulation.set(f"{verb}_slice_lane", slices[len(seen)].lane if moves else 0)
        simulation.set(f"{verb}_slice_slots", slices[len(seen)].slots if moves else 1)
        simulation.set("write_element_valid", willing if verb == "write" else 0)
        simulation.set("write_element_data", words[len(seen)] if moves and verb == "write" else 0)
        simulation.set("read_element_ready", willing if verb == "read" else 0)
        if willing and simulation.get(f"{verb}_element_{'ready' if verb == 'write' else 'valid'}"):
            seen.append(simulation.get("read_element_data") if verb == "read" else 0)
        asked += some and simulation.get(f"{verb}_request_ready")
        simulation.step()
        cycles += 1
        assert cycles < 5_000
        assert (simulation.get("upper_error"), simulation.get("lower_error")) == (0, 0)
    simulation.set(f"{verb}_request_valid", 0)
    return seen


@pytest.mark.parametrize("chance", [0, 120])
@pytest.mark.parametrize(
    ("data_width", "widths"),
    [(32, Widths(8, 8)), (64, Widths(8, 64)), (128, Widths(32, 32)), (256, Widths(16, 32)), (512, Widths(8, 64))],
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_slices_arrive(protocol: Protocol, data_width: int, widths: Widths, chance: int) -> None:
    bus, rng = Bus(protocol, data_width, burst=4), random.Random(data_width + chance)
    traffic = Traffic(bus, widths, rng)
    traffic.fill(16, 5 * bus.bytes)
    simulation = Simulation(make_bench(bus, widths, FLAT, DEPTH, sliced=True))
    simulation.set("chance", chance)
    words, stream = list[int](), bytearray()
    for each in traffic.slices:
        first, width = traffic.bits(each)
        value = rng.getrandbits(width)
        words.append(value << first | rng.getrandbits(first) if first else value)
        stream += value.to_bytes(width // 8, "little")
    exchange(simulation, "write", traffic, words, chance / 256)
    memory, place = bytearray(DEPTH * bus.bytes), 0
    for start, count, size in traffic.requests:
        length = count * (widths.narrowest // 8 << size)
        memory[start : start + length] = stream[place : place + length]
        place += length
    assert b"".join(word.to_bytes(bus.bytes, "little") for word in simulation.memory("memory.words")) == memory
    found = exchange(simulation, "read", traffic, [], chance / 256)
    for each, word, value in zip(traffic.slices, found, words, strict=True):
        first, width = traffic.bits(each)
        assert (word ^ value) >> first & ((1 << width) - 1) == 0


@pytest.mark.parametrize("offset", [0, 4, 60])
@pytest.mark.parametrize("lane", [0, 5])
def test_a_beat_moves_in_each_cycle(offset: int, lane: int) -> None:
    bus, slots, beats = Bus(data_width=512), 16, 100
    simulation = Simulation(make_bench(bus, 32, FLAT, DEPTH, sliced=True))
    for verb in ("write", "read"):
        slices = [(lane, slots - lane), *[(0, slots)] * beats]
        simulation.set(f"{verb}_request_valid", 1)
        simulation.set(f"{verb}_request_address", offset)
        simulation.set(f"{verb}_request_count", slots - lane + slots * beats)
        simulation.step()
        simulation.set(f"{verb}_request_valid", 0)
        simulation.set("write_element_valid", int(verb == "write"))
        simulation.set("read_element_ready", int(verb == "read"))
        times, cycle = list[int](), 0
        for first, count in slices:
            simulation.set(f"{verb}_slice_lane", first)
            simulation.set(f"{verb}_slice_slots", count)
            while not simulation.get(f"{verb}_element_{'ready' if verb == 'write' else 'valid'}"):
                simulation.step()
                cycle += 1
            times.append(cycle)
            simulation.step()
            cycle += 1
        simulation.set("write_element_valid", 0)
        simulation.run_until("write_idle", 500)
        assert times[-1] - times[0] <= beats + 1


def test_runs_of_slices_become_requests() -> None:
    rng, longest = random.Random(3), 5
    simulation = Simulation(make_coalescer("runs", unsigned(16), Widths(16, 32), longest, at_once=8))
    slices, place = list[tuple[int, int, int]](), 0
    for _ in range(300):
        size, count = rng.choice([0, 0, 0, 1]), rng.randrange(1, 9)
        place = place if rng.random() < 0.8 else 4 * rng.randrange(1 << 12)
        slices.append((place, count, size))
        place = (place + (count << size) * 2) & 0xFFFC
    waiting, requests = list(slices), list[tuple[int, int, int]]()
    for _ in range(3000):
        simulation.set("in_valid", int(bool(waiting) and rng.random() < 0.9))
        for name, value in zip(("address", "count", "size"), waiting[0] if waiting else (0, 1, 0), strict=True):
            simulation.set(f"in_{name}", value)
        simulation.set("flush", int(not waiting))
        simulation.set("request_ready", int(rng.random() < 0.5))
        if simulation.get("takes"):
            waiting.pop(0)
        if simulation.get("leaves"):
            place, count, size = (simulation.get(f"request_{name}") for name in ("address", "count", "size"))
            requests.append((place, count, size))
        simulation.step()
    moved = [place + k * 2 for place, count, size in slices for k in range(count << size)]
    asked = [place + k * 2 for place, count, size in requests for k in range(count << size)]
    assert asked == moved
    assert simulation.get("empty") == 1
    assert len(requests) < len(slices)
