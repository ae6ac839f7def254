"""Floating-point numbers without their fraction: C's `floor`, `ceil`, `trunc`, `round` and `rint`."""

from __future__ import annotations

from typing import Literal, assert_never

from loadstone.operators import significands
from loadstone.operators.formats import Float
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.rtl import Signal, Value, cat, const, mux, unsigned

Integral = Literal["floor", "ceil", "trunc", "round", "rint"]
"""Down, up, to zero, to the nearest integer with ties away from zero, or with ties to even."""


@shared
def make_integral(format: Float, rounding: Integral, *, subnormals: bool = True) -> Operator:
    """The integer next to a in a direction, or nearest to it, with the sign of a."""
    comment = f"a as an integer by {rounding} in {format.name} precision."
    p = Pipeline(significands.operator_name(format, rounding, subnormals), comment)
    a = p.operand("a", format.type)
    fraction = format.fraction_bits

    p.stage("Find the place of the point.")
    x = significands.unpacked(p, format, a, subnormals)
    nan, infinite = p.wire("not_a_number", x.is_nan), p.wire("infinite", x.is_infinite)
    below_one = p.wire("below_one", x.exponent < format.bias)
    is_whole = p.wire("is_whole", x.exponent >= format.bias + fraction)
    places = p.wire("places", (format.bias + fraction - x.exponent).wrapped(unsigned(format.exponent_bits)))

    p.stage("Cut the fraction off.")
    ones = const((1 << format.precision) - 1)
    tail = p.wire("tail", mux(below_one, x.significand, x.significand & ~(ones << places)))
    unit = p.wire("unit", mux(below_one, 0, (const(1, unsigned(format.precision)) << places)))
    by_half = mux(below_one, x.exponent == format.bias - 1, ((tail << 1) & unit).any() & ~is_whole)
    half = p.wire("half", by_half)
    rest = p.wire("rest", mux(below_one, x.significand[:-1], ((tail << 1) & ~unit.resized(format.precision + 1))).any())
    up = p.wire("up", ~is_whole & _goes_up(rounding, x.sign, tail.any(), half, rest, (x.significand & unit).any()))

    p.stage("Go up where it must.")
    field = mux(x.significand[-1], x.exponent, 0)
    kept = cat(field, x.significand[:-1] & ~tail[:-1]) + mux(up, unit, 0)
    small = mux(up, format.bias << fraction, 0)
    magnitude = p.wire("magnitude", mux(is_whole, a[:-1], mux(below_one, small, kept[: format.width - 1])))
    return p.finished(significands.chosen(format, x.sign, magnitude, nan=nan, infinite=infinite, zero=const(0)))


def _goes_up(rounding: Integral, sign: Signal, tail: Value, half: Signal, rest: Signal, odd: Value) -> Value:
    """Whether the magnitude without its tail grows by one; `rest` is what the tail has besides a half."""
    match rounding:
        case "floor":
            return sign & tail
        case "ceil":
            return ~sign & tail
        case "trunc":
            return const(0)
        case "round":
            return half
        case "rint":
            return half & (rest | odd)
        case _:
            assert_never(rounding)
