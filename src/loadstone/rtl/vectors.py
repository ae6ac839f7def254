"""What goes into and comes out of a module, cycle by cycle: numbers for ports, packed into words of bits for files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from loadstone.errors import Diagnostic, ToolError
from loadstone.rtl.interpreter import Simulation
from loadstone.rtl.module import Module
from loadstone.rtl.types import Bits, RtlError, bit

Cycle = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Field:
    """A port with the place of its bits in a packed word."""

    name: str
    type: Bits
    low: int

    @property
    def high(self) -> int:
        """The last bit."""
        return self.low + self.type.width - 1


@dataclass(frozen=True, slots=True)
class Layout:
    """Ports side by side in one word, the first one in its lowest bits."""

    fields: tuple[Field, ...]

    @property
    def width(self) -> int:
        """The number of bits, rounded up to whole hexadecimal digits, at least one."""
        used = sum(field.type.width for field in self.fields)
        return max(4, (used + 3) // 4 * 4)

    def pack(self, values: Cycle) -> int:
        """The word that holds values of all ports."""
        return sum((values[field.name] & field.type.mask) << field.low for field in self.fields)

    def unpack(self, word: int) -> dict[str, int]:
        """The values of the ports in a word."""
        return {field.name: field.type.wrap(word >> field.low) for field in self.fields}


@dataclass(frozen=True, slots=True)
class Session:
    """Inputs in three parts: some cycles, the last of them held until the output `done` is set, then other cycles.

    `limit` is the most cycles that are waited for `done`.
    """

    before: Sequence[Cycle]
    done: str
    limit: int
    after: Sequence[Cycle]

    @property
    def cycles(self) -> list[Cycle]:
        """The inputs of both parts."""
        return [*self.before, *self.after]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a session ended: the cycles that were waited for, whether it was done then, and the outputs after that."""

    waited: int
    finished: bool
    rows: list[dict[str, int]]


def inputs_of(module: Module) -> Layout:
    """The inputs of a module, its reset first if there is one."""
    reset = [("rst", bit)] if module.has_reset else []
    return _layout([*reset, *((port.name, port.bits) for port in module.of_kind("input"))])


def outputs_of(module: Module) -> Layout:
    """The outputs of a module."""
    return _layout([(port.name, port.bits) for port in module.of_kind("output")])


def _layout(ports: Iterable[tuple[str, Bits]]) -> Layout:
    fields: list[Field] = []
    low = 0
    for name, type in ports:
        fields.append(Field(name, type, low))
        low += type.width
    return Layout(tuple(fields))


def completed(module: Module, cycles: Iterable[Cycle]) -> Iterator[Cycle]:
    """The inputs of each cycle, all of them: one that is not given keeps its value, which is 0 at first."""
    types = {field.name: field.type for field in inputs_of(module).fields}
    held = dict.fromkeys(types, 0)
    for cycle in cycles:
        for name, value in cycle.items():
            if name not in types or not types[name].holds(value):
                raise RtlError(f"{module.name}.{name}: no input that takes {value}")
        held |= cycle
        yield dict(held)


def packed_lines(module: Module, cycles: Iterable[Cycle]) -> str:
    """The inputs as hexadecimal words, one a line."""
    layout = inputs_of(module)
    return "".join(f"{layout.pack(cycle):0{layout.width // 4}x}\n" for cycle in completed(module, cycles))


def unpacked_lines(module: Module, text: str) -> list[dict[str, int]]:
    """The outputs from hexadecimal words, one a line."""
    layout = outputs_of(module)
    try:
        return [layout.unpack(int(line, 16)) for line in text.split()]
    except ValueError:
        raise ToolError(Diagnostic(f"an output of '{module.name}' has undefined bits in simulation")) from None


def ending(module: Module, session: Session, waited: str, rows: str) -> Ending:
    """The end of a session from the texts that a simulator wrote: the cycles waited for, and all outputs."""
    count = int(waited)
    return Ending(count, count < session.limit, unpacked_lines(module, rows)[len(session.before) :])


def trace(module: Module, cycles: Sequence[Cycle]) -> list[dict[str, int]]:
    """The outputs before each edge of the clock, found by the interpreter in Python."""
    simulation = Simulation(module)
    names = [port.name for port in module.of_kind("output")]
    found: list[dict[str, int]] = []
    for cycle in completed(module, cycles):
        for name, value in cycle.items():
            simulation.set(name, value)
        found.append({name: simulation.get(name) for name in names})
        simulation.step()
    return found
