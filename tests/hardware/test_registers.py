"""Accelerators behind registers: software on a bus that waits at random starts them, and sees what they did."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.bus.lite import PREFIXES, slave_ports
from loadstone.bus.masters import master_ports
from loadstone.bus.ports import Bus, Protocol
from loadstone.dram.timing import preset
from loadstone.errors import LoadstoneError
from loadstone.hardware import supervisor
from loadstone.hardware.accelerator.registers import (
    ABORTED,
    COMMANDS,
    CONTROL,
    CYCLES,
    DONE,
    ENABLE,
    ERROR_KIND,
    FAILED,
    FIRST_ADDRESS,
    FIRST_VALUE,
    IDENTITY,
    LOADED_ELEMENTS,
    PENDING,
    READY,
    RESET,
    START,
    STATUS,
    STOP_RUN,
    STORED_ELEMENTS,
    Register,
    RegisterMap,
    make_controlled,
    register_map,
)
from loadstone.hardware.accelerator.top import make_accelerator_design
from loadstone.hardware.bus_top import LOADED, STORED
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.harness.bench import make_bench
from loadstone.hardware.supervisor import ErrorKind
from loadstone.loops.ranges import parameter_limits
from loadstone.rtl import Module, Simulation, bit, const, signed, unsigned
from loadstone.rtl.programs import ghdl, verilator
from loadstone.simulate.hardware.system import SystemRun
from loadstone.simulate.memory import initial_memory
from ready import accelerator_of

PAPER = preset("paper")
PROTOCOLS: tuple[Protocol, ...] = ("axi", "avalon")
LIMIT = 20_000

WIDE = """
void wide(int low, int high, double factor, long offset, double a[high - low], double b[high - low]) {
  for (int i = low; i < high; i++)
    b[i - low] = a[i - low] * factor + offset + i;
}
"""


class Software:
    """Reads and writes registers over a bus, in which every signal of the master waits at random."""

    def __init__(self, simulation: Simulation, protocol: Protocol, seed: int) -> None:
        self.simulation, self.protocol, self.source = simulation, protocol, random.Random(seed)
        self.patience = 4 if seed else 1

    def write(self, offset: int, value: int, strobe: int = 15) -> None:
        if self.protocol == "axi":
            self._write_lite(offset, value, strobe)
        else:
            self._pause()
            self._send(s_write=1, s_address=offset // 4, s_writedata=value, s_byteenable=strobe)

    def read(self, offset: int) -> int:
        if self.protocol == "axi":
            return self._read_lite(offset)
        self._pause()
        self._send(s_read=1, s_address=offset // 4)
        assert self.simulation.get("s_readdatavalid") == 1
        return self.simulation.get("s_readdata")

    def _pause(self) -> None:
        self.simulation.step(self.source.randrange(self.patience))

    def _send(self, **signals: int) -> None:
        """A transfer of Avalon, which never waits here; what was asked for is seen after it."""
        for name, value in signals.items():
            self.simulation.set(name, value)
        assert self.simulation.get("s_waitrequest") == 0
        self.simulation.step()
        for name in ("s_read", "s_write"):
            self.simulation.set(name, 0)

    def _write_lite(self, offset: int, value: int, strobe: int) -> None:
        """Address and data begin at times of their own, and the response is taken at another one."""
        begins = {"aw": self.source.randrange(self.patience), "w": self.source.randrange(self.patience)}
        payload = {"aw": {"awaddr": offset}, "w": {"wdata": value, "wstrb": strobe}}
        cycle = 0
        while begins:
            assert self.simulation.get("s_axil_bvalid") == 0, "no response before address and data"
            sent = [channel for channel in begins if self._offer(channel, begins[channel] <= cycle, payload[channel])]
            self.simulation.step()
            cycle += 1
            for channel in sent:
                del begins[channel]
                self.simulation.set(f"s_axil_{channel}valid", 0)
        self._take("b")

    def _offer(self, channel: str, now: bool, payload: Mapping[str, int]) -> bool:
        """Shows a word, unless its time has not come; whether it is taken in this cycle."""
        if not now:
            return False
        for name, value in {**payload, f"{channel}valid": 1}.items():
            self.simulation.set(f"s_axil_{name}", value)
        return self.simulation.get(f"s_axil_{channel}ready") == 1

    def _read_lite(self, offset: int) -> int:
        self._pause()
        while not self._offer("ar", True, {"araddr": offset}):
            self.simulation.step()
        self.simulation.step()
        self.simulation.set("s_axil_arvalid", 0)
        self.simulation.set("s_axil_araddr", self.source.randrange(16))
        return self._take("r")

    def _take(self, channel: str) -> int:
        """Takes a response after some time, in which it must not change."""
        self.simulation.run_until(f"s_axil_{channel}valid", 10)
        seen = {self._response(channel)}
        for _ in range(self.source.randrange(self.patience)):
            self.simulation.step()
            assert self.simulation.get(f"s_axil_{channel}valid") == 1, "a response stays until it is taken"
            seen.add(self._response(channel))
        self.simulation.set(f"s_axil_{channel}ready", 1)
        self.simulation.step()
        self.simulation.set(f"s_axil_{channel}ready", 0)
        assert self.simulation.get(f"s_axil_{channel}valid") == 0
        assert len(seen) == 1
        code, data = seen.pop()
        assert code == 0
        return data

    def _response(self, channel: str) -> tuple[int, int]:
        data = self.simulation.get("s_axil_rdata") if channel == "r" else 0
        return self.simulation.get(f"s_axil_{channel}resp"), data


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """An accelerator with memory, and software that drives it."""

    simulation: Simulation
    map: RegisterMap
    software: Software

    def read(self, name: str) -> int:
        return self.software.read(self.map.by_name[name].offset)

    def give(self, register: Register, value: int) -> None:
        for number in range(register.words):
            self.software.write(register.offset + 4 * number, value >> 32 * number & 0xFFFFFFFF)

    def value(self, register: Register) -> int:
        words = [self.software.read(register.offset + 4 * number) for number in range(register.words)]
        return sum(word << 32 * number for number, word in enumerate(words))

    def control(self, bits: int) -> None:
        self.software.write(self.map.by_name[CONTROL].offset, bits)

    def wait(self) -> int:
        """The status of the end of a run."""
        for _ in range(LIMIT):
            status = self.read(STATUS)
            if status & DONE:
                return status
        raise AssertionError("it does not end")

    def fill(self, base: int, elements: list[int]) -> None:
        self.simulation.memory("memory.words")[base // 4 : base // 4 + len(elements)] = elements

    def words(self, base: int, count: int) -> list[int]:
        return self.simulation.memory("memory.words")[base // 4 : base // 4 + count]


@cache
def vector_sum() -> AcceleratorDesign:
    kernel = ls.parse(ROOT / "examples/vector_sum.c")
    return make_accelerator_design(accelerator_of(kernel, (8,)), parameter_limits(kernel, {"n": 100}))


def wide(folder: Path) -> AcceleratorDesign:
    (folder / "wide.c").write_text(WIDE)
    kernel = ls.parse(folder / "wide.c")
    limits = {"low": (-9, 9), "high": (-9, 20)}
    return make_accelerator_design(accelerator_of(kernel, (4,)), limits)


def machine(design: AcceleratorDesign, protocol: Protocol, seed: int = 0) -> Machine:
    simulation = Simulation(make_bench(design, protocol, PAPER, 4096))
    return Machine(simulation, register_map(design), Software(simulation, protocol, seed))


def add_up(unit: Machine, count: int, bases: Mapping[str, int], seed: int = 0, control: int = START) -> list[int]:
    """Fills memory and starts a sum of vectors; what it should leave."""
    source = random.Random(seed)
    left, right = ([source.randrange(1 << 31) for _ in range(count)] for _ in range(2))
    unit.fill(bases["a"], left)
    unit.fill(bases["b"], right)
    unit.give(unit.map.of("parameter", "n"), count)
    for name, base in bases.items():
        unit.give(unit.map.of("base", name), base)
    unit.control(control)
    return [(x + y) & 0xFFFFFFFF for x, y in zip(left, right, strict=True)]


BASES = {"a": 0, "b": 1024, "c": 2048}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_only_buses_and_the_interrupt_remain(protocol: Protocol) -> None:
    design = vector_sum()
    top, width = make_controlled(design, protocol), register_map(design).address_width
    slave = {PREFIXES[protocol] + port.name for port in slave_ports(protocol, width)}
    masters = {port.name for port in master_ports(design.bus)}
    assert {port.name for port in top.of_kind("input", "output")} == slave | masters | {"irq"}


def test_the_map_follows_the_design() -> None:
    registers = register_map(vector_sum())
    shown = {register.name: (register.offset, register.words, register.access) for register in registers.registers}
    assert shown == {
        CONTROL: (0x00, 1, "rw"),
        STATUS: (0x04, 1, "rw"),
        LOADED_ELEMENTS: (0x08, 1, "ro"),
        STORED_ELEMENTS: (0x0C, 1, "ro"),
        IDENTITY: (0x10, 1, "ro"),
        CYCLES: (0x14, 1, "ro"),
        ERROR_KIND: (0x18, 1, "ro"),
        FIRST_ADDRESS: (0x20, 1, "ro"),
        "PARAMETER_N": (0x28, 1, "rw"),
        "BASE_A": (0x2C, 1, "rw"),
        "BASE_B": (0x30, 1, "rw"),
        "BASE_C": (0x34, 1, "rw"),
    }
    assert (registers.end, registers.address_width) == (0x38, 6)


def test_wide_values_take_two_words(tmp_path: Path) -> None:
    registers = register_map(wide(tmp_path))
    found = [(each.name, each.offset, each.words) for each in registers.registers if each.offset >= FIRST_VALUE]
    assert found == [
        ("PARAMETER_LOW", 0x28, 1),
        ("PARAMETER_HIGH", 0x2C, 1),
        ("SCALAR_FACTOR", 0x30, 2),
        ("SCALAR_OFFSET", 0x38, 2),
        ("BASE_A", 0x40, 1),
        ("BASE_B", 0x44, 1),
    ]


def test_names_of_registers_differ(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(
        "void k(int n, int N, int A[n], int a[N]) { for (int i = 0; i < n; i++) A[i] = a[i]; }"
    )
    kernel = ls.parse(tmp_path / "k.c")
    registers = register_map(make_accelerator_design(accelerator_of(kernel, (4,)), {"n": (0, 9), "N": (9, 9)}))
    names = [each.name for each in registers.registers]
    assert len({*names}) == len(names)
    assert registers.of("base", "a").name != registers.of("base", "A").name


def test_designs_have_identities() -> None:
    kernel = ls.parse(ROOT / "examples/vector_sum.c")
    others = [
        register_map(make_accelerator_design(accelerator_of(kernel, (size,)), parameter_limits(kernel, {"n": 100})))
        for size in (8, 16)
    ]
    assert register_map(vector_sum()).identity == others[0].identity != others[1].identity
    unit = machine(vector_sum(), "axi")
    assert unit.read(IDENTITY) == others[0].identity


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(3))
def test_registers_hold_what_was_written(protocol: Protocol, seed: int, tmp_path: Path) -> None:
    """Any word of any value, any bytes of it; the rest stays, and values read as their types say."""
    design = wide(tmp_path)
    unit, source = machine(design, protocol, seed), random.Random(seed)
    held = {register.name: 0 for register in unit.map.values}
    for _ in range(150):
        register = source.choice(unit.map.values)
        number, word, strobe = source.randrange(register.words), source.getrandbits(32), source.randrange(16)
        unit.software.write(register.offset + 4 * number, word, strobe)
        mask = sum(255 << 8 * k for k in range(4) if strobe >> k & 1) << 32 * number
        held[register.name] = register.type.wrap(held[register.name] & ~mask | word << 32 * number & mask)
        seen = source.choice(unit.map.values)
        assert unit.value(seen) == held[seen.name] % (1 << 32 * seen.words), seen.name


@pytest.mark.parametrize("seed", range(4))
def test_transfers_of_a_lite_bus_may_follow_each_other(seed: int) -> None:
    """All channels move on their own: writes happen in order, one response each, reads give what was there."""
    design, source = vector_sum(), random.Random(seed)
    simulation, registers = Simulation(make_controlled(design)), register_map(design)
    offset = registers.of("base", "a").offset
    values = [source.getrandbits(32) for _ in range(60)]
    waiting = {"aw": [{"awaddr": offset}] * 60, "w": [{"wdata": word, "wstrb": 15} for word in values]}
    waiting["ar"] = [{"araddr": offset}] * 60
    taken: dict[str, list[int]] = {"b": [], "r": []}
    for _ in range(800):
        moves = [channel for channel in waiting if offered(simulation, channel, waiting[channel], source)]
        for channel in taken:
            simulation.set(f"s_axil_{channel}ready", source.randrange(2))
        gives = [each for each in taken if moved(simulation, each)]
        for channel in gives:
            taken[channel].append(simulation.get("s_axil_rdata") if channel == "r" else 0)
        simulation.step()
        for channel in moves:
            waiting[channel] = waiting[channel][1:]
            simulation.set(f"s_axil_{channel}valid", 0)
    assert (len(taken["b"]), len(taken["r"])) == (60, 60)
    assert waiting == {"aw": [], "w": [], "ar": []}
    order = [0, *values]
    places = [order.index(word) for word in taken["r"]]
    assert places == sorted(places)
    assert places[-1] > 0


def offered(simulation: Simulation, channel: str, words: list[dict[str, int]], source: random.Random) -> bool:
    """Shows the next word of a channel from some cycle on; whether it is taken in this one."""
    valid = f"s_axil_{channel}valid"
    if words and (simulation.get(valid) or source.random() < 0.4):
        for name, value in words[0].items():
            simulation.set(f"s_axil_{name}", value)
        simulation.set(valid, 1)
    return moved(simulation, channel)


def moved(simulation: Simulation, channel: str) -> bool:
    return bool(simulation.get(f"s_axil_{channel}valid") and simulation.get(f"s_axil_{channel}ready"))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_other_addresses_are_empty(protocol: Protocol) -> None:
    unit = machine(vector_sum(), protocol, 1)
    known = {each.offset + 4 * k for each in unit.map.registers for k in range(each.words)}
    names = (LOADED_ELEMENTS, STORED_ELEMENTS, IDENTITY, CYCLES, ERROR_KIND, FIRST_ADDRESS)
    read_only = {unit.map.by_name[name].offset for name in names}
    for offset in range(0, 1 << unit.map.address_width, 4):
        before = unit.software.read(offset)
        if offset not in known:
            assert before == 0
        if offset not in known or offset in read_only:
            unit.software.write(offset, 0xFFFFFFFF)
            assert unit.software.read(offset) == before
    assert unit.read(STATUS) == READY


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(2))
def test_software_runs_it_again_and_again(protocol: Protocol, seed: int) -> None:
    unit = machine(vector_sum(), protocol, seed)
    assert unit.read(STATUS) == READY
    runs = ((13, BASES), (1, BASES), (0, BASES), (29, {"a": 2048 + 12, "b": 4, "c": 1024 - 4}))
    for number, (count, bases) in enumerate(runs):
        expected = add_up(unit, count, bases, number)
        assert unit.wait() & (READY | DONE) == READY | DONE
        assert unit.words(bases["c"], count) == expected
        assert (unit.read(LOADED_ELEMENTS), unit.read(STORED_ELEMENTS)) == (2 * count, count)
        assert unit.read(CONTROL) == 0
    assert unit.simulation.get("bus_error") == 0


def test_cycles_are_those_of_run() -> None:
    design, unit = vector_sum(), machine(vector_sum(), "axi")
    memory = initial_memory(design.compute.kernel, {"n": 61})
    outcome = SystemRun(design, PAPER, {"n": 61}, memory, BASES).execute()
    add_up(unit, 61, BASES)
    unit.wait()
    assert unit.read(CYCLES) == outcome.cycles


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_writes_do_not_disturb_a_run(protocol: Protocol) -> None:
    unit, calm = machine(vector_sum(), protocol, 1), machine(vector_sum(), protocol)
    add_up(calm, 40, BASES)
    calm.wait()
    expected = add_up(unit, 40, BASES)
    assert unit.read(STATUS) == 0
    for register in unit.map.values:
        unit.give(register, 4)
    unit.control(START)
    unit.wait()
    assert unit.words(BASES["c"], 40) == expected
    assert (unit.read(STORED_ELEMENTS), unit.read(CYCLES)) == (40, calm.read(CYCLES))
    assert unit.value(unit.map.of("parameter", "n")) == 40
    assert unit.value(unit.map.of("base", "c")) == BASES["c"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_interrupt_stays_until_it_is_cleared(protocol: Protocol) -> None:
    unit = machine(vector_sum(), protocol)
    status = unit.map.by_name[STATUS].offset
    add_up(unit, 5, BASES, control=START | ENABLE)
    assert unit.simulation.get("irq") == 0
    unit.simulation.run_until("irq", LIMIT)
    assert unit.read(STATUS) == READY | DONE | PENDING
    unit.software.write(status, READY | PENDING)
    unit.software.write(status, 0xFFFFFFFF, 14)
    assert unit.simulation.get("irq") == 1
    unit.software.write(status, DONE)
    assert unit.simulation.get("irq") == 0
    assert unit.read(STATUS) == READY | DONE
    add_up(unit, 5, BASES, control=START)
    assert unit.wait() & PENDING
    assert unit.simulation.get("irq") == 0
    unit.control(ENABLE)
    assert unit.simulation.get("irq") == 1
    assert unit.read(CONTROL) == ENABLE
    unit.control(START | ENABLE)
    assert unit.simulation.get("irq") == 0
    assert unit.wait() == READY | DONE | PENDING


@pytest.mark.parametrize("cycles", [1, 17, 60, 75, 110, 180])
def test_a_reset_ends_a_run(cycles: int) -> None:
    """At any time: while elements are asked for, arrive, are computed, or are written."""
    unit = machine(vector_sum(), "axi")
    add_up(unit, 33, BASES, control=START | ENABLE)
    unit.simulation.step(cycles)
    assert unit.read(STATUS) == 0
    unit.simulation.set("rst", 1)
    unit.simulation.step()
    unit.simulation.set("rst", 0)
    assert (unit.read(STATUS), unit.read(CONTROL), unit.simulation.get("irq")) == (READY, 0, 0)
    assert [unit.value(register) for register in unit.map.values] == [0] * len(unit.map.values)
    expected = add_up(unit, 21, {"a": 512, "b": 0, "c": 2048}, 9)
    unit.wait()
    assert unit.words(2048, 21) == expected
    assert unit.read(STORED_ELEMENTS) == 21


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("count", [101, 127, 128, 1 << 20, -1, -(1 << 31)])
def test_parameters_out_of_range_are_refused(protocol: Protocol, count: int) -> None:
    """Also those of which the bits that the hardware needs are in range."""
    unit = machine(vector_sum(), protocol)
    unit.fill(2048, [7] * 200)
    unit.give(unit.map.of("base", "c"), 2048)
    unit.give(unit.map.of("parameter", "n"), count & 0xFFFFFFFF)
    unit.control(START | ENABLE)
    assert unit.wait() == READY | DONE | PENDING | FAILED
    assert (unit.read(ERROR_KIND), unit.simulation.get("irq")) == (ErrorKind.PARAMETER, 1)
    assert unit.words(2048, 200) == [7] * 200
    unit.software.write(unit.map.by_name[STATUS].offset, DONE | FAILED)
    assert (unit.read(STATUS), unit.read(ERROR_KIND)) == (READY | DONE, ErrorKind.NONE)
    expected = add_up(unit, 100, BASES)
    assert unit.wait() & ~PENDING == READY | DONE
    assert unit.words(BASES["c"], 100) == expected


def test_a_refused_start_interrupts_again() -> None:
    unit = machine(vector_sum(), "axi")
    unit.give(unit.map.of("parameter", "n"), 200)
    for _ in range(3):
        unit.control(START | ENABLE)
        unit.simulation.run_until("irq", 20)
        assert unit.read(STATUS) == READY | DONE | PENDING | FAILED
        unit.software.write(unit.map.by_name[STATUS].offset, DONE)
        assert unit.simulation.get("irq") == 0


@pytest.mark.parametrize("cycles", [1, 17, 60, 75, 110, 150, 180])
@pytest.mark.parametrize("command", [STOP_RUN, RESET])
def test_a_run_that_is_stopped_leaves_the_bus_clean(command: int, cycles: int) -> None:
    """The memory is not reset: what was asked for is served, and the next run sees nothing of it."""
    unit = machine(vector_sum(), "axi")
    add_up(unit, 33, BASES, control=START | ENABLE)
    unit.simulation.step(cycles)
    unit.control(command | ENABLE)
    while not unit.read(STATUS) & READY:
        pass
    assert unit.simulation.get("watch.quiet") == 1
    assert unit.read(STATUS) == (READY | DONE | PENDING | ABORTED if command == STOP_RUN else READY)
    held = [unit.value(register) for register in unit.map.values]
    assert any(held) == (command == STOP_RUN)
    expected = add_up(unit, 21, {"a": 512, "b": 0, "c": 2048}, 9)
    assert unit.wait() & ~PENDING == READY | DONE
    assert unit.words(2048, 21) == expected
    assert (unit.read(STORED_ELEMENTS), unit.simulation.get("bus_error")) == (21, 0)


@pytest.mark.parametrize("command", [STOP_RUN, RESET])
def test_what_does_not_run_can_be_stopped(command: int) -> None:
    unit = machine(vector_sum(), "axi")
    unit.control(command)
    unit.simulation.step(10)
    assert unit.read(STATUS) == READY
    expected = add_up(unit, 5, BASES)
    assert unit.wait() & ~PENDING == READY | DONE
    assert unit.words(BASES["c"], 5) == expected
    unit.control(command)
    unit.simulation.step(10)
    assert unit.read(STATUS) & ~PENDING == (READY | DONE if command == STOP_RUN else READY)


def bits(value: float) -> int:
    return int.from_bytes(struct.pack("<d", value), "little")


def test_scalars_are_given(tmp_path: Path) -> None:
    unit = machine(wide(tmp_path), "axi", 2)
    elements = [0.5 * k for k in range(7)]
    unit.simulation.memory("memory.words")[: len(elements)] = map(bits, elements)
    for name, value in {"factor": bits(-1.5), "offset": -(1 << 33)}.items():
        unit.give(unit.map.of("scalar in", name), value)
    unit.give(unit.map.of("parameter", "low"), -3)
    assert unit.value(unit.map.of("parameter", "low")) == 0xFFFFFFFD
    unit.give(unit.map.of("parameter", "low"), 3)
    unit.give(unit.map.of("parameter", "high"), 10)
    unit.give(unit.map.of("base", "b"), 1024)
    unit.control(START)
    unit.wait()
    results = [-1.5 * element - (1 << 33) + k for k, element in enumerate(elements, 3)]
    assert unit.simulation.memory("memory.words")[128:135] == [*map(bits, results)]


def multiplier() -> AcceleratorDesign:
    """Hardware that moves nothing: the product of two scalars, a cycle after the start."""
    m = Module("multiplier")
    start, x, y = m.input("start", bit), m.input("x_in", signed(20)), m.input("y_in", signed(33))
    product = m.register("product", signed(53), reset=0)
    was_done = m.register("was_done", bit, reset=0)
    with m.clocked(), m.when(start):
        m.assign(product, x * y)
        m.assign(was_done, 1)
    for name in COMMANDS[1:]:
        m.input(name, bit)
    m.output("ready", const(1, bit))
    m.output("done", was_done)
    for name, type in {supervisor.ERROR: supervisor.KIND, supervisor.ERROR_ADDRESS: unsigned(32)}.items():
        m.output(name, const(0, type))
    m.output(supervisor.ABORTED, const(0, bit))
    m.output("p_out", product)
    for name in (LOADED, STORED):
        m.output(name, const(0, unsigned(32)))
    scalars = {"x": "x_in", "y": "y_in"}
    return replace(vector_sum(), module=m, parameters={}, bases={}, scalars_in=scalars, scalars_out={"p": "p_out"})


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_scalars_come_out(protocol: Protocol) -> None:
    simulation, registers = Simulation(make_controlled(multiplier(), protocol)), register_map(multiplier())
    unit = Machine(simulation, registers, Software(simulation, protocol, 1))
    for x, y in ((3, 5), (-7, 1 << 31), (-(1 << 19), -(1 << 32))):
        unit.give(registers.of("scalar in", "x"), x)
        unit.give(registers.of("scalar in", "y"), y)
        unit.control(START)
        assert unit.value(registers.of("scalar out", "p")) == x * y % (1 << 64)


@pytest.mark.parametrize("width", [64, 128])
def test_avalon_masters(width: int) -> None:
    kernel = ls.parse(ROOT / "examples/vector_sum.c")
    bus = Bus("avalon", data_width=width, burst=16)
    design = make_accelerator_design(accelerator_of(kernel, (8,)), parameter_limits(kernel, {"n": 100}), bus)
    module = make_bench(design, "avalon", PAPER, 1024)
    assert verilator.lint(module) == ""
    top = make_controlled(design, "avalon")
    assert {port.name for port in master_ports(bus)} < {port.name for port in top.of_kind("input", "output")}
    simulation = Simulation(module)
    unit = Machine(simulation, register_map(design), Software(simulation, "avalon", 1))
    words, lanes = simulation.memory("memory.words"), width // 32
    words[:] = [sum((lanes * k + lane) << 32 * lane for lane in range(lanes)) for k in range(1024)]
    unit.give(unit.map.of("parameter", "n"), 30)
    for name, base in {"a": 4, "b": 1024, "c": 2060}.items():
        unit.give(unit.map.of("base", name), base)
    unit.control(START)
    unit.wait()
    found = [word >> 32 * lane & 0xFFFFFFFF for word in words for lane in range(lanes)]
    assert found[515:545] == [(1 + k) + (256 + k) for k in range(30)]
    assert found[:515] + found[545:] == [*range(515), *range(545, 1024 * lanes)]


def modules(folder: Path) -> Iterator[AcceleratorDesign]:
    yield vector_sum()
    yield wide(folder)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_text_has_no_warnings(protocol: Protocol, tmp_path: Path) -> None:
    for design in modules(tmp_path):
        module = make_bench(design, protocol, PAPER, 1024)
        assert verilator.lint(module) == ""
        assert verilator.lint(make_controlled(design, protocol)) == ""
        try:
            assert ghdl.lint(module) == ""
        except LoadstoneError as error:
            pytest.skip(str(error))
