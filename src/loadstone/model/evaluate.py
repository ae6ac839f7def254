"""The value of an expression, bit by bit as C computes it (LP64, wrapping integers, no contraction).

Values of fixed point are units, as in `model.types`.
"""

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
from loadstone.model.types import BOOL, Number, ScalarType, ctypes_type, rounded


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
            return convert(evaluate(operand, variables, operands), operand.type, kind)
        case Unary(op=op, operand=operand, type=kind):
            value = _unary(op, evaluate(operand, variables, operands))
            return kind.fitted(int(value)) if kind.is_fixed else kind.wrap(value)
        case Select(condition=condition, then=then, otherwise=otherwise):
            return evaluate(then if evaluate(condition, variables, operands) else otherwise, variables, operands)
        case Call(function=function, arguments=arguments):
            return library_function(function)(*(evaluate(a, variables, operands) for a in arguments))
        case Binary():
            return _binary(expression, variables, operands)
        case _:
            assert_never(expression)


def convert(value: Number, source: ScalarType, target: ScalarType) -> Number:
    """A value of one type in another; fractions are cut off by integers, for which infinities and NaNs are 0."""
    if target == BOOL:
        return int(value != 0)
    if source.is_fixed:
        return _from_units(int(value), source, target)
    if target.is_integer and isinstance(value, float) and not math.isfinite(value):
        return 0
    return target.wrap(value)


def _from_units(units: int, source: ScalarType, target: ScalarType) -> Number:
    match target.kind:
        case "int":
            return target.wrap(_truncated(units, 1 << source.fraction))
        case "float":
            return math.ldexp(target.wrap(units), -source.fraction)
        case "fixed":
            return target.fitted(rounded(units << target.fraction, 1 << source.fraction, target.rounding))
        case _:
            assert_never(target.kind)


def _unary(op: str, value: Number) -> Number:
    match op:
        case "-":
            return -value
        case "~":
            return ~int(value)
        case "units":
            return value
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
    if expression.type.is_fixed:
        return _fixed(op, int(left), int(right), expression.type)
    if isinstance(left, float) or isinstance(right, float):
        return expression.type.wrap(_REAL[op](left, right))
    return expression.type.wrap(_INTEGER[op](left, right))


def _fixed(op: str, left: int, right: int, kind: ScalarType) -> int:
    """The exact result on units of a type, rounded and brought into range once; zero for a division by zero."""
    match op:
        case "*":
            return kind.fitted(rounded(left * right, 1 << kind.fraction, kind.rounding))
        case "/":
            sign = 1 if right > 0 else -1
            return kind.fitted(rounded(sign * left << kind.fraction, abs(right), kind.rounding)) if right else 0
        case _:
            return kind.fitted(_INTEGER[op](left, right))


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

_REAL: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda left, right: _quotient(float(left), float(right)),
    "min": lambda left, right: left if left < right else right,
    "max": lambda left, right: left if left > right else right,
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
