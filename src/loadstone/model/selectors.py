"""Arrays whose values select elements of others: which values keep the subscripts inside of their arrays.

`a[b[i]]`, `a[2 * b[i] + 1]`, and `t = b[i] - 1; a[t]` all bound the values of `b`. Where a subscript is no linear
function of one value, the range is zero alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Binary, Cast, Constant, Expression, Operand, Select, Variable, integer, walk
from loadstone.model.kernel import Kernel, Statement

_SHRINKING = frozenset({"/", "%", ">>", "&"})
"""Operators that make numbers smaller which are not negative, whatever constant stands behind them."""


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Values from `least` on that are below (extent - offset) / scale, rounded up."""

    extent: Expression
    least: int = 0
    offset: int = 0
    scale: int = 1

    def end(self, parameters: Mapping[str, int]) -> int:
        """The first value above, for parameters; not below `least`."""
        return max(self.least, -((self.offset - int(evaluate(self.extent, parameters, ()))) // self.scale))

    def of_summand(self, number: int) -> ValueRange:
        """The range of x where x + number has this one."""
        return ValueRange(self.extent, self.least - number, self.offset + number * self.scale, self.scale)

    def of_factor(self, number: int) -> ValueRange:
        """The range of x where x * number has this one."""
        return ValueRange(self.extent, -(-self.least // number), self.offset, self.scale * number)


_ZERO = ValueRange(integer(1))


def value_ranges(kernel: Kernel) -> dict[str, tuple[ValueRange, ...]]:
    """For each array whose values subscripts depend on, the ranges that they should be in."""
    found: defaultdict[str, dict[ValueRange, None]] = defaultdict(dict)
    for statement in kernel.statements:
        for access in (*statement.reads, statement.write):
            for subscript, extent in zip(access.subscripts, kernel.arrays[access.array].extents, strict=True):
                for name, values in _wanted(kernel, statement, subscript, ValueRange(extent), ()):
                    found[name][values] = None
        for bound, wanted in _loop_bounds(kernel, statement):
            for name, values in _wanted(kernel, statement, bound, wanted, ()):
                found[name][values] = None
    return {name: tuple(ranges) for name, ranges in found.items()}


def _loop_bounds(kernel: Kernel, statement: Statement) -> Iterator[tuple[Expression, ValueRange]]:
    """The bounds of loops that come from data, `k >= row[i] && k < row[i + 1]`, and the values that they may have.

    The counter must stay inside of the arrays that it subscripts.
    """
    for part in (part for body in (statement.value, statement.condition) if body is not None for part in walk(body)):
        match part:
            case Binary(
                op="&&",
                left=Binary(op=">=", left=low, right=first),
                right=Binary(op="<" | "<=" as op, left=high, right=end),
            ) if (name := _counter(low, statement)) is not None and name == _counter(high, statement):
                for extent, offset in _extents_of(kernel, statement, name):
                    least = max(0, -offset)
                    yield first, ValueRange(extent, least, offset - 1)
                    below = ValueRange(extent, least, offset - 1)
                    yield end, below if op == "<" else below.of_summand(1)
            case _:
                pass


def _counter(expression: Expression, statement: Statement) -> str | None:
    """The iterator that an expression converts."""
    while isinstance(expression, Cast):
        expression = expression.operand
    is_iterator = isinstance(expression, Variable) and expression.name in statement.iterators
    return expression.name if isinstance(expression, Variable) and is_iterator else None


def _extents_of(kernel: Kernel, statement: Statement, name: str) -> Iterator[tuple[Expression, int]]:
    """The extents of the arrays that a statement subscripts by an iterator plus a number, and the numbers."""
    for access in (*statement.reads, statement.write):
        for subscript, extent in zip(access.subscripts, kernel.arrays[access.array].extents, strict=True):
            match subscript:
                case Binary(op="+", left=left, right=Constant(value=int(number))):
                    offset = number
                case Binary(op="-", left=left, right=Constant(value=int(number))):
                    offset = -number
                case left:
                    offset = 0
            if _counter(left, statement) == name:
                yield extent, offset


def _wanted(
    kernel: Kernel, statement: Statement, value: Expression, values: ValueRange, through: tuple[str, ...]
) -> Iterator[tuple[str, ValueRange]]:
    """The ranges of arrays that keep a value of a statement in a range, also through arrays computed from others."""
    for operand, wanted in _operands(value, values):
        name = statement.reads[operand.position].array
        yield name, wanted
        if name not in through:
            for writer in kernel.statements:
                if writer.write.array == name:
                    yield from _wanted(kernel, writer, writer.value, wanted, (*through, name))


def _operands(value: Expression, values: ValueRange) -> Iterator[tuple[Operand, ValueRange]]:
    """The operands of an expression that has to be in a range, each with its own."""
    match value:
        case Operand():
            yield value, values
        case Cast(operand=inner):
            yield from _operands(inner, values)
        case Select(then=left, otherwise=right) | Binary(op="min" | "max", left=left, right=right):
            yield from _operands(left, values)
            yield from _operands(right, values)
        case Binary(op="+", left=left, right=Constant(value=int(number))):
            yield from _operands(left, values.of_summand(number))
        case Binary(op="+", left=Constant(value=int(number)), right=right):
            yield from _operands(right, values.of_summand(number))
        case Binary(op="-", left=left, right=Constant(value=int(number))):
            yield from _operands(left, values.of_summand(-number))
        case Binary(op="*", left=left, right=Constant(value=int(number))) if number > 0:
            yield from _operands(left, values.of_factor(number))
        case Binary(op="*", left=Constant(value=int(number)), right=right) if number > 0:
            yield from _operands(right, values.of_factor(number))
        case Binary(op=op, left=left, right=Constant()) if op in _SHRINKING and values.least <= 0:
            yield from _operands(left, values)
        case _:
            yield from ((part, _ZERO) for part in walk(value) if isinstance(part, Operand))
