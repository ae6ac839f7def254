"""Registers through which software drives an accelerator: starts it, gives it parameters and addresses, and waits.

All words have 32 bits and lie at byte offsets. Values that are wider take several words, the lowest first. What a run
works with cannot be changed while it runs: such writes are ignored, and so is another start. Parameters are whole
words, so that a value that the hardware is not made for is refused rather than cut.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from loadstone.bus.lite import PREFIXES, STROBE, WORD, make_register_slave, slave_ports
from loadstone.bus.masters import master_ports
from loadstone.bus.ports import Protocol, attach, declare_ports, prefixed
from loadstone.hardware import supervisor
from loadstone.hardware.bus_top import LOADED, STORED
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.names import Names
from loadstone.rtl.conditions import mux
from loadstone.rtl.expressions import Signal, Value, cat, const
from loadstone.rtl.module import Instance, Module, hierarchy
from loadstone.rtl.names import fresh
from loadstone.rtl.types import Bits, bit, unsigned
from loadstone.rtl.verilog import emit_verilog

CONTROL, STATUS, IDENTITY, CYCLES = "CONTROL", "STATUS", "IDENTITY", "CYCLES"
LOADED_ELEMENTS, STORED_ELEMENTS = "LOADED", "STORED"
ERROR_KIND, FIRST_ADDRESS = "ERROR", "ERROR_ADDRESS"
START, ENABLE, STOP_RUN, RESET = 1, 2, 4, 8
"""Bits of CONTROL: starts a run; lets the end of a run raise the interrupt; aborts a run; resets all but the bus."""
READY, DONE, PENDING, FAILED, ABORTED = 1, 2, 4, 8, 16
"""Bits of STATUS: may be started; has run since the last start; the end of a run was not yet taken note of; the last
run failed; it was aborted."""


@dataclass(frozen=True, slots=True)
class Field:
    """A bit of a register, given by its mask, and what software may do with it: `rw`, `ro`, `wo` or `w1c`.

    Writing 1 to a bit that is `w1c` clears it.
    """

    name: str
    mask: int
    access: str
    meaning: str


FIELDS: Mapping[str, tuple[Field, ...]] = MappingProxyType(
    {
        CONTROL: (
            Field("START", START, "wo", "starts a run, if it is ready"),
            Field("ENABLE", ENABLE, "rw", "lets the end of a run raise the interrupt"),
            Field("ABORT", STOP_RUN, "wo", "ends a run when bursts in flight are carried out"),
            Field("RESET", RESET, "wo", "ends a run in the same way, and clears all registers"),
        ),
        STATUS: (
            Field("READY", READY, "ro", "nothing runs"),
            Field("DONE", DONE, "rw", "a run has ended since the last start; writing 1 clears the interrupt"),
            Field("INTERRUPT", PENDING, "ro", "a run has ended, and it was not yet taken note of"),
            Field("FAILED", FAILED, "w1c", "the last run failed; writing 1 clears it"),
            Field("ABORTED", ABORTED, "ro", "the last run was aborted"),
        ),
    }
)
"""The bits of registers that are no numbers."""
FIRST_VALUE = 0x28
"""The offset of the first register that depends on the kernel."""

COMMANDS = ("start", supervisor.ABORT, supervisor.CLEAR, supervisor.CLEAR_ERROR)
"""The inputs of an accelerator that CONTROL and STATUS drive."""

Group = Literal["control", "parameter", "scalar in", "base", "scalar out"]


@dataclass(frozen=True, slots=True)
class Register:
    """A value that software sees: the offset of its first word, and what of the kernel it is (`subject`)."""

    name: str
    offset: int
    type: Bits
    group: Group
    subject: str
    port: str
    meaning: str

    @property
    def words(self) -> int:
        """How many words it takes."""
        return words_of(self.type)

    @property
    def is_value(self) -> bool:
        """Whether it is an input of a run."""
        return self.group in ("parameter", "scalar in", "base")

    @property
    def access(self) -> str:
        """What software may do with it: `rw` or `ro`."""
        return "rw" if self.is_value or self.name in (CONTROL, STATUS) else "ro"


@dataclass(frozen=True)
class RegisterMap:
    """All registers in the order of their offsets, and the number by which software knows the design."""

    registers: tuple[Register, ...]
    identity: int

    @property
    def end(self) -> int:
        """The offset after the last register."""
        return max(register.offset + 4 * register.words for register in self.registers)

    @property
    def address_width(self) -> int:
        """The bits of a byte address in it."""
        return (self.end - 1).bit_length()

    @property
    def values(self) -> tuple[Register, ...]:
        """The registers that are inputs of a run."""
        return tuple(register for register in self.registers if register.is_value)

    @property
    def results(self) -> tuple[Register, ...]:
        """The registers that are results of a run."""
        return tuple(register for register in self.registers if register.group == "scalar out")

    @cached_property
    def by_name(self) -> Mapping[str, Register]:
        """The registers by their names."""
        return {register.name: register for register in self.registers}

    def of(self, group: Group, subject: str) -> Register:
        """The register of a parameter, scalar or array of the kernel."""
        return next(each for each in self.registers if (each.group, each.subject) == (group, subject))


def words_of(type: Bits) -> int:
    """How many words a value takes."""
    return -(-type.width // WORD.width)


def register_map(design: AcceleratorDesign) -> RegisterMap:
    """The registers of an accelerator."""
    placed: list[Register] = list(_control_registers(design.bus.address))
    taken, offset = {register.name.lower() for register in placed}, FIRST_VALUE
    for wish, group, subject, port, meaning in _values(design):
        name = fresh(wish, taken).upper()
        taken.add(name.lower())
        placed.append(Register(name, offset, design.module[port].bits, group, subject, port, meaning))
        offset += 4 * placed[-1].words
    return RegisterMap(tuple(placed), _identity(design))


def _control_registers(address: Bits) -> Iterator[Register]:
    for offset, name, port, meaning in (
        (0x00, CONTROL, "", "start, enable of the interrupt, abort, and reset"),
        (0x04, STATUS, "", "ready, done, the interrupt, failed, and aborted"),
        (0x08, LOADED_ELEMENTS, LOADED, "elements loaded since the start"),
        (0x0C, STORED_ELEMENTS, STORED, "elements stored since the start"),
        (0x10, IDENTITY, "", "tells designs apart"),
        (0x14, CYCLES, "", "cycles since the start, or those of the last run"),
    ):
        yield Register(name, offset, WORD, "control", "", port, meaning)
    for offset, name, type, port, meaning in (
        (0x18, ERROR_KIND, supervisor.KIND, supervisor.ERROR, "how the last run failed, or 0"),
        (0x20, FIRST_ADDRESS, address, supervisor.ERROR_ADDRESS, "byte address at which the bus failed first"),
    ):
        yield Register(name, offset, type, "control", "", port, meaning)


def _values(design: AcceleratorDesign) -> Iterator[tuple[str, Group, str, str, str]]:
    """Wished name, group, subject, port and meaning of each value of the kernel."""
    for name, port in design.parameters.items():
        yield f"PARAMETER_{name}", "parameter", name, port, f"parameter {name}"
    for name, port in design.scalars_in.items():
        yield f"SCALAR_{name}", "scalar in", name, port, f"{name} before a run"
    for name, port in design.bases.items():
        yield f"BASE_{name}", "base", name, port, f"byte address of array {name}"
    for name, port in design.scalars_out.items():
        yield f"RESULT_{name}", "scalar out", name, port, f"{name} after a run"


def _identity(design: AcceleratorDesign) -> int:
    """The first 32 bits of a hash of the text of the design."""
    return int.from_bytes(hashlib.sha256(emit_verilog(design.module).encode()).digest()[:4], "big")


def bus_ports(design: AcceleratorDesign) -> tuple[Signal, ...]:
    """The ports of an accelerator that lead to external memory."""
    names = {port.name for port in master_ports(design.bus)}
    return tuple(port for port in design.module.of_kind("input", "output") if port.name in names)


def make_controlled(design: AcceleratorDesign, protocol: Protocol = "axi") -> Module:
    """An accelerator behind registers: a slave for them, the ports to external memory, and the interrupt `irq`.

    The slave is AXI4-Lite (`s_axil_...`) or Avalon-MM (`s_...`).
    """
    inner, registers = design.module, register_map(design)
    taken = {module.name.lower() for module in hierarchy(inner)}
    m = Module(fresh(f"{inner.name}_controlled", taken), f"{inner.name} behind registers.")
    slave = _add_slave(m, protocol, registers)
    external = {port.name: _same_port(m, port) for port in bus_ports(design)}
    irq = m.output("irq", bit, "a run has ended; stays until it is cleared")
    seen = {name: m.wire(f"accelerator_{name}", type) for name, type in _seen(registers)}
    file = make_register_file(fresh(f"{inner.name}_registers", taken), registers)
    requests = {port: slave[port] for port in ("write", "write_word", "write_data", "write_strobe", "read_word")}
    inputs, clear = {**requests, **{file.inputs[name]: seen[name] for name in seen}}, m.wire("clears", bit)
    held = m.instance("registers", file.module, inputs, clear=clear)
    m.assign(clear, held[supervisor.CLEAR])
    m.assign(m["read_data"], held["read_data"])
    m.assign(irq, held["irq"])
    given = {each.port: held[file.outputs[each.port]] for each in registers.values}
    attach(m, "core", inner, {**external, **seen}, {**{name: held[name] for name in COMMANDS}, **given})
    return m


def _add_slave(m: Module, protocol: Protocol, registers: RegisterMap) -> Instance:
    """The slave with its ports; it reads the wire `read_data`."""
    prefix, ports = PREFIXES[protocol], slave_ports(protocol, registers.address_width)
    wires = prefixed(declare_ports(m, ports, "slave", prefix), prefix)
    module = make_register_slave(protocol, registers.address_width)
    return attach(m, "slave", module, wires, {"read_data": m.wire("read_data", WORD)})


def _same_port(m: Module, port: Signal) -> Signal:
    """A port like that of another module."""
    return (m.input if port.kind == "input" else m.output)(port.name, port.bits, port.comment)


def _seen(registers: RegisterMap) -> Iterator[tuple[str, Bits]]:
    """The outputs of the accelerator that registers show."""
    yield "ready", bit
    yield "done", bit
    yield supervisor.ABORTED, bit
    for register in registers.registers:
        if register.port and not register.is_value:
            yield register.port, register.type


@dataclass(frozen=True, slots=True, eq=False)
class RegisterFile:
    """The module that holds registers; its ports by those of the accelerator that they meet."""

    module: Module
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]


def make_register_file(name: str, registers: RegisterMap) -> RegisterFile:
    """The registers of a map, as `loadstone.bus.lite` reads and writes them."""
    m = Module(name, "Registers of an accelerator.")
    return _File(m, registers).filled()


class _File:
    """The module of registers while it is made."""

    def __init__(self, m: Module, registers: RegisterMap) -> None:
        self.module, self.map = m, registers
        place = unsigned(registers.address_width - 2)
        self.write, self.word = m.input("write", bit), m.input("write_word", place)
        self.data, self.strobe = m.input("write_data", WORD), m.input("write_strobe", STROBE)
        self.read_word = m.input("read_word", place)
        self.names = Names(m, ("read_data", "irq", *COMMANDS))
        self.seen = {name: m.input(self.names.fresh(f"accelerator_{name}"), type) for name, type in _seen(registers)}
        self.shown: dict[int, Value] = {}

    def filled(self) -> RegisterFile:
        """Adds all registers."""
        m = self.module
        self.ready, self.done = self.seen["ready"], self.seen["done"]
        start = self._control()
        m.section("What a run works with. It cannot be changed while it runs.")
        outputs = {register.port: self._value(register) for register in self.map.values}
        m.section("Counters and results.")
        self._cycles(start)
        for register in self.map.registers:
            if register.port and not register.is_value:
                self._show(register, self.seen[register.port])
        self._reads()
        return RegisterFile(m, {name: port.name for name, port in self.seen.items()}, outputs)

    def _hits(self, offset: int) -> Value:
        """Whether a word is written."""
        return self.write & (self.word == offset // 4)

    def _control(self) -> Value:
        """CONTROL, STATUS, and the interrupt; whether a run starts."""
        m, by_name = self.module, self.map.by_name
        m.section("Control, status, and the interrupt.")
        enabled = self.names.state("enabled", comment="the end of a run raises the interrupt")
        was_done, unheeded = self.names.state("was_done"), self.names.state("unheeded")
        ends = self.names.wire("ends", self.done & ~was_done)
        pending = self.names.wire("pending", unheeded | ends)
        commands = self.names.wire("commands", self._hits(by_name[CONTROL].offset) & self.strobe[0])
        notes = self.names.wire("notes", self._hits(by_name[STATUS].offset) & self.strobe[0])
        clears = self.names.wire("clears", notes & self.data[1])
        start = m.output("start", commands & self.data[0] & self.ready & ~self.data[3])
        m.output(supervisor.ABORT, commands & self.data[2])
        m.output(supervisor.CLEAR, commands & self.data[3])
        m.output(supervisor.CLEAR_ERROR, notes & self.data[3])
        with m.clocked():
            m.assign(was_done, self.done)
            m.assign(unheeded, (unheeded & ~clears & ~start) | ends)
            with m.when(commands):
                m.assign(enabled, self.data[1])
        m.output("irq", enabled & pending)
        self._show(by_name[CONTROL], cat(enabled, const(0, bit)))
        failed = self.seen[supervisor.ERROR].any()
        self._show(by_name[STATUS], cat(self.seen[supervisor.ABORTED], failed, pending, self.done, self.ready))
        self._show(by_name[IDENTITY], const(self.map.identity, WORD))
        return start

    def _value(self, register: Register) -> str:
        """A value for a run, and the output that shows it."""
        parts = [self._part(register, number) for number in range(register.words)]
        value = cat(*reversed(parts))
        shown = value.as_signed() if register.type.signed else value
        output = self.module.output(self.names.fresh(f"value_{register.port}"), shown, register.meaning)
        self._show(register, output)
        return output.name

    def _part(self, register: Register, number: int) -> Signal:
        """The bits of a value that lie in one of its words."""
        width = min(WORD.width, register.type.width - WORD.width * number)
        title = register.name.lower() if register.words == 1 else f"{register.name.lower()}_{number}"
        part = self.names.state(f"{title}_word", unsigned(width))
        with self.module.clocked(), self.module.when(self._hits(register.offset + 4 * number) & self.ready):
            self.module.assign(part, self._merged(part))
        return part

    def _merged(self, part: Signal) -> Value:
        """What a word becomes: those bytes that are written, and the others as they were."""
        places = [slice(low, min(low + 8, part.width)) for low in range(0, part.width, 8)]
        parts = [mux(self.strobe[k], self.data[place], part[place]) for k, place in enumerate(places)]
        return cat(*reversed(parts))

    def _cycles(self, start: Value) -> None:
        """CYCLES, which counts while the accelerator runs."""
        m, count = self.module, self.names.state("cycles", WORD)
        with m.clocked():
            with m.when(start):
                m.assign(count, 0)
            with m.elsewhen(~self.ready):
                m.assign(count, (count + 1).wrapped(WORD))
        self._show(self.map.by_name[CYCLES], count)

    def _show(self, register: Register, value: Value) -> None:
        """Makes a value readable, sign-extended or zero-extended to whole words."""
        for number in range(register.words):
            word = (value >> WORD.width * number).wrapped(WORD)
            wish = f"{register.name.lower()}_word_{number}"
            self.shown[register.offset // 4 + number] = word if register.words == 1 else self.names.wire(wish, word)

    def _reads(self) -> None:
        m = self.module
        m.section("Reads.")
        word = m.output("read_data", WORD)
        with m.combinational(), m.switch(self.read_word):
            for place, value in sorted(self.shown.items()):
                with m.case(place):
                    m.assign(word, value)
            with m.default():
                m.assign(word, 0)
