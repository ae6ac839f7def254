"""Constant expressions: numbers, strings and tables of them, computed without running the program."""

from __future__ import annotations

import ast
import numbers
from collections.abc import Callable
from typing import cast

from loadstone.errors import Span
from loadstone.frontend import syntax
from loadstone.model.types import BOOL, DOUBLE, INT, LONG, Number

Value = int | float | str | tuple["Value", ...] | dict[str, "Value"]
Lookup = Callable[[str], Value | None]

_LARGEST_EXPONENT = 64


def folded(node: ast.AST | None, lookup: Lookup) -> Value | None:
    """The value of a constant expression, or None when it is not one.

    >>> folded(ast.parse("(2 * N, -1)", mode="eval").body, {"N": 4}.get)
    (8, -1)
    """
    match node:
        case ast.Constant(value=value):
            return as_value(value)
        case ast.Name(id=name):
            return lookup(name)
        case ast.UnaryOp(op=op, operand=operand):
            return _unary(op, folded(operand, lookup))
        case ast.BinOp(op=op, left=left, right=right):
            return _binary(op, folded(left, lookup), folded(right, lookup))
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            values = tuple(folded(element, lookup) for element in elements)
            return None if None in values else cast("Value", values)
        case ast.Dict(keys=keys, values=values):
            return _dictionary([folded(key, lookup) for key in keys], [folded(value, lookup) for value in values])
        case _:
            return None


def _dictionary(keys: list[Value | None], values: list[Value | None]) -> Value | None:
    pairs = zip(keys, values, strict=True)
    entries = {key: value for key, value in pairs if isinstance(key, str) and value is not None}
    return entries if len(entries) == len(keys) else None


def _unary(op: ast.unaryop, value: Value | None) -> Value | None:
    match op, value:
        case ast.USub(), int() | float():
            return -value
        case ast.UAdd(), int() | float():
            return +value
        case ast.Invert(), int():
            return ~value
        case _:
            return None


def _binary(op: ast.operator, left: Value | None, right: Value | None) -> Value | None:
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    try:
        return as_value(_computed(op, left, right))
    except (ArithmeticError, TypeError, ValueError):
        return None


def _computed(op: ast.operator, left: Number, right: Number) -> object:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.FloorDiv():
            return left // right
        case ast.Mod():
            return left % right
        case ast.Pow() if abs(right) <= _LARGEST_EXPONENT:
            return left**right
        case ast.LShift() if isinstance(left, int) and isinstance(right, int) and right <= _LARGEST_EXPONENT:
            return left << right
        case ast.RShift() if isinstance(left, int) and isinstance(right, int):
            return left >> right
        case _:
            return None


def as_value(value: object) -> Value | None:
    """An object of a running program as a constant, or None."""
    match value:
        case bool() | str():
            return value
        case numbers.Integral():
            return int(value)
        case numbers.Real():
            return float(value)
        case list() | tuple():
            values = tuple(as_value(element) for element in cast("tuple[object, ...]", value))
            return None if None in values else cast("Value", values)
        case _:
            return None


def literal(value: Number, span: Span) -> syntax.Literal | None:
    """A number as it stands in an expression; None when no type of C can hold it."""
    if isinstance(value, bool):
        return syntax.Literal(int(value), BOOL, str(int(value)), span)
    if isinstance(value, float):
        finite = value - value == 0
        return syntax.Literal(value, DOUBLE, repr(value), span) if finite else None
    kind = next((kind for kind in (INT, LONG) if kind.wrap(value) == value), None)
    return syntax.Literal(value, kind, str(value), span) if kind else None


def table(name: str, value: Value, span: Span) -> syntax.Symbol | None:
    """A constant array that the module holds as nested tuples or lists of numbers; None when it is no such thing."""
    shape = _shape(value)
    if not shape:
        return None
    literals = [literal(number, span) for number in _flat(value)]
    kinds = {part.type for part in literals if part is not None}
    if not kinds or None in literals:
        return None
    kind = next(kind for kind in (DOUBLE, LONG, INT, BOOL) if kind in kinds)
    extents = tuple(syntax.Literal(size, INT, str(size), span) for size in shape)
    values = tuple(kind.wrap(number) for number in _flat(value))
    return syntax.Symbol(name, kind, extents, True, False, span, constant=True, values=values)


def _shape(value: Value) -> tuple[int, ...] | None:
    """The extents of nested tuples, None when rows have different lengths or hold no numbers."""
    if isinstance(value, int | float):
        return ()
    if not isinstance(value, tuple):
        return None
    inner = {_shape(element) for element in value}
    rows = inner.pop() if len(inner) == 1 else None
    return None if rows is None else (len(value), *rows)


def _flat(value: Value) -> list[Number]:
    if isinstance(value, tuple):
        return [number for element in value for number in _flat(element)]
    return [value] if isinstance(value, int | float) else []
