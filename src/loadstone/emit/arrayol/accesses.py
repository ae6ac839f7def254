"""Subscripts taken apart: a linear form over iterators, perhaps modulo a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loadstone.errors import Diagnostic, Span, UnsupportedError
from loadstone.model.expression import Binary, Cast, Constant, Expression, Unary, Variable


@dataclass(frozen=True, slots=True)
class Row:
    """A subscript: coefficients of the iterators, a constant, and what it is taken modulo, if so."""

    factors: tuple[int, ...]
    constant: int
    modulus: int | None = None


def refused(reason: str, span: Span | None, hint: str = "") -> UnsupportedError:
    """The error for a kernel that is no specification."""
    return UnsupportedError(Diagnostic(f"this is no Array-OL: {reason}", span, hint))


def row_of(subscript: Expression, iterators: Sequence[str], span: Span | None) -> Row:
    """A subscript as a row of a tiler; raises `UnsupportedError` for one that is none."""
    while isinstance(subscript, Cast):
        subscript = subscript.operand
    modulus = None
    if isinstance(subscript, Binary) and subscript.op in ("%", "mod") and isinstance(subscript.right, Constant):
        modulus, subscript = int(subscript.right.value), subscript.left
    found = _linear(subscript, iterators)
    if found is None:
        raise refused("a subscript is no linear form of loops", span, "tilers add multiples of loop counters")
    return Row(tuple(found[:-1]), found[-1], modulus)


def _linear(expression: Expression, iterators: Sequence[str]) -> list[int] | None:
    """The coefficients of the iterators, and behind them the constant."""
    match expression:
        case Constant(value=int(value)):
            return [*(0 for _ in iterators), value]
        case Variable(name=name) if name in iterators:
            return [*(int(each == name) for each in iterators), 0]
        case Cast(operand=operand):
            return _linear(operand, iterators)
        case Unary(op="-", operand=operand):
            return _scaled(_linear(operand, iterators), -1)
        case Binary(op="+" | "-" as op, left=left, right=right):
            first, second = _linear(left, iterators), _scaled(_linear(right, iterators), 1 if op == "+" else -1)
            return None if first is None or second is None else [a + b for a, b in zip(first, second, strict=True)]
        case Binary(op="*", left=left, right=right):
            first, second = _linear(left, iterators), _linear(right, iterators)
            if first is None or second is None or (any(first[:-1]) and any(second[:-1])):
                return None
            return _scaled(first, second[-1]) if any(first[:-1]) else _scaled(second, first[-1])
        case _:
            return None


def _scaled(values: list[int] | None, factor: int) -> list[int] | None:
    return None if values is None else [factor * value for value in values]
