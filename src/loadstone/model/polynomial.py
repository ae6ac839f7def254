"""Integer expressions as polynomials of variables and of other integer expressions, which are atoms like variables.

>>> from loadstone.model.expression import Variable, binary
>>> i, n = Variable("i", INT), Variable("n", INT)
>>> address = polynomial(binary("+", binary("*", binary("+", i, integer(1)), n), i))
>>> quotient, rest = divided(address, polynomial(n))
>>> as_expression(quotient) == binary("+", i, integer(1)), as_expression(rest) == i
(True, True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import reduce
from math import gcd

from loadstone.model.expression import Binary, Cast, Constant, Expression, Unary, cast, integer
from loadstone.model.tidy import tidy
from loadstone.model.types import INT

Monomial = tuple[Expression, ...]
"""A product of atoms, in one order."""
Polynomial = Mapping[Monomial, int]
"""Products of atoms with their factors, which are not zero."""
ONE: Monomial = ()


def polynomial(expression: Expression) -> Polynomial:
    """The integer expression as a polynomial; exact where its arithmetic does not overflow."""
    match expression:
        case Constant(value=int(value)):
            return _made({ONE: value})
        case Unary(op="-", operand=operand):
            return times(polynomial(operand), {ONE: -1})
        case Cast(operand=operand, type=kind) if kind.is_integer and operand.type.is_integer and kind.bits >= 32:
            return polynomial(operand)
        case Binary(op="+", left=left, right=right):
            return plus(polynomial(left), polynomial(right))
        case Binary(op="-", left=left, right=right):
            return plus(polynomial(left), times(polynomial(right), {ONE: -1}))
        case Binary(op="*", left=left, right=right):
            return times(polynomial(left), polynomial(right))
        case Binary(op="<<", left=left, right=Constant(value=int(bits))) if 0 <= bits < 31:
            return times(polynomial(left), {ONE: 1 << bits})
        case _:
            return {(expression,): 1}


def _made(factors: Mapping[Monomial, int]) -> Polynomial:
    return {monomial: factor for monomial, factor in factors.items() if factor}


def plus(left: Polynomial, right: Polynomial) -> Polynomial:
    """The sum."""
    total = Counter(dict(left))
    total.update(dict(right))
    return _made(total)


def times(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product."""
    total: Counter[Monomial] = Counter()
    for first, factor in left.items():
        for second, other in right.items():
            total[_sorted((*first, *second))] += factor * other
    return _made(total)


def divided(value: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and rest: `value` is `quotient * divisor + rest`, and no part of the rest is a multiple of the
    divisor's first product."""
    lead = max(divisor, key=_order)
    quotient: Polynomial = {}
    rest = value
    while parts := [part for part in _multiples(rest, lead) if rest[part] % divisor[lead] == 0]:
        part = max(parts, key=_order)
        step = {_sorted(tuple((Counter(part) - Counter(lead)).elements())): rest[part] // divisor[lead]}
        quotient = plus(quotient, step)
        rest = plus(rest, times(times(step, divisor), {ONE: -1}))
    return quotient, rest


def _multiples(value: Polynomial, lead: Monomial) -> Iterator[Monomial]:
    return (monomial for monomial in value if not Counter(lead) - Counter(monomial))


def _sorted(atoms: tuple[Expression, ...]) -> Monomial:
    return tuple(sorted(atoms, key=repr))


def _order(monomial: Monomial) -> tuple[int, str]:
    return len(monomial), repr(monomial)


def degree(value: Polynomial) -> int:
    """The length of the longest product."""
    return max(map(len, value), default=0)


def primitive(value: Polynomial) -> Polynomial:
    """The polynomial, which is not zero, without a number that divides all factors."""
    common = reduce(gcd, value.values())
    return {monomial: factor // common for monomial, factor in value.items()}


def as_expression(value: Polynomial) -> Expression:
    """The expression, in signed arithmetic."""
    total: Expression = integer(0)
    for monomial in sorted(value, key=_order, reverse=True):
        factors = (integer(value[monomial]), *(cast(atom, INT) for atom in monomial))
        total = Binary("+", total, reduce(_product, factors), INT)
    return tidy(total)


def _product(left: Expression, right: Expression) -> Expression:
    return Binary("*", left, right, INT)
