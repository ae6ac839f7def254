"""Integer product, quotient and remainder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Literal

from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.operators.recurrence import divided
from loadstone.rtl import Bits, RtlError, Signal, Value, const, mux, unsigned

Rounding = Literal["truncate", "floor"]
"""How quotients are rounded: to zero as in C, or down as in Python."""


BLOCK = 18
"""The widest factors of a multiplier block, one bit of which is the sign."""
_PART = BLOCK - 1
"""The bits of a part of a wider factor."""


@shared
def make_integer_multiply(left: Bits, right: Bits, result: Bits, *, stages: int = 3) -> Operator:
    """a * b modulo 2^width of the result, in so many stages at least.

    With three or more, factors that are wider than a multiplier block are multiplied in parts, and the products added
    in stages of their own.
    """
    if stages < 2:
        raise RtlError(f"a multiplier has two stages at least, not {stages}")
    p = Pipeline(f"multiply_{_name(left)}_{_name(right)}_{_name(result)}_in_{stages}", f"a * b as {result}.")
    a, b = p.operand("a", left), p.operand("b", right)
    p.stage("Take the operands.")
    p.stage("Multiply.")
    is_wide = stages > 2 and max(left.width, right.width) > BLOCK
    product, used = _in_parts(p, a, b, result.width) if is_wide else (p.wire("product", (a * b).wrapped(result)), 2)
    for _ in range(stages - used):
        p.stage("Pass the product on.")
    return p.finished(product.wrapped(result))


def _in_parts(p: Pipeline, a: Signal, b: Signal, width: int) -> tuple[Value, int]:
    """The low bits of a * b as the sum of products of parts, and the stages that it takes."""
    modulus, stages = unsigned(width), 2
    terms = [
        p.wire(f"product_{i}_{j}", (one * other).wrapped(unsigned(width - (i + j) * _PART)))
        for i, one in enumerate(_parts(a))
        for j, other in enumerate(_parts(b))
        if (i + j) * _PART < width
    ]
    places = [(i + j) * _PART for i in range(len(_parts(a))) for j in range(len(_parts(b)))]
    sums: list[Value] = [
        term << place for term, place in zip(terms, (place for place in places if place < width), strict=True)
    ]
    at_once = 3 if width <= 2 * BLOCK else 2
    while len(sums) > 1:
        p.stage("Add products.")
        groups = [sums[k : k + at_once] for k in range(0, len(sums), at_once)]
        sums = [p.wire(f"sum_{stages}_{k}", reduce(add, group).wrapped(modulus)) for k, group in enumerate(groups)]
        stages += 1
    return sums[0], stages


def _parts(value: Signal) -> list[Value]:
    """The parts of a factor, the lowest first: numbers without a sign, but for that of the highest one."""
    found, rest = list[Value](), value
    while rest.width > BLOCK - (not rest.bits.signed):
        found.append(rest[:_PART])
        rest = (rest >> _PART).resized(rest.width - _PART)
    return [*found, rest]


@shared
def make_integer_divide(type: Bits, *, rounding: Rounding = "truncate", bits_per_stage: int = 1) -> Operator:
    """a / b; all bits set for b = 0, and the least number where it is divided by -1."""
    p = Pipeline(f"divide_{_name(type)}_{rounding}_by_{bits_per_stage}", f"a / b as {type}, rounded by {rounding}.")
    a, b = p.operand("a", type), p.operand("b", type)
    if not type.signed:
        return p.finished(divided(p, const(0), a, 0, b, bits_per_stage)[0])
    parts = magnitudes_divided(p, a, b, 0, bits_per_stage)
    p.stage("Apply the signs.")
    return p.finished(parts.quotient_by(rounding).wrapped(type))


@shared
def make_integer_modulo(type: Bits, *, rounding: Rounding = "truncate", bits_per_stage: int = 1) -> Operator:
    """a - b * (a / b), which has the sign of a (truncate, as in C) or of b (floor, as in Python); a for b = 0."""
    p = Pipeline(f"modulo_{_name(type)}_{rounding}_by_{bits_per_stage}", f"a % b as {type}, rounded by {rounding}.")
    a, b = p.operand("a", type), p.operand("b", type)
    if not type.signed:
        return p.finished(divided(p, const(0), a, 0, b, bits_per_stage)[1])
    parts = magnitudes_divided(p, a, b, 0, bits_per_stage)
    p.stage("Apply the signs.")
    own = p.wire("own_sign", mux(a[-1], -parts.remainder, parts.remainder))
    moved = parts.is_negative & parts.remainder.any() if rounding == "floor" else const(0)
    return p.finished(mux(moved, own + b, own).wrapped(type))


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Quotient and remainder of magnitudes, and whether the true quotient is negative; it is not for a divisor of 0."""

    divisor: Signal
    quotient: Signal
    remainder: Signal
    is_negative: Signal

    def quotient_by(self, rounding: Rounding) -> Value:
        """The quotient with its sign."""
        lowered = self.remainder.any() if rounding == "floor" else const(0)
        return mux(self.is_negative, -self.quotient - lowered, self.quotient)


def magnitudes_divided(p: Pipeline, a: Signal, b: Signal, zeros: int, bits_per_stage: int) -> Division:
    """The magnitude of a, with some zeros behind, by that of b, after a stage that finds the magnitudes."""
    p.stage("Take the magnitudes.")
    dividend, divisor = _magnitude(p, a), _magnitude(p, b)
    sign = p.wire("is_negative", (_sign(a) ^ _sign(b)) & b.any())
    quotient, remainder = divided(p, const(0), dividend, zeros, divisor, bits_per_stage)
    return Division(divisor, quotient, remainder, sign)


def _sign(value: Signal) -> Value:
    return value[-1] if value.bits.signed else const(0)


def _magnitude(p: Pipeline, value: Signal) -> Signal:
    return p.wire(f"{value.name}_magnitude", mux(_sign(value), -value, value).as_unsigned()[: value.width])


def _name(type: Bits) -> str:
    return f"{'s' if type.signed else 'u'}{type.width}"
