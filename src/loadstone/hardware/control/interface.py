"""The ports of a controller: start, parameters, a handshake with each statement, and its arguments.

A statement S is started by a pulse on `S_start`. Its arguments are there from then on, until it has set `S_last`, in
the last cycle in which it works; the next one may start in the cycle after. A statement that always takes one cycle has
`S_last` tied to 1 [Devos, 5.3.1; there to its start].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from loadstone.hardware.control.expressions import Term
from loadstone.hardware.control.ranged import Ranged, chosen, type_between
from loadstone.hardware.names import Names
from loadstone.loops.ranges import Limits
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Instance, Module
from loadstone.rtl.names import fresh
from loadstone.rtl.types import Bits, bit


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """How a part of a controller uses a statement: its start, and the arguments while it is at work."""

    start: Value
    arguments: tuple[Ranged, ...]


Calls = Mapping[str, Call]
OWN: tuple[str, ...] = ("start", "last", "ready")
"""The ports of a controller itself."""


@dataclass(frozen=True, slots=True)
class Statements:
    """The statements of a module with the names of their arguments, and the names of their ports by what they are."""

    arguments: Mapping[str, Sequence[str]]
    ports: Mapping[tuple[str, str], str]

    def port(self, statement: str, what: str) -> str:
        """The name of a port: `start`, `last` or an argument."""
        return self.ports[statement, what]

    def outputs(self) -> tuple[str, ...]:
        """The names of all outputs."""
        return tuple(self.port(s, what) for s, names in self.arguments.items() for what in ("start", *names))


@dataclass(frozen=True, slots=True, eq=False)
class Controller:
    """The module of a controller, its ports for parameters by name, and those for statements."""

    module: Module
    parameters: Mapping[str, str]
    statements: Statements

    @property
    def parameter_types(self) -> dict[str, Bits]:
        """The types of parameters by name."""
        return {name: self.module[port].bits for name, port in self.parameters.items()}

    def port(self, statement: str, what: str) -> str:
        """The name of a port of a statement: `start`, `last` or an argument."""
        return self.statements.port(statement, what)

    def types(self, statement: str) -> list[Bits]:
        """The types of the arguments of a statement, in order."""
        return [self.module[self.port(statement, name)].bits for name in self.statements.arguments[statement]]

    def added(
        self, names: Names, wish: str, start: Value, parameters: Mapping[str, Value], lasts: Mapping[str, Value]
    ) -> Instance:
        """An instance of it in a module, with values of parameters and the last cycles of statements."""
        given = {port: parameters[name] for name, port in self.parameters.items()}
        ended = {self.port(name, "last"): last for name, last in lasts.items()}
        return names.module.instance(names.fresh(wish), self.module, {**given, "start": start, **ended})


def statement_ports(
    given: Mapping[str, Sequence[str]], counts: Mapping[str, int], parameters: Iterable[str]
) -> Statements:
    """The ports of statements with so many arguments; arguments without a given name are numbered."""
    arguments = {name: given.get(name) or [f"arg_{k}" for k in range(count)] for name, count in counts.items()}
    taken = {name.lower() for name in (*OWN, *parameters)}
    ports: dict[tuple[str, str], str] = {}
    for statement, names in arguments.items():
        for what in ("start", "last", *names):
            ports[statement, what] = fresh(f"{statement}_{what}", taken)
            taken.add(ports[statement, what].lower())
    return Statements(arguments, ports)


def port_names(m: Module, parameters: Iterable[str]) -> dict[str, str]:
    """The ports of parameters, which are the first inputs of a module."""
    return dict(zip(parameters, (port.name for port in m.of_kind("input")), strict=False))


def parameter_inputs(m: Module, parameters: Mapping[str, Limits]) -> dict[Term, Ranged]:
    """New inputs for parameters in ranges."""
    found: dict[Term, Ranged] = {}
    taken = {*OWN, m.name.lower()}
    for name, (low, high) in parameters.items():
        port = m.input(fresh(name, taken), type_between(low, high))
        taken.add(port.name.lower())
        found[name, 1] = Ranged(port, low, high)
    return found


def statement_inputs(m: Module, statements: Statements) -> dict[str, Signal]:
    """New inputs for the last cycles of statements."""
    return {
        name: m.input(statements.port(name, "last"), bit, f"the last cycle of {name}") for name in statements.arguments
    }


def statement_outputs(m: Module, statements: Statements, calls: Calls) -> None:
    """Adds the outputs that start statements, with arguments."""
    m.section("Statements")
    for name, arguments in statements.arguments.items():
        m.output(statements.port(name, "start"), calls[name].start)
        for what, argument in zip(arguments, calls[name].arguments, strict=True):
            m.output(statements.port(name, what), argument.value)


def run_state(names: Names, start: Value, finished: Value) -> None:
    """Adds the outputs `last`, and `ready` for a start; `finished` counts only while the controller runs."""
    m = names.module
    m.section("The whole run")
    running = names.state("running", comment="since the cycle after the start")
    active = names.wire("active", start | running)
    last = m.output("last", active & finished, "the last cycle of all")
    m.output("ready", ~running, "may be started")
    with m.clocked():
        m.assign(running, active & ~last)


def standing(names: Names, wish: str, start: Value, passes: Value, comment: str = "") -> Signal:
    """Whether a controller stands at a statement: it has started it, and it was not passed on before this cycle."""
    waits = names.state(f"{wish}_waits", comment=comment)
    at = names.wire(f"{wish}_at", start | waits)
    with names.module.clocked():
        names.module.assign(waits, at & ~passes)
    return at


def selected(condition: Value, left: Calls, right: Calls) -> dict[str, Call]:
    """The calls of two parts that never run at the same time; the condition selects the left one."""
    both = {name: _either(condition, call, right[name]) for name, call in left.items() if name in right}
    return {**left, **right, **both}


def _either(condition: Value, left: Call, right: Call) -> Call:
    pairs = zip(left.arguments, right.arguments, strict=True)
    return Call(left.start | right.start, tuple(chosen(condition, one, other) for one, other in pairs))
