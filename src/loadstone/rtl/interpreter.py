"""Modules run cycle by cycle in Python: the hierarchy becomes two Python functions, one for wires and one for clocks.

>>> from loadstone.rtl.types import bit, unsigned
>>> m = Module("counter")
>>> enable = m.input("enable", bit)
>>> count = m.register("count", unsigned(8), reset=0)
>>> with m.clocked(), m.when(enable):
...     m.assign(count, (count + 1).resized(8))
>>> total = m.output("total", count)
>>> simulation = Simulation(m)
>>> simulation.set("enable", 1)
>>> simulation.step(3)
>>> simulation.get("total")
3
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import assert_never

from loadstone.rtl import expressions as expr
from loadstone.rtl.checks import check
from loadstone.rtl.memory import Memory
from loadstone.rtl.module import Drive, Instance, Item, Module, Process, Section, refuse_externals
from loadstone.rtl.statements import Assign, Body, Case, If, Statement, expressions, leaves, targets
from loadstone.rtl.types import Bits, RtlError

_INDENT = "    "
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_RESET = "s[0]"

Scope = Mapping[expr.Signal, str]


@dataclass(frozen=True, slots=True)
class _Node:
    """Lines that compute wires, with the places that they read and write."""

    reads: frozenset[str]
    writes: tuple[str, ...]
    lines: tuple[str, ...]


@dataclass(slots=True)
class _Design:
    """A flattened hierarchy: places of values `s[k]`, memories `m[k]`, and the lines of both functions."""

    initial: list[int] = field(default_factory=lambda: [0])
    widths: list[int] = field(default_factory=lambda: [1])
    places: dict[str, int] = field(default_factory=lambda: {"rst": 0})
    memories: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    nodes: list[_Node] = field(default_factory=list[_Node])
    next_values: list[str] = field(default_factory=list[str])
    writes: list[str] = field(default_factory=list[str])
    stores: list[str] = field(default_factory=list[str])

    def place(self, path: str, signal: expr.Signal) -> str:
        """A new place for the value of a signal."""
        self.places[path] = len(self.initial)
        self.initial.append(signal.initial)
        self.widths.append(signal.type.width)
        return f"s[{self.places[path]}]"


class Simulation:
    """A module at work. Inputs and `rst` are set, then a step takes the clock's edge; all values start defined.

    Names of inner values are paths through instances, as in `adder.sum`.
    """

    def __init__(self, module: Module) -> None:
        check(module)
        refuse_externals(module, "Python")
        design = _Design()
        scope = {port: design.place(port.name, port) for port in module.of_kind("input", "output")}
        scope |= {each: repr(each.initial) for each in module.of_kind("parameter")}
        _flatten(module, "", scope, _RESET, design)
        self._types = {port.name: port.bits for port in module.of_kind("input")} | {"rst": Bits(1)}
        self._places = design.places
        self._widths = design.widths
        self._values = design.initial
        self._memories = design.memories
        self._memory_list = list(design.memories.values())
        self._settle, self._clock = _compiled(design)
        self._dirty = True

    def set(self, name: str, value: int) -> None:
        """Gives an input a value."""
        if name not in self._types or not self._types[name].holds(value):
            raise RtlError(f"'{name}' is no input that takes {value}")
        self._values[self._places[name]] = value
        self._dirty = True

    def get(self, path: str) -> int:
        """The value of a signal now; a member of an enumeration by its number."""
        self._settled()
        return int(self._values[self._places[path]])

    @property
    def places(self) -> Mapping[str, int]:
        """Where the values of signals stand in `values`, by paths; signals tied together share a place."""
        return self._places

    @property
    def widths(self) -> list[int]:
        """The bits of all values."""
        return self._widths

    def values(self) -> list[int]:
        """All values now."""
        self._settled()
        return list(self._values)

    def step(self, cycles: int = 1) -> None:
        """Takes some edges of the clock."""
        for _ in range(cycles):
            self._settled()
            try:
                self._clock(self._values, self._memory_list)
            except IndexError:
                raise RtlError("an enabled port addresses a word that its memory does not have") from None
            self._dirty = True

    def run_until(self, name: str, limit: int) -> int:
        """Steps until a signal is set, and how many steps it took; more than the limit is an error."""
        for cycle in range(limit + 1):
            if self.get(name):
                return cycle
            self.step()
        raise RtlError(f"'{name}' is not set after {limit} cycles")

    def memory(self, path: str) -> list[int]:
        """The words of a memory, to be read and changed in place."""
        self._dirty = True
        return self._memories[path]

    def _settled(self) -> None:
        if self._dirty:
            self._settle(self._values, self._memory_list)
            self._dirty = False


_Step = Callable[[list[int], list[list[int]]], None]


def _compiled(design: _Design) -> tuple[_Step, _Step]:
    """The function that computes all wires, and the one that takes the clock's edge."""
    settle = [line for node in _ordered(design.nodes) for line in node.lines]
    clock = [*design.next_values, *design.writes, *design.stores]
    text = "\n".join([*_function("settle", settle), *_function("clock", clock), ""])
    scope: dict[str, _Step] = {"RtlError": RtlError}  # pyright: ignore[reportAssignmentType]
    exec(compile(text, "<rtl>", "exec"), scope)
    return scope["settle"], scope["clock"]


def _function(name: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"def {name}(s, m):"
    yield f"{_INDENT}pass"
    yield from _indented(lines)


def _ordered(nodes: list[_Node]) -> Iterator[_Node]:
    """Nodes in topological order: after their fan-in."""
    writer = {place: position for position, node in enumerate(nodes) for place in node.writes}
    graph = {k: {writer[place] for place in node.reads if place in writer} for k, node in enumerate(nodes)}
    yield from (nodes[position] for position in TopologicalSorter(graph).static_order())


def _flatten(module: Module, prefix: str, ports: Scope, reset: str, design: _Design) -> None:
    """Adds a module to the design; `ports` says where its ports and parameters are, `reset` what resets it."""
    inner = module.of_kind("wire", "register")
    scope = {**ports, **{each: design.place(prefix + each.name, each) for each in inner}}
    for item in module.items:
        _add(item, prefix, scope, reset, design)


def _add(item: Item, prefix: str, scope: Scope, reset: str, design: _Design) -> None:
    match item:
        case Section():
            pass
        case Drive():
            line = f"{scope[item.target]} = {expression(item.value, scope)}"
            design.nodes.append(_Node(_places((item.value,), scope), (scope[item.target],), (line,)))
        case Process() if item.clocked:
            _add_clocked(item, scope, reset, design)
        case Process():
            writes = tuple(scope[each] for each in targets(item.body))
            reads = _places(expressions(item.body), scope)
            design.nodes.append(_Node(reads, writes, tuple(_body(item.body, scope, scope))))
        case Memory():
            _add_memory(item, prefix, scope, design)
        case Instance():
            _add_instance(item, prefix, scope, reset, design)
        case _:
            assert_never(item)


def _places(values: Iterable[expr.Value], scope: Scope) -> frozenset[str]:
    return frozenset(scope[each] for each in leaves(values))


def _add_clocked(process: Process, scope: Scope, reset: str, design: _Design) -> None:
    """Next values are computed from old ones; reset overrides them; then all are stored at once."""
    assigned = targets(process.body)
    after = {each: _next(scope[each]) for each in assigned}
    design.next_values += [f"{after[each]} = {scope[each]}" for each in assigned]
    design.next_values += _body(process.body, scope, after)
    first = [f"{_INDENT}{after[each]} = {each.initial}" for each in assigned if each.resets]
    design.next_values += [f"if {reset}:", *first] if first else []
    design.stores += [f"{scope[each]} = {after[each]}" for each in assigned]


def _next(place: str) -> str:
    """The variable for the next value of a place."""
    return f"n{place[2:-1]}"


def _add_memory(memory: Memory, prefix: str, scope: Scope, design: _Design) -> None:
    """Reads happen before writes, both with the values before the edge."""
    name = f"m[{len(design.memories)}]"
    design.memories[prefix + memory.name] = [*memory.initial, *[0] * (memory.depth - len(memory.initial))]
    writers: list[tuple[str, str]] = []
    for port in memory.ports:
        address, enable = expression(port.address, scope), expression(port.enable, scope)
        if port.output is not None and memory.latency == 0:
            line = f"{scope[port.output]} = {name}[{address}]"
            design.nodes.append(_Node(_places((port.address,), scope), (scope[port.output],), (line,)))
        elif port.first is not None:
            _add_read(port.outputs, f"{name}[{address}]", enable, scope, design)
        if port.write is not None and port.data is not None:
            condition = f"{enable} and {expression(port.write, scope)}"
            design.writes += [f"if {condition}:", f"{_INDENT}{name}[{address}] = {expression(port.data, scope)}"]
            writers.append((condition, address))
    design.next_values += _conflicts(writers, prefix + memory.name)


def _add_read(outputs: tuple[expr.Signal, ...], word: str, enable: str, scope: Scope, design: _Design) -> None:
    """A read port with one register, or two."""
    sources = [word, *(scope[each] for each in outputs[:-1])]
    for output, source in zip(outputs, sources, strict=True):
        place = scope[output]
        design.next_values.append(f"{_next(place)} = {source} if {enable} else {place}")
        design.stores.append(f"{place} = {_next(place)}")


def _conflicts(writers: list[tuple[str, str]], path: str) -> Iterator[str]:
    """Lines that find two writes of one word."""
    for position, (condition, address) in enumerate(writers):
        for other, place in writers[:position]:
            yield f"if ({condition}) and ({other}) and {address} == {place}:"
            yield f"{_INDENT}raise RtlError({f'{path}: two ports write one word'!r})"


def _add_instance(instance: Instance, prefix: str, scope: Scope, reset: str, design: _Design) -> None:
    """The ports of an instance are the signals at them, so that nothing is copied."""
    module = instance.module
    path = f"{prefix}{instance.name}."
    ports = {module[port]: scope[signal] for port, signal in (*instance.inputs, *instance.outputs)}
    design.places |= {f"{path}{port.name}": int(place[2:-1]) for port, place in ports.items()}
    chosen = dict(instance.parameters)
    ports |= {each: repr(chosen.get(each.name, each.initial)) for each in module.of_kind("parameter")}
    clears = reset if instance.clear is None else f"{reset} or {scope[instance.clear]}"
    _flatten(module, path, ports, clears, design)


def _body(body: Body, scope: Scope, places: Scope) -> Iterator[str]:
    """Statements that read from one scope and write to another."""
    for statement in body:
        yield from _statement(statement, scope, places)


def _statement(statement: Statement, scope: Scope, places: Scope) -> Iterator[str]:
    match statement:
        case Assign():
            yield f"{places[statement.target]} = {expression(statement.value, scope)}"
        case If():
            for position, (condition, body) in enumerate(statement.branches):
                yield f"{'elif' if position else 'if'} {expression(condition, scope)}:"
                yield from _block(body, scope, places)
            yield "else:"
            yield from _block(statement.otherwise, scope, places)
        case Case():
            for position, (values, body) in enumerate(statement.arms):
                choices = ", ".join(str(value.value) for value in values)
                yield f"{'elif' if position else 'if'} {scope[statement.selector]} in ({choices},):"
                yield from _block(body, scope, places)
            yield "else:" if statement.arms else "if True:"
            yield from _block(statement.default or (), scope, places)
        case _:
            assert_never(statement)


def _block(body: Body, scope: Scope, places: Scope) -> Iterator[str]:
    yield from _indented(["pass"] if not body else _body(body, scope, places))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    yield from (f"{_INDENT}{line}" for line in lines)


def expression(value: expr.Value, scope: Scope) -> str:
    """An expression in Python; every part of it gives a value of its type."""
    match value:
        case expr.Const():
            return f"({value.value})" if value.value < 0 else str(value.value)
        case expr.Signal():
            return scope[value]
        case expr.Unary():
            return _unary(value, expression(value.operand, scope))
        case expr.Binary():
            return _binary(value, expression(value.left, scope), expression(value.right, scope))
        case expr.Compare():
            return f"({expression(value.left, scope)} {_COMPARISONS[value.operator]} {expression(value.right, scope)})"
        case expr.Mux():
            choice = expression(value.condition, scope)
            return f"({expression(value.left, scope)} if {choice} else {expression(value.right, scope)})"
        case _:
            return _rearranged(value, scope)


def _rearranged(value: expr.Value, scope: Scope) -> str:
    """An expression that moves bits, in Python."""
    match value:
        case expr.Shift():
            operand, amount = expression(value.operand, scope), expression(value.amount, scope)
            return _shift(value, operand, amount)
        case expr.Extend():
            return expression(value.operand, scope)
        case expr.Reinterpret():
            return _wrapped(expression(value.operand, scope), value.bits)
        case expr.Slice():
            return f"({expression(value.operand, scope)} >> {value.low} & {value.mask})"
        case expr.Concat():
            return _concat(value, scope)
        case expr.Reduce():
            return _reduce(value, expression(value.operand, scope))
        case _:
            raise AssertionError(value)


def _wrapped(text: str, target: Bits) -> str:
    """A number modulo 2^width."""
    if not target.signed:
        return f"({text} & {target.mask})"
    half = -target.minimum
    return f"(({text} + {half} & {target.mask}) - {half})"


def _unary(value: expr.Unary, operand: str) -> str:
    if value.operator == "neg":
        return _wrapped(f"-{operand}", value.bits)
    return f"(~{operand})" if value.bits.signed else f"({operand} ^ {value.bits.mask})"


def _binary(value: expr.Binary, left: str, right: str) -> str:
    text = f"({left} {_OPERATORS[value.operator]} {right})"
    return text if _is_exact(value) else _wrapped(text, value.bits)


def _is_exact(value: expr.Binary) -> bool:
    """Whether a result always fits its type."""
    if value.operator in ("and", "or", "xor"):
        return True
    ranges = [_narrow(each) for each in (value.left, value.right)]
    if value.operator == "mul":
        return value.width >= ranges[0].width + ranges[1].width
    grown = max(each.width + (value.bits.signed and not each.signed) for each in ranges) + 1
    return value.width >= grown and value.bits.signed >= (value.operator == "sub")


def _narrow(value: expr.Value) -> Bits:
    """The type of a value before it was extended."""
    return value.operand.bits if isinstance(value, expr.Extend) else value.bits


def _shift(value: expr.Shift, operand: str, amount: str) -> str:
    """A shift; to the left the amount is bounded, so that numbers stay small."""
    if value.direction == "right":
        return f"({operand} >> {amount})"
    return _wrapped(f"({operand} << min({amount}, {value.width}))", value.bits)


def _concat(value: expr.Concat, scope: Scope) -> str:
    """Parts shifted to their places."""
    low = value.width
    texts: list[str] = []
    for part in value.parts:
        low -= part.width
        texts.append(f"{expression(part, scope)} << {low}" if low else expression(part, scope))
    return f"({' | '.join(texts)})"


def _reduce(value: expr.Reduce, operand: str) -> str:
    mask = value.operand.mask
    match value.operator:
        case "any":
            return f"({operand} != 0)"
        case "all":
            return f"(({operand} & {mask}) == {mask})"
        case "parity":
            return f"(({operand} & {mask}).bit_count() & 1)"
