"""The controllers of the thesis: shared counters, modules for loops, parts at the same time [Devos, chapter 5]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self

import islpy as isl
from shared_counters import Level

from loadstone.errors import Diagnostic, InputError, UnsupportedError
from loadstone.hardware.control import controller
from loadstone.hardware.control.automata import Bounds, product_name
from loadstone.hardware.control.controller import (
    Builder,
    Part,
    Place,
    Registers,
    built_by,
    names_beside,
    used_in,
    where,
    with_terms,
)
from loadstone.hardware.control.expressions import Term
from loadstone.hardware.control.interface import (
    Call,
    Calls,
    Controller,
    Statements,
    statement_inputs,
    statement_outputs,
)
from loadstone.hardware.control.ranged import Ranged
from loadstone.hardware.names import Names
from loadstone.loops.model import Block, For, Node
from loadstone.loops.paths import Path, places, statements
from loadstone.loops.ranges import Limits
from loadstone.rtl.conditions import any_of
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.module import Module
from loadstone.rtl.names import fresh
from loadstone.rtl.types import bit

Key = tuple[Path, int]
"""A part of the tree with counters of its own, and a depth in it."""


@dataclass(frozen=True, slots=True)
class Options(controller.Options):
    """How a controller is built.

    `registers` are those above the loops of a depth; depths 0, 1 and 2 are taken to be the places alpha, beta and gamma
    of [Devos, Figure 5.17], which is lost. The loops at `parts` become modules of their own. The items of the blocks at
    `parallel` are started together, which `independent` may allow. With `shared`, the loops of a depth in a module have
    one counter, as Devos has it, unless they run at the same time.
    """

    registers: Mapping[int, Registers] = field(default_factory=dict[int, Registers])
    parts: frozenset[Path] = frozenset()
    parallel: frozenset[Path] = frozenset()
    shared: bool = False


PLAIN = Options()
"""Counters for every loop, no registers, one module."""


@dataclass(frozen=True, slots=True, eq=False)
class _SharedPlace(Place):
    """`owner` is the path of the part whose loops share counters, and `here` whether that part is at work."""

    owner: Path = ()
    here: Value = field(default_factory=lambda: const(1))

    def below(self, position: int, where: Value | None = None) -> Self:
        """The place of a child; `where` says when it is the one at work."""
        here = self.here if where is None else self.here & where
        return replace(self, path=(*self.path, position), here=here)

    def alone(self) -> Self:
        """The place with counters of its own."""
        return replace(self, owner=self.path, here=const(1))


def make_controller(
    name: str,
    tree: Node,
    parameters: Mapping[str, Limits],
    options: controller.Options = PLAIN,
    context: isl.Set | None = None,
) -> Controller:
    """The controller of `loadstone.hardware.control.controller`, built in one of the ways of the thesis."""
    ways = options if isinstance(options, Options) else PLAIN
    _check_paths(tree, ways)
    bounds: dict[Key, list[Bounds]] = {}
    if ways.shared:
        apart = partial(_Builder, ways=replace(ways, shared=False), bounds=bounds)
        built_by(apart, name, tree, parameters, options, context)
    return built_by(partial(_Builder, ways=ways, bounds=bounds), name, tree, parameters, options, context)


def _check_paths(tree: Node, options: Options) -> None:
    """Refuses options for places that are not there."""
    found = dict(places(tree))
    wrong = [f"no loop is at path {path}" for path in sorted(options.parts) if not isinstance(found.get(path), For)]
    wrong += [
        f"no block is at path {path}" for path in sorted(options.parallel) if not isinstance(found.get(path), Block)
    ]
    if wrong:
        raise InputError(*map(Diagnostic, wrong))


@dataclass(frozen=True, slots=True, eq=False)
class _Builder(Builder):
    """Fills one module; `bounds` are those of loops that can share a counter, `levels` the counters that are shared."""

    ways: Options = PLAIN
    bounds: dict[Key, list[Bounds]] = field(default_factory=dict[Key, list[Bounds]])
    levels: dict[Key, Level] = field(default_factory=dict[Key, Level])
    modules: set[str] = field(default_factory=set[str])

    def root(self, values: Mapping[Term, Ranged], known: isl.Set) -> Place:
        """The place of the whole tree."""
        return _SharedPlace((), values, known)

    def part(self, node: Node, start: Value, place: Place) -> Part:
        """The hardware of a node that is started by a pulse; that of the whole tree drives the counters."""
        match node:
            case Block(items=(_, _, *_) as items) if place.path in self.ways.parallel:
                part = self._parallel(items, start, place)
            case _:
                part = Builder.part(self, node, start, place)
        if not place.path:
            for level in self.levels.values():
                level.finish()
        return part

    def _parallel(self, items: Sequence[Node], start: Value, place: Place) -> Part:
        name = self.names.fresh(f"all_of_{place.loop}" if place.loop else "all_parts")
        self.names.module.section(f"{len(items)} parts at the same time{where(place)}")
        lasts, end = at_the_same_time(self.names, name, start, len(items))
        calls: list[Calls] = []
        for k, (item, last) in enumerate(zip(items, lasts, strict=True)):
            part = self.part(item, start, _shared(place.below(k)).alone())
            self.names.module.assign(last, part.last)
            calls.append(part.calls)
        _refuse_shared(calls)
        return Part(end, {name: call for part in calls for name, call in part.items()})

    def above(self, place: Place) -> Registers:
        """The registers above the loop at a place."""
        return self.ways.registers.get(place.depth, Builder.above(self, place))

    def loop(self, loop: For, start: Value, place: Place) -> Part:
        """The hardware of a loop."""
        return (self._own_module if place.path in self.ways.parts else self._inside)(loop, start, place)

    def _inside(self, loop: For, start: Value, place: Place) -> Part:
        """The loop in this module, with the counter of its depth if that is shared."""
        if not self.ways.shared:
            return Builder.loop(self, loop, start, place)
        key, here = (_shared(place).owner, place.depth), _shared(place).here
        if key not in self.levels:
            self.levels[key] = Level(self.names, place.depth, self.bounds[key])
        level = self.levels[key]
        self.names.module.section(f"Loop {loop.iterator}{where(place)}")
        bounds, below = self.entered(loop, level.name, place)
        value, body_start = level.loop(here, start, bounds)
        body = self.part(loop.body, body_start, with_terms(loop, below, {(loop.iterator, 1): value}))
        level.body(here, body.last)
        return Part(level.automaton.last, body.calls)

    def entered(self, loop: For, name: str, place: Place) -> tuple[Bounds, Place]:
        """The bounds of a loop, which are noted, and the place of its body."""
        bounds, below = Builder.entered(self, loop, name, place)
        if not self.ways.shared:
            self.bounds.setdefault((_shared(place).owner, place.depth), []).append(bounds)
        return bounds, below

    def _own_module(self, loop: For, start: Value, place: Place) -> Part:
        """The loop in a module of its own, with the values that it needs as inputs."""
        name = fresh(f"{self.names.module.name}_{loop.iterator}", self.modules)
        self.modules.add(name.lower())
        m = Module(name, f"Runs loop {loop.iterator}.")
        used = {term: place.values[term] for term in used_in(loop, place.values)}
        ports = {term: m.input(m.fresh(_term_name(term)), value.value.bits) for term, value in used.items()}
        begin = m.input("start", bit, "starts it, after its last cycle")
        own = Statements({each: self.statements.arguments[each] for each in statements(loop)}, self.statements.ports)
        lasts = statement_inputs(m, own)
        builder = replace(self, steady=None, names=names_beside(m, own), statements=own, lasts=lasts)
        values = {**place.values, **{term: replace(used[term], value=port) for term, port in ports.items()}}
        part = builder._inside(loop, begin, replace(_shared(place).alone(), values=values, held={}, steady=()))
        m.output("last", part.last, "its last cycle")
        statement_outputs(m, own, part.calls)
        inputs = {port.name: used[term].value for term, port in ports.items()} | {"start": start}
        return self._connected(loop, m, inputs, part.calls)

    def _connected(self, loop: For, m: Module, inputs: Mapping[str, Value], calls: Calls) -> Part:
        """An instance of the module of a loop as a part."""
        lasts = {self.statements.port(name, "last"): self.lasts[name] for name in calls}
        instance = self.names.module.instance(self.names.fresh(f"run_{loop.iterator}"), m, {**inputs, **lasts})

        def call(name: str, inner: Call) -> Call:
            ports = (self.statements.port(name, what) for what in self.statements.arguments[name])
            arguments = (replace(a, value=instance[port]) for a, port in zip(inner.arguments, ports, strict=True))
            return Call(instance[self.statements.port(name, "start")], tuple(arguments))

        return Part(instance["last"], {name: call(name, inner) for name, inner in calls.items()})


def at_the_same_time(names: Names, name: str, start: Value, count: int) -> tuple[tuple[Signal, ...], Value]:
    """The last cycles of parts that are started together, and of the last of them [Devos, Figure 5.11, par_sync].

    Devos' registers say which parts are ready; these say which are not.
    """
    m = names.module
    lasts = tuple(m.wire(names.fresh(f"{name}_{k}_last"), bit) for k in range(count))
    busy = tuple(names.state(f"{name}_{k}_busy", comment="still at work") for k in range(count))
    stays = [
        names.wire(f"{name}_{k}_stays", (start | works) & ~last)
        for k, (works, last) in enumerate(zip(busy, lasts, strict=True))
    ]
    with m.clocked(f"Waits for all of {name}."):
        for works, goes_on in zip(busy, stays, strict=True):
            m.assign(works, goes_on)
    last = names.wire(f"{name}_done", (start | any_of(*busy)) & ~any_of(*stays))
    return lasts, last


def _shared(place: Place) -> _SharedPlace:
    assert isinstance(place, _SharedPlace)
    return place


def _term_name(term: Term) -> str:
    return term[0] if term[1] == 1 else product_name(*term)


def _refuse_shared(parts: Sequence[Calls]) -> None:
    """Refuses parts that would use one statement at the same time."""
    names = [name for part in parts for name in part]
    for name in names:
        if names.count(name) > 1:
            hint = "give its instances in each part a statement of their own"
            raise UnsupportedError(Diagnostic(f"parts that run at the same time share statement '{name}'", None, hint))
