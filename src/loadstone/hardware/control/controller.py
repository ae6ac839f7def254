"""Loop controllers: a loop tree as a hierarchy of small automata that start each other [Devos, 5.2 and 5.3].

Each loop has a counter, and each block an automaton that goes through its parts (an identifier block). Loops of a depth
can share a counter, as Devos has it: fewer registers, longer paths. Counters of their own are his partition into
sub-controllers, for every loop.

Cycles, for statements that take as long as they take: a block takes as long as its parts, a loop as long as its
iterations, and a loop without iterations, or a condition that does not hold and has no other branch, takes one. Each
visit of a loop takes a cycle more for each register above it, on the way down and on the way up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict

import islpy as isl

from loadstone.errors import Diagnostic, InputError, UnsupportedError
from loadstone.hardware.control.automata import (
    Bounds,
    Identifier,
    at_the_same_time,
    counter,
    delayed,
    one_after_another,
    product_name,
)
from loadstone.hardware.control.expressions import Arithmetic, Steady, Term
from loadstone.hardware.control.interface import (
    OWN,
    Call,
    Calls,
    Controller,
    Statements,
    parameter_inputs,
    port_names,
    run_state,
    selected,
    statement_inputs,
    statement_outputs,
    statement_ports,
)
from loadstone.hardware.control.levels import Level
from loadstone.hardware.control.ranged import Ranged, digits, number
from loadstone.hardware.names import Names
from loadstone.loops.facts import (
    Range,
    condition_on,
    narrowed,
    range_of,
    surely,
    visited,
    with_iterator,
    without_iterator,
)
from loadstone.loops.model import Block, For, If, Instance, Node, expressions, mapped
from loadstone.loops.paths import Path, places, statements
from loadstone.loops.ranges import Limits, limits_of, within
from loadstone.model.expression import Binary, Constant, Expression, Variable, walk
from loadstone.model.tidy import tidy
from loadstone.rtl.conditions import mux
from loadstone.rtl.expressions import Const, Signal, Value, const
from loadstone.rtl.module import Module
from loadstone.rtl.names import fresh
from loadstone.rtl.types import bit

MOST_DIGITS = 2
"""The most shifted values that a multiple of a counter is the sum of; beyond, it is kept up by additions."""


@dataclass(frozen=True, slots=True)
class Registers:
    """Pipeline registers above loops: cycles for start and counters on the way down, and for the end on the way up."""

    down: int = 0
    up: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """How a controller is built.

    `registers` are those above the loops of a depth; depths 0, 1 and 2 are taken to be the places alpha, beta and gamma
    of [Devos, Figure 5.17], which is lost. `above` are those above loops at paths, where the depth has none. The loops
    at `parts` become modules of their own. The items of the blocks at `parallel` are started together, which
    `independent` may allow. With `shared`, the loops of a depth in a module have one counter, as Devos has it, unless
    they run at the same time. `arguments` names the arguments of statements. With `steady`, parameters do not change
    from the cycle before the start on, and what is computed of them alone comes from registers.
    """

    registers: Mapping[int, Registers] = field(default_factory=dict[int, Registers])
    parts: frozenset[Path] = frozenset()
    parallel: frozenset[Path] = frozenset()
    shared: bool = False
    arguments: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    above: Mapping[Path, Registers] = field(default_factory=dict[Path, Registers])
    steady: bool = False


PLAIN = Options()
"""Counters for every loop, no registers, one module."""


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A place in the tree: the values at hand, what is known of them, the loop around, and how many there are.

    `owner` is the path of the part whose loops share counters, and `here` whether that part is at work at this place.
    """

    path: Path
    values: Mapping[Term, Ranged]
    known: isl.Set
    loop: str = ""
    depth: int = 0
    owner: Path = ()
    here: Value = field(default_factory=lambda: const(1))

    def alone(self) -> _Place:
        """The place with counters of its own."""
        return replace(self, owner=self.path, here=const(1))

    def below(self, position: int) -> _Place:
        return replace(self, path=(*self.path, position))


_Key = tuple[Path, int]
"""A part of the tree with counters of its own, and a depth in it."""


class _ModuleParts(TypedDict):
    """What a builder has for its module."""

    names: Names
    statements: Statements
    lasts: Mapping[str, Signal]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A part of a controller: its last cycle, and how it uses statements."""

    last: Value
    calls: Calls


def make_controller(
    name: str,
    tree: Node,
    parameters: Mapping[str, Limits],
    options: Options = PLAIN,
    context: isl.Set | None = None,
) -> Controller:
    """A controller that starts the statements of a loop tree in their order, for parameters in ranges.

    Ports: `start`, the parameters, `S_start`, `S_last` and `S_...` for the arguments of each statement S, `last` in the
    last cycle of all, and `ready`. Counters have the bits for the values that they take while the parameters are in
    their ranges and in the context, and expressions those for all values of their variables: nothing overflows.
    """
    _check_paths(tree, options)
    tidied = mapped(tree, tidy)
    bounds: dict[_Key, list[Bounds]] = {}
    if options.shared:
        _filled(name, tidied, parameters, replace(options, shared=False), context, bounds)
    return _filled(name, tidied, parameters, options, context, bounds)


def _check_paths(tree: Node, options: Options) -> None:
    """Refuses options for places that are not there."""
    found = dict(places(tree))
    wrong = [f"no loop is at path {path}" for path in sorted(options.parts) if not isinstance(found.get(path), For)]
    wrong += [
        f"no block is at path {path}" for path in sorted(options.parallel) if not isinstance(found.get(path), Block)
    ]
    if wrong:
        raise InputError(*map(Diagnostic, wrong))


def _filled(
    name: str,
    tree: Node,
    parameters: Mapping[str, Limits],
    options: Options,
    context: isl.Set | None,
    bounds: dict[_Key, list[Bounds]],
) -> Controller:
    """A controller; the bounds of all loops are noted, or used for counters that they share."""
    m = Module(fresh(name, ()), f"Runs the loops of {name}.")
    inputs = parameter_inputs(m, parameters)
    start = m.input("start", bit, "starts it, when it is ready")
    known = within(parameters, context)
    place = _Place((), _narrowed(tree, inputs, known), known)
    ports = statement_ports(options.arguments, statements(tree), (port.name for port in m.signals))
    parts = _module_parts(m, ports)
    steady = Steady(parts["names"], inputs) if options.steady else None
    builder = _Builder(options, frozenset(parameters), {m.name.lower()}, bounds, {}, steady, **parts)
    part = builder.part(tree, start, place)
    for level in builder.levels.values():
        level.finish()
    run_state(builder.names, start, part.last)
    statement_outputs(m, builder.statements, part.calls)
    return Controller(m, port_names(m, parameters), ports)


def _module_parts(m: Module, ports: Statements) -> _ModuleParts:
    """The names and statements of a module; the inputs for statements are added to it."""
    lasts = statement_inputs(m, ports)
    return {"names": Names(m, (*ports.outputs(), *OWN)), "statements": ports, "lasts": lasts}


@dataclass(frozen=True, slots=True, eq=False)
class _Builder:
    """Fills one module; `lasts` are the last cycles of statements, `modules` the names of modules so far.

    `bounds` are those of the loops that can share a counter, and `levels` the counters that are shared.
    """

    options: Options
    parameters: frozenset[str]
    modules: set[str]
    bounds: dict[_Key, list[Bounds]]
    levels: dict[_Key, Level]
    steady: Steady | None
    names: Names
    statements: Statements
    lasts: Mapping[str, Signal]

    def part(self, node: Node, start: Value, place: _Place) -> _Part:
        """The hardware of a node that is started by a pulse."""
        match node:
            case Instance(statement=statement, arguments=arguments):
                arithmetic = self._arithmetic(place, statement)
                return _Part(self.lasts[statement], {statement: Call(start, tuple(map(arithmetic.value, arguments)))})
            case Block(items=()):
                return _Part(start, {})
            case Block(items=(item,)):
                return self.part(item, start, place.below(0))
            case Block(items=items) if place.path in self.options.parallel:
                return self._parallel(items, start, place)
            case Block(items=items):
                return self._sequence(items, start, place)
            case If():
                return self._branches(node, start, place)
            case For():
                return self._registered(node, start, place)

    def _arithmetic(self, place: _Place, wish: str) -> Arithmetic:
        return Arithmetic(self.names, place.values, f"{wish}_part", self.steady)

    def _sequence(self, items: Sequence[Node], start: Value, place: _Place) -> _Part:
        name = self.names.fresh(f"part_of_{place.loop}" if place.loop else "part")
        self.names.module.section(f"{len(items)} parts, one after another{_where(place)}")
        identifier = one_after_another(self.names, name, start, len(items))
        assert identifier.part is not None
        calls = self._items(items, identifier, place)
        merged = calls[-1]
        for position in reversed(range(len(items) - 1)):
            merged = selected(identifier.part == position, calls[position], merged)
        return _Part(identifier.last, merged)

    def _parallel(self, items: Sequence[Node], start: Value, place: _Place) -> _Part:
        name = self.names.fresh(f"all_of_{place.loop}" if place.loop else "all_parts")
        self.names.module.section(f"{len(items)} parts at the same time{_where(place)}")
        identifier = at_the_same_time(self.names, name, start, len(items))
        calls = self._items(items, identifier, place)
        _refuse_shared(calls)
        return _Part(identifier.last, {name: call for part in calls for name, call in part.items()})

    def _items(self, items: Sequence[Node], identifier: Identifier, place: _Place) -> list[Calls]:
        """The calls of the parts that an automaton starts."""
        calls: list[Calls] = []
        for k, (item, start, last) in enumerate(zip(items, identifier.starts, identifier.lasts, strict=True)):
            part = self.part(item, start, _item(place.below(k), identifier.part, k))
            self.names.module.assign(last, part.last)
            calls.append(part.calls)
        return calls

    def _branches(self, node: If, start: Value, place: _Place) -> _Part:
        choice = self.names.named("choice", self._arithmetic(place, "choice").condition(node.condition))
        chosen = narrowed(place.known, lambda: condition_on(node.condition, place.known))
        then = self.part(node.then, start & choice, replace(place.below(0), known=chosen, here=place.here & choice))
        if node.otherwise is None:
            return _Part(mux(choice, then.last, start), then.calls)
        rest = narrowed(place.known, lambda: place.known.subtract(condition_on(node.condition, place.known)))
        otherwise = self.part(
            node.otherwise, start & ~choice, replace(place.below(1), known=rest, here=place.here & ~choice)
        )
        return _Part(mux(choice, then.last, otherwise.last), selected(choice, then.calls, otherwise.calls))

    def _registered(self, loop: For, start: Value, place: _Place) -> _Part:
        """The loop with the registers above it. Identifiers are not delayed: they do not change while it works."""
        above = self.options.above.get(place.path, Registers())
        registers = self.options.registers.get(place.depth, above)
        name = loop.iterator
        start = delayed(self.names, f"{name}_begin", start, registers.down, resets=True)
        values = dict(place.values)
        for term in _used(loop, {term: value for term, value in values.items() if term[0] not in self.parameters}):
            later = delayed(self.names, f"{term[0]}_above_{name}", values[term].value, registers.down, resets=False)
            values[term] = replace(values[term], value=later)
        make = self._own_module if place.path in self.options.parts else self._loop
        part = make(loop, start, replace(place, values=values))
        return replace(part, last=delayed(self.names, f"{name}_end_above", part.last, registers.up, resets=True))

    def _loop(self, loop: For, start: Value, place: _Place) -> _Part:
        level = self._level(place) if self.options.shared else None
        name = self.names.fresh(loop.iterator) if level is None else level.name
        self.names.module.section(f"Loop {loop.iterator if level else name}{_where(place)}")
        span = _range(loop, place.known)
        inside = narrowed(with_iterator(place.known, loop.iterator), lambda: visited(span, place.known))
        bounds = self._bounds(span, inside, name, place)
        below = replace(place.below(0), known=inside, loop=name, depth=place.depth + 1)
        if level is not None:
            return self._with_level(loop, start, bounds, level, below, place.here)
        self.bounds.setdefault((place.owner, place.depth), []).append(bounds)
        return self._with_counter(loop, start, bounds, below)

    def _with_counter(self, loop: For, start: Value, bounds: Bounds, below: _Place) -> _Part:
        """The loop with a counter of its own."""
        automaton = counter(self.names, below.loop, start, bounds, _hard_factors(loop))
        terms = {(loop.iterator, factor): value for factor, value in automaton.multiples.items()}
        body = self.part(loop.body, automaton.body_start, _with_terms(loop, below, terms))
        self.names.module.assign(automaton.body_last, body.last)
        return _Part(automaton.last, body.calls)

    def _level(self, place: _Place) -> Level:
        """The counter that the loops of a depth share."""
        key = (place.owner, place.depth)
        if key not in self.levels:
            self.levels[key] = Level(self.names, place.depth, self.bounds[key])
        return self.levels[key]

    def _with_level(self, loop: For, start: Value, bounds: Bounds, level: Level, below: _Place, here: Value) -> _Part:
        """The loop with the counter of its depth."""
        value, body_start = level.loop(here, start, bounds)
        body = self.part(loop.body, body_start, _with_terms(loop, below, {(loop.iterator, 1): value}))
        level.body(here, body.last)
        return _Part(level.automaton.last, body.calls)

    def _bounds(self, span: Range, inside: isl.Set, name: str, place: _Place) -> Bounds:
        first = self._bound(span.start, f"{name}_first", place)
        end = self._bound(span.last, f"{name}_end", place)
        low, high = limits_of(inside, span.iterator) or (first.low, max(first.low, end.high))
        return Bounds(span.iterator, first, end, number(span.step), low, high, _never_empty(span, place.known))

    def _bound(self, bound: Expression, name: str, place: _Place) -> Ranged:
        found = self._arithmetic(place, name).value(bound)
        return replace(found, value=self.names.named(name, found.value))

    def _own_module(self, loop: For, start: Value, place: _Place) -> _Part:
        """The loop in a module of its own, with the values that it needs as inputs."""
        m = Module(
            _free_module(f"{self.names.module.name}_{loop.iterator}", self.modules), f"Runs loop {loop.iterator}."
        )
        used = {term: place.values[term] for term in _used(loop, place.values)}
        ports = {term: m.input(m.fresh(_term_name(term)), value.value.bits) for term, value in used.items()}
        begin = m.input("start", bit, "starts it, after its last cycle")
        builder = replace(self, steady=None, **_module_parts(m, self.statements.only(statements(loop))))
        values = {**place.values, **{term: replace(used[term], value=port) for term, port in ports.items()}}
        part = builder._loop(loop, begin, replace(place.alone(), values=values))
        m.output("last", part.last, "its last cycle")
        statement_outputs(m, builder.statements, part.calls)
        inputs = {port.name: used[term].value for term, port in ports.items()} | {"start": start}
        return self._connected(loop, m, inputs, part.calls)

    def _connected(self, loop: For, m: Module, inputs: Mapping[str, Value], calls: Calls) -> _Part:
        """An instance of the module of a loop as a part."""
        lasts = {self.statements.port(name, "last"): self.lasts[name] for name in calls}
        instance = self.names.module.instance(self.names.fresh(f"run_{loop.iterator}"), m, {**inputs, **lasts})

        def call(name: str, inner: Call) -> Call:
            ports = (self.statements.port(name, what) for what in self.statements.arguments[name])
            arguments = (replace(a, value=instance[port]) for a, port in zip(inner.arguments, ports, strict=True))
            return Call(instance[self.statements.port(name, "start")], tuple(arguments))

        return _Part(instance["last"], {name: call(name, inner) for name, inner in calls.items()})


def _item(place: _Place, part: Signal | None, position: int) -> _Place:
    """The place of an item: at work if its block is at this part, or always."""
    return place.alone() if part is None else replace(place, here=place.here & (part == position))


def _with_terms(loop: For, place: _Place, terms: Mapping[Term, Ranged]) -> _Place:
    """The place inside of a loop with its counter."""
    return replace(place, values=_narrowed(loop, {**place.values, **terms}, place.known))


def _free_module(wish: str, modules: set[str]) -> str:
    name = fresh(wish, modules)
    modules.add(name.lower())
    return name


def _where(place: _Place) -> str:
    return f", in loop {place.loop}" if place.loop else ""


def _term_name(term: Term) -> str:
    return term[0] if term[1] == 1 else product_name(*term)


def _range(loop: For, known: isl.Set) -> Range:
    found = range_of(loop, known)
    if found is None:
        hint = "its counter must go up by a number, to bounds that do not depend on it"
        raise UnsupportedError(Diagnostic(f"a loop controller cannot count '{loop.iterator}'", None, hint))
    return found


def _never_empty(loop: Range, known: isl.Set) -> bool:
    """Whether a loop surely has iterations."""
    return surely(lambda: known.is_subset(without_iterator(visited(loop, known), loop.iterator)))


def _refuse_shared(parts: Sequence[Calls]) -> None:
    """Refuses parts that would use one statement at the same time."""
    names = [name for part in parts for name in part]
    for name in names:
        if names.count(name) > 1:
            hint = "give its instances in each part a statement of their own"
            raise UnsupportedError(Diagnostic(f"parts that run at the same time share statement '{name}'", None, hint))


def _used(tree: Node, values: Mapping[Term, Ranged]) -> tuple[Term, ...]:
    """The values that a tree reads, but for numbers that are known."""
    parts = [part for expression in expressions(tree) for part in walk(expression)]
    terms = {(part.name, 1) for part in parts if isinstance(part, Variable)} | set(_products(parts))
    return tuple(term for term, value in values.items() if term in terms and not isinstance(value.value, Const))


def _narrowed(tree: Node, values: Mapping[Term, Ranged], known: isl.Set) -> dict[Term, Ranged]:
    """The values that a tree reads with the ranges that they have in a known set."""
    found = dict(values)
    for name, factor in _used(tree, values):
        limits = limits_of(known, name) if factor == 1 else None
        if limits is not None:
            value = values[name, factor]
            found[name, factor] = replace(value, low=max(value.low, limits[0]), high=min(value.high, limits[1]))
    return found


def _products(parts: Iterable[Expression]) -> Iterator[Term]:
    """The variables that are multiplied by numbers, which are positive in tidy expressions."""
    for part in parts:
        match part:
            case Binary(op="*", left=Constant(value=int(factor)), right=Variable(name=name)):
                yield name, factor
            case _:
                pass


def _hard_factors(loop: For) -> tuple[int, ...]:
    """The factors of the counter of a loop that take many additions each time."""
    products = _products(part for expression in expressions(loop.body) for part in walk(expression))
    found = {factor for name, factor in products if name == loop.iterator and len(digits(factor)) > MOST_DIGITS}
    return tuple(sorted(found))
