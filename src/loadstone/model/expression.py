"""Typed expression trees: statement bodies, conditions, subscripts and loop bounds.

Every conversion is a node: what C converts silently is a `Cast` with `implicit=True`, so that no consumer has to
know the conversion rules again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import assert_never

from loadstone.errors import Span
from loadstone.model.types import INT, Number, ScalarType, common_type, promoted

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
LOGICAL = frozenset({"&&", "||"})
SHIFTS = frozenset({"<<", ">>"})


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal; `text` is how the source wrote it."""

    value: Number
    type: ScalarType
    text: str = ""
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Variable:
    """A loop iterator or a parameter."""

    name: str
    type: ScalarType
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Operand:
    """The value that the statement's read number `position` brings."""

    position: int
    type: ScalarType
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `~x`, `!x`, or `units x`: a number of fixed point as the integer that counts its units, or the reverse."""

    op: str
    operand: Expression
    type: ScalarType
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """A C binary operator, or one of `floordiv`, `mod`, `min`, `max` (rounding to minus infinity, sign of divisor)."""

    op: str
    left: Expression
    right: Expression
    type: ScalarType
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Select:
    """`condition ? then : otherwise`; only the chosen side is evaluated."""

    condition: Expression
    then: Expression
    otherwise: Expression
    type: ScalarType
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function without side effects."""

    function: str
    arguments: tuple[Expression, ...]
    type: ScalarType
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Cast:
    """A conversion; `implicit` when the source does not spell it."""

    operand: Expression
    type: ScalarType
    implicit: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


Expression = Constant | Variable | Operand | Unary | Binary | Select | Call | Cast


def integer(value: int) -> Constant:
    """The integer as a literal of type int."""
    return Constant(value, INT, str(value))


def converted(expression: Expression, kind: ScalarType) -> Expression:
    """The expression with an implicit conversion to a type, where one is needed."""
    if expression.type == kind:
        return expression
    return Cast(expression, kind, True, expression.span)


def cast(expression: Expression, kind: ScalarType) -> Expression:
    """The expression with a conversion that must be spelled, where one is needed."""
    return expression if expression.type == kind else Cast(expression, kind, False, expression.span)


def unary(op: str, operand: Expression, span: Span | None = None) -> Expression:
    """A unary operation with C's promotions applied."""
    if op == "!":
        return Unary(op, operand, INT, span)
    kind = promoted(operand.type)
    return Unary(op, converted(operand, kind), kind, span)


def binary(op: str, left: Expression, right: Expression, span: Span | None = None) -> Expression:
    """A binary operation with C's usual arithmetic conversions applied."""
    if op in LOGICAL:
        return Binary(op, left, right, INT, span)
    if op in SHIFTS:
        kind = promoted(left.type)
        return Binary(op, converted(left, kind), converted(right, promoted(right.type)), kind, span)
    kind = common_type(left.type, right.type)
    result = INT if op in COMPARISONS else kind
    return Binary(op, converted(left, kind), converted(right, kind), result, span)


def select(condition: Expression, then: Expression, otherwise: Expression, span: Span | None = None) -> Expression:
    """A conditional expression whose sides are converted to their common type."""
    kind = common_type(then.type, otherwise.type) if then.type != otherwise.type else promoted(then.type)
    return Select(condition, converted(then, kind), converted(otherwise, kind), kind, span)


def children(expression: Expression) -> tuple[Expression, ...]:
    """The direct sub-expressions, in operand order."""
    match expression:
        case Constant() | Variable() | Operand():
            return ()
        case Unary(operand=operand) | Cast(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Select(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case Call(arguments=arguments):
            return arguments
        case _:
            assert_never(expression)


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything below it, parents first."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with `change` applied to its direct sub-expressions."""
    match expression:
        case Constant() | Variable() | Operand():
            return expression
        case Unary() | Cast():
            return replace(expression, operand=change(expression.operand))
        case Binary():
            return replace(expression, left=change(expression.left), right=change(expression.right))
        case Select():
            sides = change(expression.then), change(expression.otherwise)
            return Select(change(expression.condition), *sides, expression.type, expression.span)
        case Call():
            return replace(expression, arguments=tuple(change(a) for a in expression.arguments))
        case _:
            assert_never(expression)


def substituted(expression: Expression, values: dict[str, Expression]) -> Expression:
    """The expression with variables replaced by the given expressions, cast to the variables' types."""
    if isinstance(expression, Variable):
        value = values.get(expression.name)
        return expression if value is None else cast(value, expression.type)
    return rebuilt(expression, lambda child: substituted(child, values))
