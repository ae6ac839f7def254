"""Statements that are executed one after the other, on memories with two cycles of latency [Devos, Figure 5.12].

A unit takes its arguments with `start`, and shows `last` in the last cycle of an instance. Each array has a memory of
its own, whose data come two cycles after the assignment of an address. `in_sequence` gives (b): all addresses one after
the other. `optimised` gives (c): arrays side by side, values of the instance before kept in registers, and what needs
no late data computed a cycle earlier.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import islpy as isl
from statement_cycles import handed_on, predecessor

from loadstone.errors import refused
from loadstone.model.expression import Binary, Cast, Constant, Expression, Operand, Variable, walk
from loadstone.model.kernel import Statement
from loadstone.rtl import Module, bit, signed, unsigned
from loadstone.rtl.expressions import Signal, Value, const

LATENCY = 2
_LAST = "S_last"
Issue = Mapping[int, int]
"""The cycle in which the address of each read is assigned."""


@dataclass(frozen=True, slots=True)
class Order:
    """When addresses are assigned, in the first instance of a loop and in others.

    `kept`: reads of which the instance before has the value, as another read. `early`: whether what needs no late data
    is computed while these come.
    """

    first: Issue
    others: Issue
    kept: Mapping[int, int]
    early: bool

    def computes(self, first: bool) -> int:
        """The cycle in which the value is computed; it is written in the next one, the last."""
        return max((self.first if first else self.others).values(), default=1) + LATENCY + 1

    @property
    def late(self) -> set[int]:
        """The reads whose data come in the cycle before the value is computed."""
        pairs = [(issue, self.computes(first)) for issue, first in ((self.first, True), (self.others, False))]
        return {read for issue, end in pairs for read, cycle in issue.items() if cycle + LATENCY + 1 == end}


def in_sequence(statement: Statement) -> Order:
    """All addresses one after the other [Devos, Figure 5.12(b)]."""
    issue = {read: 2 + read for read in range(len(statement.reads))}
    return Order(issue, issue, {}, early=False)


def optimised(statement: Statement) -> Order:
    """Arrays side by side, values handed on in registers [Devos, Figure 5.12(c)]."""
    kept = handed_on(statement)
    return Order(_side_by_side(statement, ()), _side_by_side(statement, kept), kept, early=True)


def _side_by_side(statement: Statement, without: Collection[int]) -> Issue:
    queues: dict[str, int] = {}
    issue: dict[int, int] = {}
    for read, access in enumerate(statement.reads):
        if read not in without:
            issue[read] = queues[access.array] = queues.get(access.array, 1) + 1
    return issue


def first_value(statement: Statement) -> int:
    """The innermost counter of the instances that have none before them, which must be a constant."""
    begins = statement.domain.subtract(predecessor(statement).domain())
    inner = begins.dim(isl.dim_type.set) - 1
    least, most = begins.dim_min_val(inner), begins.dim_max_val(inner)
    if not (least.is_int() and least.eq(most)):
        raise refused("the innermost loop begins at a value that depends on outer loops or parameters", statement.span)
    return least.to_python()


def make_unit(statement: Statement, order: Order, *, address: int, data: int) -> Module:
    """The statement as a circuit, with addresses and data of so many bits; counters are as wide as addresses."""
    if any(len(access.subscripts) != 1 for access in (*statement.reads, statement.write)):
        raise refused("only arrays of one dimension have a memory here", statement.span)
    m = Module(statement.name, "Executes an instance after `start`, and shows `last` in the last cycle of it.")
    m.input("start", bit)
    for k in range(len(statement.iterators)):
        m.input(f"arg_{k}", signed(address))
    for name in dict.fromkeys(read.array for read in statement.reads):
        m.input(f"{name}_q", signed(data))
    m.register("step", unsigned((order.computes(True) + 1).bit_length()), reset=1)
    m.register("begins", bit)
    counters = {name: m.register(f"counter_{name}", signed(address)) for name in statement.iterators}
    operands = tuple(m.register(f"a{k}", signed(data)) for k in range(len(statement.reads)))
    unit = _Unit(m, statement, order, counters, operands, {})
    unit.add_arguments()
    unit.add_reads(address)
    unit.add_result(address, data)
    return m


def with_control(controller: Module, unit: Module) -> Module:
    """A controller and the one statement that it starts."""
    m = Module(f"{controller.name}_and_{unit.name}")
    last = m.wire("last_of_instance", bit)
    mine = {port.name: m.input(port.name, port.bits) for port in controller.of_kind("input") if port.name != _LAST}
    control = m.instance("control", controller, {**mine, _LAST: last})
    arguments = {port.name: port.bits for port in unit.of_kind("input") if port.name.startswith("arg_")}
    given = {name: control[f"S_{name}"].resized(bits.width).as_signed() for name, bits in arguments.items()}
    words = {port.name: m.input(port.name, port.bits) for port in unit.of_kind("input") if port.name.endswith("_q")}
    found = m.instance("unit", unit, {"start": control["S_start"], **given, **words})
    m.assign(last, found["last"])
    m.output("last", control["last"])
    m.output("ready", control["ready"])
    m.output("started", control["S_start"])
    for port in unit.of_kind("output"):
        if port.name != "last":
            m.output(port.name, found[port.name])
    return m


@dataclass(frozen=True, slots=True)
class _Unit:
    module: Module
    statement: Statement
    order: Order
    counters: Mapping[str, Signal]
    operands: tuple[Signal, ...]
    parts: dict[Expression, Signal]

    def at(self, first: int | None, other: int | None) -> Value:
        """Whether it is some cycle of the first instance, or of another one; None: never."""
        step, begins = self.module["step"], self.module["begins"]
        if first == other:
            return const(0) if first is None else step == first
        sides = [side & (step == cycle) for side, cycle in ((begins, first), (~begins, other)) if cycle is not None]
        return sides[0] if len(sides) == 1 else sides[0] | sides[1]

    def after_compute(self, cycles: int) -> Value:
        """Whether it is so many cycles after the one that computes the value."""
        return self.at(self.order.computes(True) + cycles, self.order.computes(False) + cycles)

    def add_arguments(self) -> None:
        """Cycle 1: the arguments, and what the instance before has read; the other cycles are counted."""
        m, step = self.module, self.module["step"]
        with m.clocked("Cycle 1: the arguments."), m.when(m["start"] & (step == 1)):
            for k, counter in enumerate(self.counters.values()):
                m.assign(counter, m[f"arg_{k}"])
            inner = m[f"arg_{len(self.counters) - 1}"]
            m.assign(m["begins"], inner == first_value(self.statement) if self.order.kept else 1)
        ends = m.wire("ends", self.after_compute(1))
        with m.clocked("Cycles are counted; the last one ends the instance."):
            with m.when(ends):
                m.assign(step, 1)
            with m.elsewhen((step != 1) | m["start"]):
                m.assign(step, (step + 1).resized(step.width))
        m.output("last", ends)

    def add_reads(self, width: int) -> None:
        """Addresses to the memories, and data from them."""
        m, order = self.module, self.order
        for name in dict.fromkeys(read.array for read in self.statement.reads):
            address = m.register(f"{name}_address", signed(width))
            with m.clocked(f"Addresses of {name}."):
                for read, access in enumerate(self.statement.reads):
                    if access.array == name:
                        with m.when(self.at(order.first.get(read), order.others.get(read))):
                            m.assign(address, self.value(access.subscripts[0], width))
            m.output(f"{name}_ad", address)
        for read, access in enumerate(self.statement.reads):
            cycles = [None if cycle is None else cycle + LATENCY for cycle in self._issues(read)]
            with m.clocked(f"Read {read}: {access.array}."):
                if read in order.kept:
                    with m.when(m["start"] & (m["step"] == 1)):
                        m.assign(self.operands[read], self.operands[order.kept[read]])
                with m.when(self.at(*cycles)):
                    m.assign(self.operands[read], m[f"{access.array}_q"])

    def _issues(self, read: int) -> tuple[int | None, int | None]:
        return self.order.first.get(read), self.order.others.get(read)

    def add_result(self, address: int, data: int) -> None:
        """The value, and the write of it."""
        m, write = self.module, self.statement.write
        for part in self._early_parts(self.statement.value) if self.order.early else ():
            value = self.value(part, data)
            kept = m.register(f"part_{len(self.parts)}", value.type)
            with m.clocked("What needs no late data."), m.when(self.after_compute(-1)):
                m.assign(kept, value)
            self.parts[part] = kept
        result = m.register("result", signed(data))
        with m.clocked("The value."), m.when(self.after_compute(0)):
            m.assign(result, self.value(self.statement.value, data))
        m.output(f"{write.array}_ad", self.value(write.subscripts[0], address))
        m.output(f"{write.array}_we", m["ends"])
        m.output(f"{write.array}_d", result)

    def _early_parts(self, expression: Expression) -> list[Expression]:
        """The largest operations on operands that are there before the late ones."""
        operands = {node.position for node in walk(expression) if isinstance(node, Operand)}
        match expression:
            case Binary(left=left, right=right) if operands & self.order.late:
                return self._early_parts(left) + self._early_parts(right)
            case Binary():
                return [expression] if operands else []
            case Cast(operand=operand):
                return self._early_parts(operand)
            case _:
                return []

    def value(self, expression: Expression, width: int) -> Value:
        """An expression modulo 2^width."""
        if expression in self.parts:
            return self.parts[expression]
        match expression:
            case Operand(position=position):
                return self.operands[position]
            case Variable(name=name) if name in self.counters:
                return self.counters[name].resized(width)
            case Constant(value=int(number)):
                return const(number).as_signed() if number < 0 else const(number)
            case Cast(operand=operand):
                return self.value(operand, width)
            case Binary(op=op, left=left, right=right) if op in "+-*":
                one, two = self.value(left, width), self.value(right, width)
                found = one + two if op == "+" else one - two if op == "-" else one * two
                return found.resized(width)
            case _:
                raise refused("only sums and products of integers are executed here", self.statement.span)
