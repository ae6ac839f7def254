"""The value of an expression, bit by bit as C computes it (LP64, wrapping integers, no contraction)."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import assert_never

from loadstone.model.expression import (
    COMPARISONS,
    Binary,
    Call,
    Cast,
    Constant,
    Expression,
    Operand,
    Select,
    Unary,
    Variable,
)
from loadstone.model.functions import SIGNATURES
from loadstone.model.types import Number, ScalarType, ctypes_type


def evaluate(expression: Expression, variables: Mapping[str, int], operands: Sequence[Number]) -> Number:
    """The value of an expression, given its variables and the values that the reads brought."""
    match expression:
        case Constant(value=value):
            return value
        case Variable(name=name):
            return variables[name]
        case Operand(position=position):
            return operands[position]
        case Cast(operand=operand, type=kind):
            return _convert(evaluate(operand, variables, operands), expression)
        case Unary(op=op, operand=operand, type=kind):
            return kind.wrap(_unary(op, evaluate(operand, variables, operands)))
        case Select(condition=condition, then=then, otherwise=otherwise):
            return evaluate(then if evaluate(condition, variables, operands) else otherwise, variables, operands)
        case Call(function=function, arguments=arguments):
            return library_function(function)(*(evaluate(a, variables, operands) for a in arguments))
        case Binary():
            return _binary(expression, variables, operands)
        case _:
            assert_never(expression)


def _convert(value: Number, expression: Cast) -> Number:
    if expression.type.is_integer and isinstance(value, float) and not math.isfinite(value):
        return 0
    if expression.type.name == "_Bool":
        return int(value != 0)
    return expression.type.wrap(value)


def _unary(op: str, value: Number) -> Number:
    match op:
        case "-":
            return -value
        case "~":
            return ~int(value)
        case _:
            return int(not value)


def _binary(expression: Binary, variables: Mapping[str, int], operands: Sequence[Number]) -> Number:
    op = expression.op
    left = evaluate(expression.left, variables, operands)
    if (op == "&&" and not left) or (op == "||" and left):
        return int(op == "||")
    right = evaluate(expression.right, variables, operands)
    if op in ("&&", "||"):
        return int(bool(right))
    if op in COMPARISONS:
        return int(_COMPARE[op](left, right))
    if isinstance(left, float) or isinstance(right, float):
        return expression.type.wrap(_real(op, left, right))
    return expression.type.wrap(_INTEGER[op](left, right))


def _real(op: str, left: Number, right: Number) -> Number:
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return _quotient(float(left), float(right))
        case "min":
            return left if left < right else right
        case "max":
            return left if left > right else right
        case _:
            raise AssertionError(f"no operator {op} on real numbers")


def _quotient(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left) or math.isnan(right):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1, right)


def _truncated(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_COMPARE: dict[str, Callable[[Number, Number], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}

_INTEGER: dict[str, Callable[[int, int], int]] = {
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "/": _truncated,
    "%": lambda left, right: left - right * _truncated(left, right),
    "floordiv": int.__floordiv__,
    "mod": int.__mod__,
    "min": min,
    "max": max,
    "<<": int.__lshift__,
    ">>": int.__rshift__,
    "&": int.__and__,
    "|": int.__or__,
    "^": int.__xor__,
}


def _absolute(kind: ScalarType) -> Callable[..., Number]:
    def absolute(value: int) -> Number:
        return kind.wrap(abs(value))

    return absolute


@cache
def library_function(name: str) -> Callable[..., Number]:
    """The C library's own function, so that results agree with compiled code to the last bit."""
    arguments, result = SIGNATURES[name]
    if name in ("abs", "labs", "llabs"):
        return _absolute(result)
    library = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")
    function = getattr(library, name)
    function.argtypes = [ctypes_type(kind) for kind in arguments]
    function.restype = ctypes_type(result)
    return function
