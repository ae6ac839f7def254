"""What the texts of modules in SystemVerilog and VHDL share; a language is only its syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import assert_never

from loadstone.rtl.expressions import Const, Kind, Signal, Value
from loadstone.rtl.memory import Memory, Port
from loadstone.rtl.module import Drive, Instance, Item, Module, Process, Section, starts_assignments
from loadstone.rtl.shell import Clocking, Shell
from loadstone.rtl.statements import Assign, Body, Case, If, Statement, targets
from loadstone.rtl.types import Type, bit

INDENT = "  "
Lines = Iterator[str]


def indented(lines: Iterable[str], levels: int = 1) -> Lines:
    """Lines moved to the right, but for empty ones."""
    yield from (f"{INDENT * levels}{line}" if line else "" for line in lines)


@dataclass(frozen=True, slots=True, eq=False)
class Syntax:
    """A hardware language.

    `mark` begins a comment. `branches` are the heads of the first condition, of a later one and of the rest, and the
    end. `drive`, `blocking` and `clocked_target` are the heads of assignments: for good, in combinational and in
    clocked processes. `pair` is a port and the signal at it, `either` is the operator or, `inverted` the operator not,
    `reset` tests the reset. `meets` are a port of a module and the signal at it, and `inside` a port of what is in a
    shell and that of the shell, both with conversions where their types differ.
    """

    mark: str
    branches: tuple[str, str, str, str]
    drive: str
    blocking: str
    clocked_target: str
    pair: str
    either: str
    inverted: str
    reset: str
    meets: Callable[[Module, str, str], tuple[str, str]]
    inside: Callable[[Signal], tuple[str, str]]
    port: Callable[[str, Kind, Type], str]
    number: Callable[[Type, int], str]
    expression: Callable[[Value], str]
    test: Callable[[Value], str]
    assignment: Callable[[str, Value], Lines]
    case: Callable[[Case, str], Lines]
    combinational: Callable[[Iterable[str]], Lines]
    clocked: Callable[[Iterable[str]], Lines]
    memory: Callable[[Memory], Lines]
    word: Callable[[Memory, Port], str]
    instance: Callable[[Instance], Lines]

    def comment(self, text: str) -> Lines:
        """A comment, a line for each of its lines."""
        yield from (f"{self.mark} {line}" for line in text.splitlines())

    def behind(self, comment: str) -> str:
        """A comment behind a line, if there is one."""
        return f"  {self.mark} {comment}" if comment else ""

    def listed(self, texts: list[tuple[str, str]], separator: str = ",") -> Lines:
        """Declarations with separators between them, and their comments behind."""
        for position, (text, comment) in enumerate(texts):
            end = separator if position < len(texts) - 1 else ""
            yield f"{INDENT * 2}{text}{end}{self.behind(comment)}"

    def ports(self, module: Module) -> list[tuple[str, str]]:
        """The ports of a module, clock and reset first, with their comments."""
        return [(self.port(name, kind, type), comment) for name, kind, type, comment in self.declared_ports(module)]

    def declared_ports(self, module: Module) -> Iterator[tuple[str, Kind, Type, str]]:
        """Name, direction, type and comment of each port, clock and reset first."""
        for name, _ in self._clocks(module, "clk", "rst"):
            yield name, "input", bit, ""
        for each in module.of_kind("input", "output"):
            yield each.name, each.kind, each.type, each.comment

    def _clocks(self, module: Module, clock: str, reset: str) -> Iterator[tuple[str, str]]:
        """The names that clock and reset have at a module, and what is there: the clock, and a reset by its level."""
        names = module.clocking if isinstance(module, Shell) else Clocking()
        if module.has_clock:
            yield names.clock, clock
        if module.has_reset:
            yield names.reset, self.inverted.format(reset) if names.low else reset

    def connected(self, instance: Instance) -> Lines:
        """The ports of an instance, with the signals at them."""
        reset = "rst" if instance.clear is None else f"rst {self.either} {instance.clear.name}"
        inside = instance.module
        signals = (self.meets(inside, port, signal.name) for port, signal in (*instance.inputs, *instance.outputs))
        return self._paired((*self._clocks(inside, "clk", reset), *signals))

    def tested(self, module: Module, prefix: str) -> Lines:
        """The ports of a module under test, with signals that are called like them after a prefix."""
        ports = module.of_kind("input", "output")
        signals = (self.meets(module, port.name, prefix + port.name) for port in ports)
        return self._paired((*self._clocks(module, "clk", "rst"), *signals))

    def filled(self, shell: Shell) -> Lines:
        """The ports of what is inside of a shell, with those of the shell."""
        outer, inner = shell.clocking, shell.inner
        reset = self.inverted.format(outer.reset) if outer.low else outer.reset
        signals = (self.inside(port) for port in inner.of_kind("input", "output"))
        return self._paired((*self._clocks(inner, outer.clock, reset), *signals))

    def _paired(self, pairs: Iterable[tuple[str, str]]) -> Lines:
        return self.listed([(self.pair.format(*each), "") for each in pairs])

    def chosen(self, instance: Instance) -> Lines:
        """The parameters of an instance that are not the default."""
        numbers = ((name, self.number(instance.module[name].type, value)) for name, value in instance.parameters)
        return self.listed([(self.pair.format(*each), "") for each in numbers])

    def items(self, module: Module) -> Lines:
        """The parts of a module."""
        for item, previous in zip(module.items, (None, *module.items), strict=False):
            if starts_assignments(item, previous):
                yield ""
            yield from indented(self._item(item))

    def _item(self, item: Item) -> Lines:
        match item:
            case Section():
                yield ""
                yield f"{self.mark} ---- {item.text} ----"
            case Drive():
                yield from self.comment(item.comment)
                yield from self.assignment(self.drive.format(item.target.name), item.value)
            case Memory():
                yield from self.memory(item)
            case Process() | Instance():
                yield ""
                yield from self.comment(item.comment)
                yield from self._process(item) if isinstance(item, Process) else self.instance(item)
            case _:
                assert_never(item)

    def _process(self, process: Process) -> Lines:
        """A process; the reset of registers overrides what the body gives them."""
        if not process.clocked:
            return self.combinational(self.body(process.body, self.blocking))
        return self.clocked(self._with_reset(process.body))

    def _with_reset(self, body: Body) -> Lines:
        assigned, lines = targets(body), self.body(body, self.clocked_target)
        reset = [f"{each.name} <= {self.number(each.type, each.initial)};" for each in assigned if each.resets]
        if len(reset) == len(assigned):
            yield from self._if_else(self.reset, reset, lines)
        else:
            yield from lines
            if reset:
                yield from self._if_else(self.reset, reset, ())

    def _if_else(self, condition: str, then: Iterable[str], otherwise: Iterable[str]) -> Lines:
        first, _, rest, end = self.branches
        yield first.format(condition)
        yield from indented(then)
        others = list(otherwise)
        if others:
            yield rest
            yield from indented(others)
        yield end

    def body(self, body: Body, head: str) -> Lines:
        """Statements whose assignments have a head."""
        for statement in body:
            yield from self._statement(statement, head)

    def _statement(self, statement: Statement, head: str) -> Lines:
        first, later, rest, end = self.branches
        match statement:
            case Assign():
                yield from self.assignment(head.format(statement.target.name), statement.value)
            case If():
                for position, (condition, body) in enumerate(statement.branches):
                    yield (later if position else first).format(self.test(condition))
                    yield from indented(self.body(body, head))
                if statement.otherwise:
                    yield rest
                    yield from indented(self.body(statement.otherwise, head))
                yield end
            case Case():
                yield from self.case(statement, head)
            case _:
                assert_never(statement)

    def port_lines(self, memory: Memory, port: Port) -> Lines:
        """What a port of a memory does in a cycle in which it is enabled."""
        return self._guarded(port.enable, list(self._port(memory, port)))

    def _port(self, memory: Memory, port: Port) -> Lines:
        if port.write is not None and port.data is not None:
            yield from self._guarded(port.write, [f"{self.word(memory, port)} <= {self.expression(port.data)};"])
        if port.first is not None and memory.latency:
            yield f"{port.first.name} <= {self.word(memory, port)};"
        if port.output is not None and port.fetched is not None:
            yield f"{port.output.name} <= {port.fetched.name};"

    def _guarded(self, condition: Value, lines: list[str]) -> Lines:
        """Statements under a condition, which is left out where it always holds."""
        always = isinstance(condition, Const) and condition.value
        if lines:
            yield from lines if always else self._if_else(self.test(condition), lines, ())
