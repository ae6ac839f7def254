"""Integer product, quotient and remainder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.operators.recurrence import divided
from loadstone.rtl import Bits, RtlError, Signal, Value, const, mux

Rounding = Literal["truncate", "floor"]
"""How quotients are rounded: to zero as in C, or down as in Python."""


@shared
def make_integer_multiply(left: Bits, right: Bits, result: Bits, *, stages: int = 3) -> Operator:
    """a * b modulo 2^width of the result; the stages after the second are registers for multipliers to take in."""
    if stages < 2:
        raise RtlError(f"a multiplier has two stages at least, not {stages}")
    p = Pipeline(f"multiply_{_name(left)}_{_name(right)}_{_name(result)}_in_{stages}", f"a * b as {result}.")
    a, b = p.operand("a", left), p.operand("b", right)
    p.stage("Take the operands.")
    p.stage("Multiply.")
    product = p.wire("product", (a * b).wrapped(result))
    for _ in range(stages - 2):
        p.stage("Pass the product on.")
    return p.finished(product)


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
