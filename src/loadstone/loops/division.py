"""Divisions in the control of loops: which remain, what they cost, and how they go away [Devos, Table 5.4]."""

from __future__ import annotations

from math import gcd

import islpy as isl

from loadstone.loops.model import Node, expressions
from loadstone.model.expression import Binary, Constant, Expression, Unary, Variable, integer, walk
from loadstone.model.tidy import tidy
from loadstone.model.types import INT
from loadstone.poly.linear import Linear, linear, shifted, variable_names

Cost = tuple[int, int]
"""Divisions by numbers that are not powers of two, and then operations; less is better."""

_DIVIDING = frozenset({"/", "%", "floordiv", "mod"})
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def is_power_of_two(number: int) -> bool:
    """Whether a division by the number is a shift."""
    return number > 0 and number & (number - 1) == 0


def divisions(node: Node) -> tuple[int, ...]:
    """The numbers that a loop tree divides by, or takes remainders by, each once; 0 stands for what is no number."""
    return tuple(sorted({divisor for part in expressions(node) for divisor in divisors(part)}))


def divisors(expression: Expression) -> tuple[int, ...]:
    """The divisor of each division and remainder in an expression."""
    return tuple(
        part.right.value if isinstance(part.right, Constant) and isinstance(part.right.value, int) else 0
        for part in walk(expression)
        if isinstance(part, Binary) and part.op in _DIVIDING
    )


def cost(expression: Expression) -> Cost:
    """How expensive an expression is in hardware: divisions that are no shifts first, then operations of any kind."""
    hard = sum(not is_power_of_two(divisor) for divisor in divisors(expression))
    return hard, sum(not isinstance(part, Constant | Variable) for part in walk(expression))


def tree_cost(node: Node) -> Cost:
    """The costs of all expressions of a loop tree together."""
    costs = [cost(expression) for expression in expressions(node)]
    return sum(hard for hard, _ in costs), sum(operations for _, operations in costs)


def readable(value: isl.Aff) -> Expression:
    """The floor of an affine expression, with its terms collected, divisions in lowest terms, and few additions."""
    names = variable_names(value.get_domain_space())
    parts = constant_in_floor(common_factor_removed(linear(value, names)))
    total: Expression = integer(parts.constant)
    for factor, name in parts.variables:
        total = Binary("+", total, Binary("*", integer(factor), Variable(name, INT), INT), INT)
    for factor, argument in parts.floors:
        total = Binary("+", total, Binary("*", integer(factor), readable(argument), INT), INT)
    return tidy(total if parts.divisor == 1 else Binary("floordiv", total, integer(parts.divisor), INT))


def constant_in_floor(parts: Linear) -> Linear:
    """The same sum, with its constant inside of one of its floors: c + floor(x) = floor(x + c).

    Negative floors become positive before: -floor(x / d) = ceil(-x / d) = floor((d - 1 - x) / d).
    """
    floors = [(1, _as_ceiling(argument)) if factor == -1 else (factor, argument) for factor, argument in parts.floors]
    position = next((k for k, (factor, _) in enumerate(floors) if factor == 1), None)
    if position is None or parts.divisor != 1:
        return parts
    floors[position] = (1, shifted(floors[position][1], parts.constant))
    return Linear(parts.variables, tuple(floors), 0, 1)


def _as_ceiling(value: isl.Aff) -> isl.Aff:
    divisor = value.get_denominator_val()
    return value.neg().add_constant_val(divisor.sub(isl.Val.one(value.get_ctx())).div(divisor))


def common_factor_removed(parts: Linear) -> Linear:
    """The parts of a fraction with the same floor, in lowest terms.

    floor((ab + x) / (ad)) = floor((b + floor(x / a)) / d) [Devos, (5.1)]; with ceil(x) = -floor(-x), (5.2) is the same.
    """
    factors = [factor for factor, _ in (*parts.variables, *parts.floors)]
    common = gcd(parts.divisor, *factors)
    return Linear(
        tuple((factor // common, name) for factor, name in parts.variables),
        tuple((factor // common, argument) for factor, argument in parts.floors),
        parts.constant // common,
        parts.divisor // common,
    )


def without_division(expression: Expression) -> Expression:
    """An equal comparison without the division, where one side is a floor or a ceiling; else the comparison as it is.

    floor(x / d) < c <=> x < cd [Devos, (5.8)], and its negation floor(x / d) >= c <=> x >= cd. The other two follow
    from b < c <=> b <= c - 1, which (5.9) means but prints as c + 1. As ceil(x) = -floor(-x), (5.7), which is
    ceil(x / d) > c <=> x > cd, is (5.8) with both sides negated.
    """
    match expression:
        case Binary(op="<" | "<=" | ">" | ">=" as op, left=left, right=right):
            return _floor_compared(op, left, right) or _floor_compared(_MIRRORED[op], right, left) or expression
        case _:
            return expression


def _floor_compared(op: str, left: Expression, right: Expression) -> Expression | None:
    match left:
        case Unary(op="-", operand=Binary(op="floordiv") as floor):
            return _floor_compared(_MIRRORED[op], floor, tidy(Unary("-", right, INT)))
        case Binary(op="floordiv", left=dividend, right=Constant(value=int(divisor))) if divisor > 0:
            limit = right if op in ("<", ">=") else Binary("+", right, integer(1), INT)
            product = tidy(Binary("*", integer(divisor), limit, INT))
            return Binary("<" if op in ("<", "<=") else ">=", dividend, product, INT)
        case _:
            return None
