"""Modules, and the way to describe them.

>>> from loadstone.rtl.types import bit, unsigned
>>> m = Module("counter", "Counts the cycles in which it is enabled.")
>>> enable = m.input("enable", bit)
>>> count = m.register("count", unsigned(8), reset=0)
>>> with m.clocked():
...     with m.when(enable):
...         m.assign(count, (count + 1).resized(8))
>>> total = m.output("total", count)
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from typing import Literal, Self

from loadstone.rtl.conditions import truth
from loadstone.rtl.expressions import Const, Kind, Operand, Signal, Value, as_value, converted
from loadstone.rtl.memory import Collision, Latency, Memory
from loadstone.rtl.names import fresh, is_free, is_legal
from loadstone.rtl.statements import Assign, Body, Case, If, Statement, targets
from loadstone.rtl.types import Bits, Enum, RtlError, Type


@dataclass(frozen=True, slots=True, eq=False)
class Drive:
    """A wire or output that always has the value of an expression."""

    target: Signal
    value: Value
    comment: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Process:
    """Statements that give registers their next values, or wires their values."""

    clocked: bool
    body: Body
    comment: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """A module inside of another one, with the signals at its ports; `clear` resets it as well, where it is given."""

    name: str
    module: Module
    inputs: tuple[tuple[str, Signal], ...]
    outputs: tuple[tuple[str, Signal], ...]
    parameters: tuple[tuple[str, int], ...]
    comment: str = ""
    clear: Signal | None = None

    def __getitem__(self, port: str) -> Signal:
        """The wire at an output."""
        return dict(self.outputs)[port]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading in the text of a module."""

    text: str


Item = Drive | Process | Memory | Instance | Section


@dataclass(slots=True)
class _OpenCase:
    """A case statement whose arms are being written."""

    selector: Signal
    arms: list[tuple[tuple[Const, ...], Body]]
    default: Body | None = None


class Module:
    """A piece of hardware: ports, signals, and what drives them. Clock `clk` and reset `rst` are implicit."""

    def __init__(self, name: str, comment: str = "") -> None:
        if not is_legal(name):
            raise RtlError(f"'{name}' cannot name a module")
        self.name = name
        self.comment = comment
        self._signals: dict[str, Signal] = {}
        self._enums: list[Enum] = []
        self._items: list[Item] = []
        self._taken: set[str] = {name.lower()}
        self._open: list[Statement] | None = None
        self._open_clocked = False
        self._open_case: _OpenCase | None = None

    @property
    def signals(self) -> tuple[Signal, ...]:
        """All named values, in the order of their declaration."""
        return tuple(self._signals.values())

    @property
    def enums(self) -> tuple[Enum, ...]:
        """The enumerations in use."""
        return tuple(self._enums)

    @property
    def items(self) -> tuple[Item, ...]:
        """What the module is made of, in the order of its text."""
        return tuple(self._items)

    def of_kind(self, *kinds: Kind) -> tuple[Signal, ...]:
        """The named values of some kinds."""
        return tuple(signal for signal in self.signals if signal.kind in kinds)

    @property
    def instances(self) -> tuple[Instance, ...]:
        """The modules inside."""
        return tuple(item for item in self._items if isinstance(item, Instance))

    @property
    def memories(self) -> tuple[Memory, ...]:
        """The memories inside."""
        return tuple(item for item in self._items if isinstance(item, Memory))

    @property
    def has_clock(self) -> bool:
        """Whether something in it is clocked, so that it has a port `clk`."""
        return any(
            (isinstance(item, Process) and item.clocked)
            or isinstance(item, Memory)
            or (isinstance(item, Instance) and item.module.has_clock)
            for item in self._items
        )

    @property
    def has_reset(self) -> bool:
        """Whether something in it is reset, so that it has a port `rst`."""
        return any(signal.resets for signal in self.signals) or any(each.module.has_reset for each in self.instances)

    def twin(self, name: str, inside: Mapping[Module, Module]) -> Self:
        """The same module under another name, with other modules for those inside."""
        found = copy(self)
        found.name = name
        found._items = [
            replace(item, module=inside[item.module]) if isinstance(item, Instance) else item for item in self._items
        ]
        return found

    def __getitem__(self, name: str) -> Signal:
        """The value with a name."""
        return self._signals[name]

    def fresh(self, wish: str) -> str:
        """A name that is legal and free here, as close to a wish as can be."""
        return fresh(wish, self._taken)

    def input(self, name: str, type: Bits, comment: str = "") -> Signal:
        """A new input."""
        return self._declare(Signal(type, name, "input", comment=comment))

    def output(self, name: str, kind: Bits | Value, comment: str = "") -> Signal:
        """A new output of a type, or one that always has a value."""
        return self._driven("output", name, kind, comment)

    def wire(self, name: str, kind: Type | Value, comment: str = "") -> Signal:
        """A new wire of a type, or one that always has a value."""
        return self._driven("wire", name, kind, comment)

    def parameter(self, name: str, type: Bits, default: int, comment: str = "") -> Signal:
        """A new parameter: a number that an instance may choose."""
        if not type.holds(default):
            raise RtlError(f"{self.name}.{name}: {default} is no value of {type}")
        return self._declare(Signal(type, name, "parameter", default, comment=comment))

    def register(self, name: str, type: Type, reset: int | str | None = None, comment: str = "") -> Signal:
        """A new register. It starts with its reset value, or with 0 where it is not reset."""
        with self._blame(name):
            value = converted(0 if isinstance(type, Bits) else type.members[0], type)
            value = value if reset is None else converted(reset, type)
            assert isinstance(value, Const)
        return self._declare(Signal(type, name, "register", value.value, reset is not None, comment))

    def stored(self, name: str, value: Operand, reset: int | str | None = None, comment: str = "") -> Signal:
        """A new register that takes a value in this clocked process, or in every cycle outside of a process."""
        source = as_value(value)
        register = self.register(name, source.type, reset, comment)
        if self._open is not None:
            self.assign(register, source)
        else:
            with self.clocked():
                self.assign(register, source)
        return register

    def memory(
        self,
        name: str,
        type: Bits,
        depth: int,
        *,
        latency: Latency = 1,
        collision: Collision = "old",
        initial: Sequence[int] = (),
        style: str = "",
        comment: str = "",
    ) -> Memory:
        """A new memory; its ports are made by `read`, `write` and `access`.

        With `latency` 2 block memories have an output register, with 0 it is read at once. `collision="any"` leaves
        open what a read gets that meets a write. `style` is a hint for synthesis ("block", "distributed").
        """
        memory = Memory(
            self._take(name),
            type,
            depth,
            self._memory_output,
            latency=latency,
            collision=collision,
            initial=tuple(initial),
            style=style,
            comment=comment,
        )
        self._take(f"{name}_words")
        self._items.append(memory)
        return memory

    def instance(
        self,
        name: str,
        module: Module,
        inputs: Mapping[str, Operand],
        parameters: Mapping[str, int] | None = None,
        comment: str = "",
        clear: Signal | None = None,
    ) -> Instance:
        """A module inside of this one. Its output `y` is the wire `instance["y"]`, called `name_y`.

        Where `clear` is given, it is reset by `rst` or `clear`.
        """
        ports = module.of_kind("input")
        if {port.name for port in ports} != set(inputs):
            raise RtlError(f"{self.name}.{name}: the inputs of {module.name} are {[port.name for port in ports]}")
        chosen = tuple((parameters or {}).items())
        for parameter, value in chosen:
            with self._blame(f"{name}.{parameter}"):
                converted(value, module[parameter].type)
        sources = tuple((port.name, self._source(name, port, inputs[port.name])) for port in ports)
        wires = tuple((port.name, self.wire(f"{name}_{port.name}", port.type)) for port in module.of_kind("output"))
        instance = Instance(self._take(name), module, sources, wires, chosen, comment, clear)
        self._items.append(instance)
        return instance

    def section(self, text: str) -> None:
        """Starts a part of the text with a heading."""
        self._items.append(Section(text))

    def assign(self, target: Signal, value: Operand, comment: str = "") -> None:
        """Gives a signal a value: in a process as a statement, outside of one for good."""
        clocked = self._open is not None and self._open_clocked
        if target.kind not in (("register",) if clocked else ("wire", "output")):
            place = "a clocked process" if clocked else "a combinational place"
            raise RtlError(f"{self.name}.{target.name}: {target.kind} cannot be assigned in {place}")
        with self._blame(target.name):
            source = converted(value, target.type)
        if self._open is None:
            self._items.append(Drive(target, source, comment))
        else:
            self._open.append(Assign(target, source))

    @contextmanager
    def clocked(self, comment: str = "") -> Generator[None]:
        """A process at the rising edge of the clock. Its registers that have a reset value are reset."""
        with self._process(True, comment):
            yield

    @contextmanager
    def combinational(self, comment: str = "") -> Generator[None]:
        """A process that gives wires and outputs their values, on every path through it."""
        with self._process(False, comment):
            yield

    @contextmanager
    def when(self, condition: Operand) -> Generator[None]:
        """Statements for the case that a condition holds."""
        choice = truth(condition)
        with self._body() as body:
            yield
        self._statements().append(If(((choice, tuple(body)),)))

    @contextmanager
    def elsewhen(self, condition: Operand) -> Generator[None]:
        """Statements for the case that this condition is the first of the `when` before to hold."""
        choice = truth(condition)
        statement = self._last_if()
        with self._body() as body:
            yield
        self._statements()[-1] = replace(statement, branches=(*statement.branches, (choice, tuple(body))))

    @contextmanager
    def otherwise(self) -> Generator[None]:
        """Statements for the case that no condition of the `when` before holds."""
        statement = self._last_if()
        with self._body() as body:
            yield
        self._statements()[-1] = replace(statement, otherwise=tuple(body))

    @contextmanager
    def switch(self, selector: Signal) -> Generator[None]:
        """A choice by the value of a signal; holds `case` and `default`."""
        outer, self._open_case = self._open_case, _OpenCase(selector, [])
        statements = self._statements()
        count = len(statements)
        try:
            yield
            if len(statements) > count:
                raise RtlError(f"{self.name}: a switch holds cases only")
            made = self._open_case
            statements.append(Case(selector, tuple(made.arms), made.default))
        finally:
            self._open_case = outer

    @contextmanager
    def case(self, *values: int | str) -> Generator[None]:
        """Statements for some values of the selector."""
        opened = self._case()
        with self._blame(opened.selector.name):
            choices = tuple(_choice(value, opened.selector) for value in values)
        known = {choice.value for arm, _ in opened.arms for choice in arm}
        if len(known | {choice.value for choice in choices}) < len(known) + len(choices):
            raise RtlError(f"{self.name}.{opened.selector.name}: a value occurs in two cases")
        with self._body() as body:
            yield
        opened.arms.append((choices, tuple(body)))

    @contextmanager
    def default(self) -> Generator[None]:
        """Statements for all other values of the selector."""
        opened = self._case()
        with self._body() as body:
            yield
        opened.default = tuple(body)

    @contextmanager
    def _process(self, clocked: bool, comment: str) -> Generator[None]:
        if self._open is not None:
            raise RtlError(f"{self.name}: a process inside of a process")
        self._open, self._open_clocked = [], clocked
        try:
            yield
            process = Process(clocked, tuple(self._open), comment)
        finally:
            self._open = None
        if targets(process.body):
            self._items.append(process)

    @contextmanager
    def _body(self) -> Generator[list[Statement]]:
        """The statements of an inner block."""
        outer = self._statements()
        outer_case, self._open_case = self._open_case, None
        body: list[Statement] = []
        self._open = body
        try:
            yield body
        finally:
            self._open, self._open_case = outer, outer_case

    @contextmanager
    def _blame(self, name: str) -> Generator[None]:
        """Adds module and signal to what goes wrong inside."""
        try:
            yield
        except RtlError as error:
            raise RtlError(f"{self.name}.{name}: {error}") from None

    def _statements(self) -> list[Statement]:
        if self._open is None:
            raise RtlError(f"{self.name}: a statement outside of a process")
        return self._open

    def _last_if(self) -> If:
        statements = self._statements()
        last = statements[-1] if statements else None
        if not isinstance(last, If) or last.otherwise:
            raise RtlError(f"{self.name}: elsewhen or otherwise without a when before it")
        return last

    def _case(self) -> _OpenCase:
        if self._open_case is None or self._open_case.default is not None:
            raise RtlError(f"{self.name}: a case outside of a switch, or after its default")
        return self._open_case

    def _take(self, name: str) -> str:
        """A name that nothing else has from now on."""
        if not is_legal(name):
            raise RtlError(f"{self.name}.{name}: the name is reserved in one of the languages, or misspelt there")
        if not is_free(name, self._taken):
            raise RtlError(f"{self.name}.{name}: the name is in use")
        self._taken.add(name.lower())
        return name

    def _declare(self, signal: Signal) -> Signal:
        if isinstance(signal.type, Enum) and signal.type not in self._enums:
            for name in (signal.type.name, *signal.type.members):
                self._take(name)
            self._enums.append(signal.type)
        self._signals[self._take(signal.name)] = signal
        return signal

    def _memory_output(self, name: str, type: Type, kind: Kind) -> Signal:
        return self._declare(Signal(type, name, kind))

    def _driven(self, place: Literal["wire", "output"], name: str, kind: Type | Value, comment: str) -> Signal:
        """A new signal of a type, or of an expression that drives it."""
        if not isinstance(kind, Value):
            return self._declare(Signal(kind, name, place, comment=comment))
        signal = self._declare(Signal(kind.type, name, place, comment=comment))
        if place == "output" and not isinstance(kind.type, Bits):
            raise RtlError(f"{self.name}.{name}: a port is no enumeration")
        self._items.append(Drive(signal, kind))
        return signal

    def _source(self, instance: str, port: Signal, operand: Operand) -> Signal:
        """The signal at an input of an instance; an expression gets a wire of its own."""
        with self._blame(f"{instance}.{port.name}"):
            value = converted(operand, port.type)
        return value if isinstance(value, Signal) else self.wire(f"{instance}_{port.name}", value)


def _choice(value: int | str, selector: Signal) -> Const:
    """A value of a case in the type of the selector."""
    choice = converted(value, selector.type)
    assert isinstance(choice, Const)
    return choice


def starts_assignments(item: Item, previous: Item | None) -> bool:
    """Whether an item is the first of a row of assignments, or has a comment of its own."""
    return isinstance(item, Drive) and (not isinstance(previous, Drive) or bool(item.comment))


class External(Module):
    """A clocked module of others, given as Verilog; only simulators of Verilog take it."""

    def __init__(self, name: str, text: str, comment: str = "") -> None:
        super().__init__(name, comment)
        self.text = text

    @property
    def has_clock(self) -> bool:
        """It has a port `clk`."""
        return True


def externals(top: Module) -> tuple[External, ...]:
    """The modules of others inside of a module."""
    return tuple(module for module in hierarchy(top) if isinstance(module, External))


def refuse_externals(top: Module, language: str) -> None:
    """Raises `RtlError` where modules of others would have to be in another language than Verilog."""
    for module in externals(top):
        raise RtlError(f"'{module.name}' is not there in {language}")


def hierarchy(top: Module) -> tuple[Module, ...]:
    """The module and all modules inside, each once, users after what they use."""
    found: dict[int, Module] = {}
    _visit(top, found)
    names = [module.name.lower() for module in found.values()]
    for name in names:
        if names.count(name) > 1:
            raise RtlError(f"two modules are called '{name}'")
    return tuple(found.values())


def _visit(module: Module, found: dict[int, Module]) -> None:
    """Adds modules in topological order: after what they use."""
    for instance in module.instances:
        if id(instance.module) not in found:
            _visit(instance.module, found)
    found[id(module)] = module
