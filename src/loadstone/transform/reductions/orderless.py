"""Reductions whose order a tiling may change: updates by operators that give the same bits in any order.

Sums, products and bitwise operations of integers are those of a ring modulo 2^bits, if no conversion on the way of the
old value is narrower than the element. Minima and maxima, also as selections and as `if (v > m) m = v`, give the same
bits if conversions keep all values. Fixed point may round or saturate, and `_Bool` is no ring: both stay in order. Sums
and products of floating point are rounded in the order that is executed, and their minima and maxima tell zeros of
both signs and not-a-numbers by it, `fmin` and `fmax` too: they are free only on request.
"""

from __future__ import annotations

from typing import Literal

from loadstone.model.expression import Binary, Call, Cast, Expression, Operand, Select, Unary, walk
from loadstone.model.kernel import Kernel, Statement
from loadstone.model.types import BOOL, ScalarType
from loadstone.transform.reductions.updates import is_own

Operator = Literal["+", "*", "&", "|", "^", "min", "max"]
Pair = tuple[Statement, Statement]

_RING: dict[str, Operator] = {"+": "+", "-": "+", "*": "*", "&": "&", "|": "|", "^": "^"}
_EXTREMA: dict[tuple[str, bool], Operator] = {
    ("<", True): "min",
    ("<=", True): "min",
    (">", True): "max",
    (">=", True): "max",
    ("<", False): "max",
    ("<=", False): "max",
    (">", False): "min",
    (">=", False): "min",
}
"""The extremum that a comparison chooses: by its operator, and whether its left side is chosen where it holds."""

_CALLS: dict[str, Operator] = {"fmin": "min", "fminf": "min", "fmax": "max", "fmaxf": "max"}


def free_pairs(kernel: Kernel, *, free: bool) -> tuple[Pair, ...]:
    """The pairs of statements that update elements of an array by the same operator, in any order."""
    operators = {s.name: operator_of(s, kernel) for s in kernel.statements}
    updates = [s for s in kernel.statements if operators[s.name] and (free or is_exact(s, kernel))]
    return tuple(
        (first, second)
        for first in updates
        for second in updates
        if first.write.array == second.write.array and operators[first.name] == operators[second.name]
    )


def has_rounded_reductions(kernel: Kernel) -> bool:
    """Whether a kernel has reductions whose bits depend on their order: those of floating point."""
    return any(operator_of(s, kernel) and not is_exact(s, kernel) for s in kernel.statements)


def is_exact(statement: Statement, kernel: Kernel) -> bool:
    """Whether a reduction gives the same bits in any order."""
    return kernel.arrays[statement.write.array].type.is_integer


def operator_of(statement: Statement, kernel: Kernel) -> Operator | None:
    """The operator of a reduction whose order may matter for rounding, but for nothing else; None for others."""
    kind = kernel.arrays[statement.write.array].type
    if kind.is_fixed or kind == BOOL or not statement.write.relation.is_single_valued():
        return None
    if statement.condition is not None:
        return _kept_extremum(_plain_test(statement.condition), statement, kind)
    return _ring_operator(statement, kind) or _chosen_extremum(statement, kind)


def _ring_operator(statement: Statement, kind: ScalarType) -> Operator | None:
    value = _through(statement.value, kind)
    if not isinstance(value, Binary) or value.op not in _RING or not _keeps_bits(value.type, kind):
        return None
    left, right = value.left, value.right
    if is_own(_through(left, kind), statement):
        return _RING[value.op] if _is_independent(right, statement) else None
    commutes = value.op != "-" and is_own(_through(right, kind), statement) and _is_independent(left, statement)
    return _RING[value.op] if commutes else None


def _through(expression: Expression, kind: ScalarType) -> Expression:
    """What an expression converts, where conversions keep the bits of an element."""
    while isinstance(expression, Cast) and _keeps_bits(expression.type, kind):
        expression = expression.operand
    return expression


def _keeps_bits(kind: ScalarType, element: ScalarType) -> bool:
    """Whether a type holds an element modulo 2^bits, or in floating point with at least its precision."""
    return kind.kind == element.kind and kind.bits >= element.bits and kind != BOOL


def _is_independent(expression: Expression, statement: Statement) -> bool:
    """Whether an expression reads nothing of the array that the statement writes."""
    used = (part.position for part in walk(expression) if isinstance(part, Operand))
    return all(statement.reads[position].array != statement.write.array for position in used)


def _chosen_extremum(statement: Statement, kind: ScalarType) -> Operator | None:
    """The operator of `m = max(m, v)`, `m = fmaxf(m, v)` and `m = v > m ? v : m`."""
    match value := _same_value(statement.value):
        case Call(function=function, arguments=(left, right)) if function in _CALLS and _holds(value.type, kind):
            return _CALLS[function] if _is_update(left, right, statement, kind) else None
        case Binary(op="min" | "max" as op, left=left, right=right) if _holds(value.type, kind):
            return op if _is_update(left, right, statement, kind) else None
        case Select(condition=condition, then=then, otherwise=otherwise) if _holds(value.type, kind):
            test = _plain_test(condition)
            compared = isinstance(test, Binary)
            return _compared(test, _same_value(then), _same_value(otherwise), statement, kind) if compared else None
        case _:
            return None


def _plain_test(condition: Expression) -> Expression:
    """The condition without `!!` around it."""
    match condition:
        case Unary(op="!", operand=Unary(op="!", operand=inner)):
            return _plain_test(inner)
        case _:
            return condition


def _kept_extremum(test: Expression, statement: Statement, kind: ScalarType) -> Operator | None:
    """The operator of `if (v > m) m = v`."""
    if not isinstance(test, Binary):
        return None
    taken = _same_value(statement.value)
    kept = next((side for side in map(_same_value, (test.left, test.right)) if is_own(side, statement)), None)
    return None if kept is None else _compared(test, taken, kept, statement, kind)


def _compared(
    test: Binary, then: Expression, otherwise: Expression, statement: Statement, kind: ScalarType
) -> Operator | None:
    """The extremum that a comparison chooses between an element and another value."""
    left, right = _same_value(test.left), _same_value(test.right)
    ways = {True: (left, right), False: (right, left)}
    chosen = next((way for way, sides in ways.items() if _alike(sides, (then, otherwise), statement)), None)
    fits = _holds(test.left.type, kind) and _is_update(left, right, statement, kind)
    return _EXTREMA.get((test.op, chosen)) if chosen is not None and fits else None


def _alike(first: tuple[Expression, ...], second: tuple[Expression, ...], statement: Statement) -> bool:
    """Whether expressions have the same values: equal ones, reads of the same element counting as one."""
    return all(_key(one, statement) == _key(other, statement) for one, other in zip(first, second, strict=True))


def _key(expression: Expression, statement: Statement) -> object:
    """What identifies a value: its form, with elements in place of the positions of reads."""
    if isinstance(expression, Operand):
        read = statement.reads[expression.position]
        return read.array, read.subscripts
    same = [part for part in walk(expression) if isinstance(part, Operand)]
    return expression, tuple(_key(part, statement) for part in same)


def _is_update(left: Expression, right: Expression, statement: Statement, kind: ScalarType) -> bool:
    """Whether one side is the element that is written, and the other one a value of its type that does not read it."""
    for own, other in ((left, right), (right, left)):
        if is_own(_same_value(own), statement):
            value = _same_value(other)
            return _holds(kind, value.type) and _is_independent(value, statement)
    return False


def _same_value(expression: Expression) -> Expression:
    """What an expression converts, where conversions keep all values."""
    while isinstance(expression, Cast) and _holds(expression.type, expression.operand.type):
        expression = expression.operand
    return expression


def _holds(kind: ScalarType, other: ScalarType) -> bool:
    """Whether a type has all values of another one."""
    if kind.kind == "float":
        return other.kind == "float" and kind.bits >= other.bits
    both = kind.is_integer and other.is_integer and kind != BOOL
    return both and kind.least <= other.least and other.greatest <= kind.greatest
