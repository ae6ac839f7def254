"""Loop controllers: a loop tree as a hierarchy of small automata that start each other [Devos, 5.2 and 5.3].

Each loop has a counter, and each block an automaton that goes through its parts (an identifier block). In the thesis
loops of a depth share a counter: fewer registers, longer paths. Counters of their own are its partition into
sub-controllers, for every loop. `benchmarks/thesis/thesis_controllers.py` has the other ways, as a `Builder`.

Cycles, for statements that take as long as they take: a block takes as long as its parts, a loop as long as its
iterations, and a loop without iterations, or a condition that does not hold and has no other branch, takes one. Each
visit of a loop takes a cycle more for each register above it, on the way down and on the way up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import islpy as isl

from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.hardware.control.automata import Bounds, Settled, counter, delayed, one_after_another
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
from loadstone.hardware.control.ranged import Ranged, digits, number
from loadstone.hardware.names import Names
from loadstone.loops.facts import (
    Range,
    condition_on,
    narrowed,
    never_empty,
    range_of,
    visited,
    with_iterator,
)
from loadstone.loops.model import Block, For, If, Instance, Node, expressions, mapped
from loadstone.loops.paths import Path, statements
from loadstone.loops.ranges import Limits, limits_of, within
from loadstone.model.expression import Binary, Constant, Expression, Variable, binary, integer, walk
from loadstone.model.tidy import tidy
from loadstone.rtl.conditions import mux
from loadstone.rtl.expressions import Const, Signal, Value
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

    `arguments` names the arguments of statements. `above` are registers above loops at paths. With `steady`, parameters
    do not change from the cycle before the start on, and what is computed of them alone comes from registers.
    """

    arguments: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    above: Mapping[Path, Registers] = field(default_factory=dict[Path, Registers])
    steady: bool = False


PLAIN = Options()
"""No registers, and arguments that are numbered."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A place in the tree: the values at hand, what is known of them, the loop around, and how many there are.

    `steady` are the values that do not change while loops with registers above them work, `held` the registers with
    values of counters, after the first cycle of their loops.
    """

    path: Path
    values: Mapping[Term, Ranged]
    known: isl.Set
    loop: str = ""
    depth: int = 0
    steady: tuple[Steady, ...] = ()
    held: Mapping[Term, Signal] = field(default_factory=dict[Term, Signal])

    def later(self) -> Self:
        """The place when a cycle has passed since the loops around began: counters are their registers."""
        registers = {term: replace(self.values[term], value=register) for term, register in self.held.items()}
        return replace(self, values={**self.values, **registers})

    def below(self, position: int, where: Value | None = None) -> Self:
        """The place of a child; `where` says when it is the one at work."""
        return replace(self, path=(*self.path, position))


@dataclass(frozen=True, slots=True, eq=False)
class Part:
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
    return built_by(Builder, name, tree, parameters, options, context)


def built_by(
    make: Callable[[Options, frozenset[str], Steady | None, Names, Statements, Mapping[str, Signal]], Builder],
    name: str,
    tree: Node,
    parameters: Mapping[str, Limits],
    options: Options,
    context: isl.Set | None,
) -> Controller:
    """A controller that a builder fills."""
    m = Module(fresh(name, ()), f"Runs the loops of {name}.")
    inputs = parameter_inputs(m, parameters)
    start = m.input("start", bit, "starts it, when it is ready")
    known, tidied = within(parameters, context), mapped(tree, tidy)
    ports = statement_ports(options.arguments, statements(tree), (port.name for port in m.signals))
    lasts = statement_inputs(m, ports)
    names = names_beside(m, ports)
    steady = Steady(names, inputs) if options.steady else None
    builder = make(options, frozenset(parameters), steady, names, ports, lasts)
    part = builder.part(tidied, start, builder.root(_narrowed(tidied, inputs, known), known))
    run_state(names, start, part.last)
    statement_outputs(m, ports, part.calls)
    return Controller(m, port_names(m, parameters), ports)


def names_beside(m: Module, ports: Statements) -> Names:
    """The names of a module, beside the outputs that it gets last."""
    return Names(m, (*ports.outputs(), *OWN))


@dataclass(frozen=True, slots=True, eq=False)
class Builder:
    """Fills one module; `lasts` are the last cycles of statements."""

    options: Options
    parameters: frozenset[str]
    steady: Steady | None
    names: Names
    statements: Statements
    lasts: Mapping[str, Signal]

    def root(self, values: Mapping[Term, Ranged], known: isl.Set) -> Place:
        """The place of the whole tree."""
        return Place((), values, known)

    def part(self, node: Node, start: Value, place: Place) -> Part:
        """The hardware of a node that is started by a pulse."""
        match node:
            case Instance(statement=statement, arguments=arguments):
                arithmetic = self._arithmetic(place, statement)
                return Part(self.lasts[statement], {statement: Call(start, tuple(map(arithmetic.value, arguments)))})
            case Block(items=()):
                return Part(start, {})
            case Block(items=(item,)):
                return self.part(item, start, place.below(0))
            case Block(items=items):
                return self._sequence(items, start, place)
            case If():
                return self._branches(node, start, place)
            case For():
                return self._registered(node, start, place)

    def _arithmetic(self, place: Place, wish: str) -> Arithmetic:
        return Arithmetic(self.names, place.values, f"{wish}_part", self._steady(place))

    def _steady(self, place: Place) -> tuple[Steady, ...]:
        """The values that do not change at a place, those of parameters first."""
        return (*(() if self.steady is None else (self.steady,)), *place.steady)

    def _sequence(self, items: Sequence[Node], start: Value, place: Place) -> Part:
        name = self.names.fresh(f"part_of_{place.loop}" if place.loop else "part")
        self.names.module.section(f"{len(items)} parts, one after another{where(place)}")
        identifier = one_after_another(self.names, name, start, len(items))
        calls: list[Calls] = []
        for k, (item, begin, last) in enumerate(zip(items, identifier.starts, identifier.lasts, strict=True)):
            here = place.later() if k else place
            part = self.part(item, begin, here.below(k, identifier.part == k))
            self.names.module.assign(last, part.last)
            calls.append(part.calls)
        merged = calls[-1]
        for position in reversed(range(len(items) - 1)):
            merged = selected(identifier.part == position, calls[position], merged)
        return Part(identifier.last, merged)

    def _branches(self, node: If, start: Value, place: Place) -> Part:
        choice = self.names.named("choice", self._arithmetic(place, "choice").condition(node.condition))
        chosen = narrowed(place.known, lambda: condition_on(node.condition, place.known))
        then = self.part(node.then, start & choice, replace(place.below(0, choice), known=chosen))
        if node.otherwise is None:
            return Part(mux(choice, then.last, start), then.calls)
        rest = narrowed(place.known, lambda: place.known.subtract(condition_on(node.condition, place.known)))
        otherwise = self.part(node.otherwise, start & ~choice, replace(place.below(1, ~choice), known=rest))
        return Part(mux(choice, then.last, otherwise.last), selected(choice, then.calls, otherwise.calls))

    def _registered(self, loop: For, start: Value, place: Place) -> Part:
        """The loop with the registers above it. Identifiers are not delayed: they do not change while it works."""
        registers = self.above(place)
        name = loop.iterator
        start = delayed(self.names, f"{name}_begin", start, registers.down, resets=True)
        values, steady = dict(place.values), self._steady(place)
        if self.steady is not None and registers.down:
            place = replace(place, steady=(Steady(self.names, place.values, registers.down, steady),))
        for term in used_in(loop, {term: value for term, value in values.items() if term[0] not in self.parameters}):
            later = delayed(self.names, f"{term[0]}_above_{name}", values[term].value, registers.down, resets=False)
            values[term] = replace(values[term], value=later)
        if registers.down:
            place = replace(place, held={})
        part = self.loop(loop, start, replace(place, values=values))
        return replace(part, last=delayed(self.names, f"{name}_end_above", part.last, registers.up, resets=True))

    def above(self, place: Place) -> Registers:
        """The registers above the loop at a place."""
        return self.options.above.get(place.path, Registers())

    def loop(self, loop: For, start: Value, place: Place) -> Part:
        """The hardware of a loop, with a counter of its own."""
        name = self.names.fresh(loop.iterator)
        self.names.module.section(f"Loop {name}{where(place)}")
        bounds, below = self.entered(loop, name, place)
        automaton = counter(self.names, name, start, bounds, _hard_factors(loop))
        terms = {(loop.iterator, factor): value for factor, value in automaton.multiples.items()}
        held = {(loop.iterator, factor): register for factor, register in automaton.held.items()}
        inside = replace(with_terms(loop, below, terms), held={**below.held, **held})
        body = self.part(loop.body, automaton.body_start, inside)
        self.names.module.assign(automaton.body_last, body.last)
        return Part(automaton.last, body.calls)

    def entered(self, loop: For, name: str, place: Place) -> tuple[Bounds, Place]:
        """The bounds of a loop, and the place of its body."""
        span = _range(loop, place.known)
        inside = narrowed(with_iterator(place.known, loop.iterator), lambda: visited(span, place.known))
        bounds = self._bounds(span, inside, name, place)
        return bounds, replace(place.below(0), known=inside, loop=name, depth=place.depth + 1)

    def _bounds(self, span: Range, inside: isl.Set, name: str, place: Place) -> Bounds:
        first = self._bound(span.start, f"{name}_first", place)
        end = self._bound(span.last, f"{name}_end", place)
        low, high = limits_of(inside, span.iterator) or (first.low, max(first.low, end.high))
        some, settled = never_empty(span, place.known), self._settled(span, name, place) if low < high else None
        return Bounds(span.iterator, first, end, number(span.step), low, high, some, settled)

    def _settled(self, span: Range, name: str, place: Place) -> Settled | None:
        """What follows from bounds that do not change."""
        bounds, steady = (span.start, span.last), self._steady(place)
        if not steady or not all(steady[-1].knows(bound) for bound in bounds):
            return None
        arithmetic = self._arithmetic(place, name)
        following = tidy(binary("+", span.start, integer(span.step)))
        before_last = arithmetic.value(tidy(binary("-", span.last, integer(2 * span.step))))
        some, single = (
            arithmetic.condition(binary("<=", *pair))
            for pair in (bounds, (span.last, tidy(binary("-", following, integer(1)))))
        )
        return Settled(some, single, before_last)

    def _bound(self, bound: Expression, name: str, place: Place) -> Ranged:
        found = self._arithmetic(place, name).value(bound)
        return replace(found, value=self.names.named(name, found.value))


def with_terms(loop: For, place: Place, terms: Mapping[Term, Ranged]) -> Place:
    """The place inside of a loop with its counter."""
    return replace(place, values=_narrowed(loop, {**place.values, **terms}, place.known))


def where(place: Place) -> str:
    """The loop around a place, for comments."""
    return f", in loop {place.loop}" if place.loop else ""


def _range(loop: For, known: isl.Set) -> Range:
    found = range_of(loop, known)
    if found is None:
        hint = "its counter must go up by a number, to bounds that do not depend on it"
        raise UnsupportedError(Diagnostic(f"a loop controller cannot count '{loop.iterator}'", None, hint))
    return found


def used_in(tree: Node, values: Mapping[Term, Ranged]) -> tuple[Term, ...]:
    """The values that a tree reads, but for numbers that are known."""
    parts = [part for expression in expressions(tree) for part in walk(expression)]
    terms = {(part.name, 1) for part in parts if isinstance(part, Variable)} | set(_products(parts))
    return tuple(term for term, value in values.items() if term in terms and not isinstance(value.value, Const))


def _narrowed(tree: Node, values: Mapping[Term, Ranged], known: isl.Set) -> dict[Term, Ranged]:
    """The values that a tree reads with the ranges that they have in a known set."""
    found = dict(values)
    for name, factor in used_in(tree, values):
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
