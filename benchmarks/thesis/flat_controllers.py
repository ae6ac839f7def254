"""Flat controllers: one automaton that goes from each instance to the next in one step.

The times of all instances are walked in their order, with the functions First and Next of `loadstone.loops.scan`. The
statement and its arguments are functions of the time. Empty loops take no cycles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.hardware.control.controller import make_controller
from loadstone.hardware.control.expressions import Arithmetic, Term
from loadstone.hardware.control.interface import (
    OWN,
    Call,
    Controller,
    Statements,
    parameter_inputs,
    port_names,
    run_state,
    statement_inputs,
    statement_outputs,
    statement_ports,
)
from loadstone.hardware.control.ranged import Ranged, chosen, type_between
from loadstone.hardware.names import Names
from loadstone.loops.model import Block
from loadstone.loops.ranges import Limits, limits_of, within
from loadstone.loops.scan import Scan, Step, scan
from loadstone.model.expression import Binary, Expression, integer
from loadstone.model.from_isl import from_ast
from loadstone.model.tidy import tidy
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import Dim, inputs_to_parameters, values_of
from loadstone.rtl.conditions import any_of, mux
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.module import Module
from loadstone.rtl.names import fresh
from loadstone.rtl.types import bit

Values = Mapping[Term, Ranged]


@dataclass(frozen=True, slots=True)
class _Use:
    """When a statement is at work, and its arguments, as functions of parameters and time."""

    statement: str
    condition: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Coordinate:
    """A coordinate of time: its value now, the register for it, and whether it can grow while those before it stay."""

    step: Step
    now: Ranged
    register: Signal | None
    more: Value


def make_flat_controller(
    name: str,
    schedule: isl.UnionMap,
    parameters: Mapping[str, Limits],
    arguments: Mapping[str, Sequence[str]] | None = None,
    context: isl.Set | None = None,
) -> Controller:
    """A controller with the ports of `make_controller` that runs the instances of a schedule in its order.

    An instance takes as long as its statement. If there is none, the controller takes one cycle. Where the walk is
    through a larger set, because an exact one would need too many decisions, each point in between takes one cycle.
    """
    if schedule.is_empty():
        return make_controller(name, Block(()), parameters)
    known = within(parameters, context)
    variables = _variables(schedule, parameters)
    walk = scan(isl.Map.from_range(_times(schedule)), isl.Set.from_params(known), variables)
    uses = _uses(schedule, known, variables)
    m = Module(fresh(name, ()), f"Runs the instances of {name}, from each to the next.")
    values = parameter_inputs(m, parameters)
    start = m.input("start", bit, "starts it, when it is ready")
    ports = statement_ports(
        arguments or {}, {use.statement: len(use.arguments) for use in uses}, (port.name for port in m.signals)
    )
    lasts = statement_inputs(m, ports)
    builder = _Builder(Names(m, (*ports.outputs(), *OWN)), walk, _reach(schedule, known, variables, walk))
    builder.fill(start, values, uses, ports, lasts)
    return Controller(m, port_names(m, parameters), ports)


def _variables(schedule: isl.UnionMap, parameters: Mapping[str, Limits]) -> tuple[str, ...]:
    taken = {name.lower() for name in parameters}
    return tuple(fresh(f"t{position}", taken) for position in range(_times(schedule).dim(Dim.set)))


def _times(schedule: isl.UnionMap) -> isl.Set:
    """The times at which there is an instance."""
    return isl.Set.from_union_set(schedule.range())


def _reach(schedule: isl.UnionMap, known: isl.Set, variables: Sequence[str], walk: Scan) -> dict[str, Limits]:
    """The ranges of coordinates that the walk stays in, where they are known."""
    if walk.member is not None:
        return {}
    times = inputs_to_parameters(isl.Map.from_domain(_times(schedule)), variables).params().intersect(known)
    found = {name: limits_of(times, name) for name in variables}
    return {name: limits for name, limits in found.items() if limits is not None}


def _uses(schedule: isl.UnionMap, known: isl.Set, variables: Sequence[str]) -> tuple[_Use, ...]:
    """The statements, in the order of their names."""
    maps: list[isl.Map] = []
    schedule.foreach_map(maps.append)
    maps.sort(key=lambda part: part.get_tuple_name(Dim.in_) or "")
    times = inputs_to_parameters(isl.Map.from_domain(_times(schedule)), variables).params().intersect(known)
    try:
        with operation_limit():
            return tuple(_use(part.intersect_params(known), times, variables) for part in maps)
    except LimitReached:
        raise UnsupportedError(Diagnostic("the schedule is too complicated for a flat controller")) from None


def _use(schedule: isl.Map, times: isl.Set, variables: Sequence[str]) -> _Use:
    name, count = schedule.get_tuple_name(Dim.in_) or "", schedule.dim(Dim.in_)
    if schedule.is_empty():
        return _Use(name, integer(0), (integer(0),) * count)
    instances = inputs_to_parameters(schedule.reverse(), variables)
    here = instances.params()
    condition = from_ast(isl.AstBuild.from_context(times).expr_from_set(here))
    build = isl.AstBuild.from_context(here)
    values = (value.project_domain_on_params() for value in values_of(isl.Map.from_range(instances)))
    arguments = (from_ast(build.expr_from_pw_aff(value)) for value in values)
    return _Use(name, tidy(condition), tuple(map(tidy, arguments)))


@dataclass(frozen=True, slots=True, eq=False)
class _Builder:
    """Fills the module of a flat controller."""

    names: Names
    walk: Scan
    reach: Mapping[str, Limits]

    def fill(
        self, start: Signal, values: Values, uses: Sequence[_Use], ports: Statements, lasts: Mapping[str, Signal]
    ) -> None:
        """Adds all that is behind the inputs."""
        m = self.names.module
        some = self._condition("some", self.walk.some, values)
        started = self.names.wire("started", start & some)
        m.section("The time now")
        coordinates, now = self._now(started, values)
        m.section("The statement at work")
        active = {use.statement: self._condition(f"at_{use.statement}", use.condition, now) for use in uses}
        member = const(1) if self.walk.member is None else self._condition("member", self.walk.member, now)
        ended = any_of(~member, *(active[name] & lasts[name] for name in active))
        again, done = self._advance(started, coordinates, values, ended)
        begins = self.names.wire("begins", (started | again) & member)
        run_state(self.names, start, done | (start & ~some))
        calls = {use.statement: Call(begins & active[use.statement], self._arguments(use, now)) for use in uses}
        statement_outputs(m, ports, calls)

    def _arguments(self, use: _Use, now: Values) -> tuple[Ranged, ...]:
        return tuple(map(Arithmetic(self.names, now, f"{use.statement}_part").value, use.arguments))

    def _condition(self, wish: str, expression: Expression, values: Values) -> Value:
        found = Arithmetic(self.names, values, f"{wish}_part").condition(expression)
        return self.names.named(wish, found)

    def _now(self, started: Value, values: Values) -> tuple[list[_Coordinate], Values]:
        """The coordinates of the current time: the first one in the cycle of the start, then that of the registers."""
        coordinates: list[_Coordinate] = []
        for step in self.walk.steps:
            coordinate = self._coordinate(step, started, values)
            values = {**values, (step.variable, 1): coordinate.now}
            more = self._condition(f"{step.variable}_more", step.more, values)
            coordinates.append(_Coordinate(step, coordinate.now, coordinate.register, more))
        return coordinates, values

    def _coordinate(self, step: Step, started: Value, values: Values) -> _Coordinate:
        arithmetic = Arithmetic(self.names, values, f"{step.variable}_part")
        first = arithmetic.value(step.first)
        if step.more == integer(0):
            name = self.names.named(step.variable, first.value)
            return _Coordinate(step, Ranged(name, first.low, first.high), None, const(0))
        low, high = self.reach.get(step.variable) or (first.low, max(first.low, arithmetic.value(_end(step)).high))
        register = self.names.register(f"{step.variable}_count", type_between(low, high))
        value = mux(started, first.value.wrapped(register.bits), register)
        return _Coordinate(step, Ranged(self.names.wire(step.variable, value), low, high), register, const(0))

    def _advance(
        self, started: Value, coordinates: Sequence[_Coordinate], values: Values, ended: Value
    ) -> tuple[Signal, Signal]:
        """The automaton: what starts instances after the first, and the end of all."""
        m, names = self.names.module, self.names
        m.section("The next time: the innermost coordinate that has more moves, those behind it are set to their first")
        following = self._following(coordinates, values)
        going = names.state("going", comment="since the cycle after the start")
        working = names.wire("working", started | going)
        more = any_of(*(coordinate.more for coordinate in coordinates))
        moves = names.wire("moves", working & ended & more)
        done = names.wire("done", working & ended & ~more)
        again = names.state("again", comment="starts an instance after the first")
        with m.clocked("Goes to the next time after the last cycle of a statement."):
            m.assign(going, working & ~done)
            m.assign(again, moves)
            for coordinate, value in zip(coordinates, following, strict=True):
                if coordinate.register is not None:
                    kept = coordinate.now.value.wrapped(coordinate.register.bits)
                    m.assign(coordinate.register, mux(moves, value.value.wrapped(coordinate.register.bits), kept))
        return again, done

    def _following(self, coordinates: Sequence[_Coordinate], values: Values) -> list[Ranged]:
        """The coordinates of the next time."""
        now = {**values, **{(c.step.variable, 1): c.now for c in coordinates}}
        found: list[Ranged] = []
        for position, coordinate in enumerate(coordinates):
            name = coordinate.step.variable
            arithmetic = Arithmetic(self.names, values, f"{name}_next_part")
            value = arithmetic.value(coordinate.step.first)
            if coordinate.register is not None:
                inner = any_of(*(behind.more for behind in coordinates[position + 1 :]))
                moved = Arithmetic(self.names, now, f"{name}_next_part").value(coordinate.step.next)
                value = chosen(inner, coordinate.now, chosen(coordinate.more, moved, value))
            value = Ranged(self.names.named(f"{name}_next", value.value), value.low, value.high)
            values = {**values, (name, 1): value}
            found.append(value)
        return found


def _end(step: Step) -> Expression:
    """The last value of a coordinate, which the test for more compares with."""
    match step.more:
        case Binary(op="<", right=last):
            return last
        case _:
            raise AssertionError("a test for more compares with the last value")
