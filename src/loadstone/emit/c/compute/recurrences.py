"""What iterations of a pipelined loop wait for: values that earlier ones write, and the interval that follows.

A loop cannot start an iteration before the values are computed that it reads from those before it. If a circle of such
reads takes L cycles and goes over D iterations, the interval is at least L / D. Latencies are those of floating-point
operations as HLS compilers pipeline them at about 200 MHz; accesses to local memory and integer operations count
nothing, so that the interval never is one that a compiler would do better than.

Where no iteration reads what an earlier one wrote into an array, for any parameters, a pragma says so: compilers see
remainders in addresses, and would have to wait.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import islpy as isl

from loadstone.loops.facts import Range, attempted, condition_on, narrowed, range_of, visited, with_iterator
from loadstone.loops.model import Block, For, If, Instance, Node, walk
from loadstone.loops.ranges import limits_of
from loadstone.model.expression import (
    Binary,
    Call,
    Expression,
    Operand,
    Unary,
    Variable,
    binary,
    children,
    integer,
    substituted,
)
from loadstone.model.kernel import Access, Statement
from loadstone.model.types import INT
from loadstone.parallel.group_loops import LaneLoops

_LATENCIES = {"+": (4, 5), "-": (4, 5), "*": (3, 5), "/": (10, 18)}
"""Cycles of operations on float and on double."""
_OTHER = (10, 18)
"""Cycles of functions."""
_DISTANCE = "distance between iterations"


@dataclass(frozen=True, slots=True)
class Pipelining:
    """How the iterations of a loop follow each other: the interval, and arrays of which none reads earlier results."""

    interval: int
    independent: tuple[str, ...]


def innermost_loops(tree: Node) -> Iterator[For]:
    """The loops without loops in them, in textual order."""
    return (loop for loop in walk(tree) if isinstance(loop, For) and not has_loops(loop))


def has_loops(loop: For) -> bool:
    """Whether there are loops in a loop."""
    return any(isinstance(part, For) for part in walk(loop.body))


@dataclass(frozen=True, slots=True)
class _Edge:
    """A read of what a statement wrote: cycles from one result to the other, after so many iterations at least."""

    writer: int
    reader: int
    latency: int
    distance: int


@dataclass(frozen=True, slots=True, eq=False)
class Recurrences:
    """Recurrences of the innermost loops of a tree; statements with `lanes` have the iterators of lane 0 there."""

    statements: Mapping[str, Statement]
    lanes: Mapping[str, LaneLoops]

    def of(self, node: Node, facts: isl.Set) -> Iterator[Pipelining]:
        """How each innermost loop is pipelined, in textual order, where facts are known of the variables around it."""
        match node:
            case For():
                span = range_of(node, facts)
                inside = with_iterator(facts, node.iterator)
                if has_loops(node):
                    known = inside if span is None else narrowed(inside, lambda: visited(span, facts))
                    yield from self.of(node.body, known)
                else:
                    yield Pipelining(1, ()) if span is None else self._pipelining(node, span, facts)
            case If(condition=condition, then=then, otherwise=otherwise):
                yield from self.of(then, narrowed(facts, lambda: condition_on(condition, facts)))
                rest = narrowed(facts, lambda: facts.subtract(condition_on(condition, facts)))
                yield from () if otherwise is None else self.of(otherwise, rest)
            case Block(items=items):
                for item in items:
                    yield from self.of(item, facts)
            case Instance():
                pass

    def _pipelining(self, loop: For, span: Range, facts: isl.Set) -> Pipelining:
        leaves = [part for part in walk(loop.body) if isinstance(part, Instance)]
        written = {self.statements[leaf.statement].write.array for leaf in leaves}
        carried, edges = set[str](), list[_Edge]()
        for (one, writer), (other, reader) in product(enumerate(leaves), repeat=2):
            for position, access in enumerate(self.statements[reader.statement].reads):
                if access.array != self.statements[writer.statement].write.array:
                    continue
                latency = path_latency(self.statements[reader.statement].value, position)
                distance = self._distance(writer, (reader, access), span, facts)
                if distance is not None:
                    carried.add(access.array)
                    edges.append(_Edge(one, other, latency, distance))
                if one < other:
                    edges.append(_Edge(one, other, latency, 0))
        read = {access.array for leaf in leaves for access in self.statements[leaf.statement].reads}
        return Pipelining(_interval(edges, len(leaves)), tuple(sorted(written & read - carried)))

    def _distance(self, writer: Instance, reader: tuple[Instance, Access], span: Range, facts: isl.Set) -> int | None:
        """After how many iterations an access may read what was written, at least; None if that never happens.

        One, where it is not known.
        """
        (leaf, access), following = reader, f"following {span.iterator}"
        theirs = self._subscripts(writer, self.statements[writer.statement].write, "writing", {})
        mine = self._subscripts(leaf, access, "reading", {span.iterator: Variable(following, INT)})

        def pairs() -> isl.Set:
            found = visited(replace(span, iterator=following), visited(span, facts))
            for name, count in (*self._counters(writer, "writing"), *self._counters(leaf, "reading")):
                counted = Range(name, integer(0), integer(count - 1), 1)
                found = visited(counted, found)
            steps = binary("*", integer(span.step), Variable(_DISTANCE, INT))
            later = binary("+", Variable(span.iterator, INT), steps)
            found = condition_on(_equal(Variable(following, INT), later), with_iterator(found, _DISTANCE))
            found = condition_on(Binary(">=", Variable(_DISTANCE, INT), integer(1), INT), found)
            for one, other in zip(theirs, mine, strict=True):
                found = condition_on(_equal(one, other), found)
            return found

        meeting = attempted(pairs)
        if meeting is None:
            return 1
        if meeting.is_empty():
            return None
        limits = limits_of(meeting, _DISTANCE)
        return 1 if limits is None else limits[0]

    def _subscripts(
        self, leaf: Instance, access: Access, side: str, later: Mapping[str, Expression]
    ) -> Sequence[Expression]:
        """The subscripts of an access in an iteration, and of a lane on one side of the comparison."""
        statement, lanes = self.statements[leaf.statement], self.lanes.get(leaf.statement)
        found = leaf.arguments if lanes is None else lanes.iterators(leaf.arguments)
        counters = () if lanes is None else lanes.counters
        renamed: dict[str, Expression] = {name: Variable(f"{side} {name}", INT) for name, _ in counters}
        values = [substituted(substituted(each, renamed), dict(later)) for each in found]
        iterators = dict(zip(statement.iterators, values, strict=True))
        return [substituted(each, iterators) for each in access.subscripts]

    def _counters(self, leaf: Instance, side: str) -> Iterator[tuple[str, int]]:
        lanes = self.lanes.get(leaf.statement)
        return ((f"{side} {name}", count) for name, count in (() if lanes is None else lanes.counters))


def _equal(one: Expression, other: Expression) -> Expression:
    return Binary("==", one, other, INT)


def path_latency(value: Expression, position: int) -> int:
    """The cycles from an operand of an expression to its value, on the longest way."""
    found = _latency_from(value, position)
    return 0 if found is None else found


def _latency_from(value: Expression, position: int) -> int | None:
    """The cycles from an operand to a value; None if the value does not depend on it."""
    if isinstance(value, Operand):
        return 0 if value.position == position else None
    found = [each for part in children(value) if (each := _latency_from(part, position)) is not None]
    return max(found) + _own_latency(value) if found else None


def _own_latency(value: Expression) -> int:
    if value.type.kind != "float":
        return 0
    is_double = value.type.bits == 64
    match value:
        case Binary(op=op):
            return _LATENCIES.get(op, (0, 0))[is_double]
        case Call():
            return _OTHER[is_double]
        case Unary() | _:
            return 0


def _interval(edges: Sequence[_Edge], count: int) -> int:
    """The least interval for which no cycle of reads takes longer than the iterations that it goes over."""
    interval = 1
    while _takes_longer(edges, count, interval):
        interval += 1
    return interval


def _takes_longer(edges: Sequence[_Edge], count: int, interval: int) -> bool:
    """Whether the longest way over some cycle of statements is positive."""
    starts = [0] * count
    for _ in range(count + 1):
        before = list(starts)
        for edge in edges:
            starts[edge.reader] = max(
                starts[edge.reader], starts[edge.writer] + edge.latency - interval * edge.distance
            )
        if starts == before:
            return False
    return True
