"""Loops over slices: the elements of a row whose last subscripts have the same quotient by a size, moved at once.

    for (x = start; x <= last; x++) A(i, x)
 -> for (x = start div size; x <= last div size; x++) A(i, first, size * x, count)

where `first` is the first element of the slice that is in the row, and `count` the number of those that are. Elements
that are in no such loop are slices of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import islpy as isl

from loadstone.loops.compiled_walk import growths
from loadstone.loops.facts import (
    Range,
    condition_on,
    folded,
    narrowed,
    never_empty,
    range_of,
    surely,
    terms,
    visited,
    with_iterator,
)
from loadstone.loops.model import Block, For, If, Instance, Node, walk
from loadstone.model.expression import Expression, Variable, binary, integer, substituted
from loadstone.model.tidy import tidy
from loadstone.model.types import INT


def sliced(node: Node, sizes: Mapping[str, int], facts: isl.Set) -> Node:
    """The loops with slices of arrays that have a size, where facts are known of the variables around them.

    The subscripts of such an array are those of the first element; the last subscript at which the slice could begin,
    and the number of its elements follow.
    """
    match node:
        case For():
            return _loop(node, sizes, facts)
        case If(condition=condition, then=then, otherwise=otherwise):
            chosen = narrowed(facts, lambda: condition_on(condition, facts))
            rest = narrowed(facts, lambda: facts.subtract(condition_on(condition, facts)))
            other = None if otherwise is None else sliced(otherwise, sizes, rest)
            return If(condition, sliced(then, sizes, chosen), other)
        case Block(items=items):
            return Block(tuple(sliced(item, sizes, facts) for item in items))
        case Instance(statement=name, arguments=arguments) if name in sizes:
            return Instance(name, (*arguments, arguments[-1], integer(1)))
        case Instance():
            return node


def has_rows(node: Node, array: str) -> bool:
    """Whether some loop goes along a row of an array."""
    return any(isinstance(part, For) and _is_row(part) and _array(part) == array for part in walk(node))


def is_row(steps: tuple[int, ...]) -> bool:
    """Whether subscripts that grow by these steps go along a row."""
    return steps[-1:] == (1,) and not any(steps[:-1])


def _is_row(loop: For) -> bool:
    return is_row(growths(loop) or ())


def _array(loop: For) -> str:
    return loop.body.statement if isinstance(loop.body, Instance) else ""


def _loop(loop: For, sizes: Mapping[str, int], facts: isl.Set) -> Node:
    span, size = range_of(loop, facts), sizes.get(_array(loop), 1)
    if span is None:
        return replace(loop, body=sliced(loop.body, sizes, with_iterator(facts, loop.iterator)))
    if size > 1 and _is_row(loop):
        assert isinstance(loop.body, Instance)
        return _row(span, loop.body, size, facts)
    inside = narrowed(with_iterator(facts, loop.iterator), lambda: visited(span, facts))
    return replace(loop, body=sliced(loop.body, sizes, inside))


def _row(span: Range, instance: Instance, size: int, facts: isl.Set) -> Node:
    """The slices of a row; where it may be empty, under a condition."""
    start, last = (tidy(substituted(instance.arguments[-1], {span.iterator: end})) for end in (span.start, span.last))
    number = Variable(span.iterator, INT)
    begin = binary("*", integer(size), number)
    within = [term for term in terms(start, "max") if not _is_multiple(term, size, facts)]
    first = folded("max", (*within, begin)) or begin
    end = binary("+", begin, integer(size - 1))
    short = [term for term in terms(last, "min") if not _is_multiple(binary("+", term, integer(1)), size, facts)]
    final = folded("min", (*short, end)) or end
    count = tidy(binary("+", binary("-", final, first), integer(1)))
    slices = Instance(instance.statement, (*instance.arguments[:-1], first, begin, count))
    condition = binary("<=", number, _quotient(last, size, "min"))
    loop = For(span.iterator, _quotient(start, size, "max"), condition, integer(1), slices)
    return loop if never_empty(span, facts) else If(binary("<=", span.start, span.last), loop, None)


def _quotient(bound: Expression, size: int, op: str) -> Expression:
    """The quotient of a bound by a size, that of each operand of an extremum."""
    parts = (tidy(binary("floordiv", term, integer(size))) for term in terms(bound, op))
    found = folded(op, tuple(parts))
    assert found is not None
    return found


def _is_multiple(value: Expression, size: int, facts: isl.Set) -> bool:
    rest = binary("==", binary("mod", value, integer(size)), integer(0))
    return surely(lambda: facts.is_subset(condition_on(rest, facts)))
