"""Sine and cosine: the angle is brought to the nearest quarter of a turn, and a vector is rotated by what is left.

|x| 2/pi is found modulo 4 quarters with the bits of 2/pi that matter for the exponent of x, which a table holds [Payne,
Hanek 1983]: enough that also an x next to a multiple of pi/2 leaves an angle with all its bits. A vector is then
rotated by angles arctan(2^-i), up or down [Volder 1959], and after half of the bits by the small rest at once. Where a
sine is about as small as its angle, it is that angle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from loadstone.operators import significands
from loadstone.operators.formats import Float
from loadstone.operators.functions.constants import pi, quarter_turns_of_step, rotation_gain, two_by_pi
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.rtl import Signal, Value, cat, const, mux, signed, unsigned

_GUARD_BITS = 9


@shared
def make_sine(format: Float, *, subnormals: bool = True) -> Operator:
    """sin(a); NaN for infinities."""
    return _make(format, "sine", subnormals)


@shared
def make_cosine(format: Float, *, subnormals: bool = True) -> Operator:
    """cos(a); NaN for infinities."""
    return _make(format, "cosine", subnormals)


@dataclass(frozen=True, slots=True, eq=False)
class _Angle:
    """What is left of an angle, from -1/2 to 1/2 quarters of a turn, and which function of it is the result.

    The result is its sine or its cosine, negative or not. Of a tiny angle the sine is the angle: `leading` 2^-zeros,
    `leading` being a fraction with a leading one.
    """

    rest: Signal
    by_sine: Signal
    is_negative: Signal
    is_tiny: Signal
    zeros: Signal
    leading: Signal


def _make(format: Float, function: Literal["sine", "cosine"], subnormals: bool) -> Operator:
    p = Pipeline(
        significands.operator_name(format, function, subnormals), f"The {function} of a in {format.name} precision."
    )
    a = p.operand("a", format.type)
    bits = format.precision + _GUARD_BITS

    p.stage("Take apart.")
    x = significands.unpacked(p, format, a, subnormals)
    nan = p.wire("not_a_number", x.is_nan | x.is_infinite)
    itself = p.wire("itself", cat(x.sign, mux(x.is_zero, 0, a[:-1])))
    is_minute = p.wire("is_minute", x.is_zero | (x.exponent < format.bias - bits // 2 - 2))

    turns = _quarter_turns(p, format, x, _fraction_bits(format, bits))
    angle = _angle(p, turns, function, bits)
    found = _function_of(p, angle, bits)
    exponent, significand = p.wire("biased", found.exponent + format.bias), found.significand
    if subnormals and format.bias <= format.exponent_bits + format.precision:
        exponent, places = significands.limited(p, exponent)
        p.stage("Shift for a subnormal result.")
        significand = significands.shifted_right(p, "denormal", significand, places)
    p.stage("Round.")
    magnitude = significands.rounded(p, format, exponent, significand, subnormals)
    sign = found.is_negative ^ x.sign if function == "sine" else found.is_negative
    value = significands.chosen(format, sign, magnitude, nan=nan, infinite=const(0), zero=const(0))
    return p.finished(mux(is_minute, itself, value) if function == "sine" else value)


def _fraction_bits(format: Float, bits: int) -> int:
    """The bits of an angle behind the point: as many as there are numbers that may come near to a quarter, and more."""
    return bits + format.precision + format.exponent_bits - 1


def _quarter_turns(p: Pipeline, format: Float, x: significands.Unpacked, fraction: int) -> Signal:
    """|x| 2/pi modulo 4, with two bits before the point."""
    all_bits, precision = format.bias + 1 + fraction, format.precision
    inverse = two_by_pi(all_bits)
    words = [(inverse >> (format.bias - k)) % (1 << (fraction + precision + 2)) for k in range(format.bias + 1)]
    below_one = p.wire("below_one", x.exponent < format.bias)
    distance = x.exponent - format.bias
    address = mux(below_one, 0, distance.as_unsigned()[: format.exponent_bits - 1])
    high = p.table("high_bits", [word >> precision for word in words], unsigned(fraction + 2), address)
    low = p.table("low_bits", [word % (1 << precision) for word in words], unsigned(precision), address)
    places = p.wire("places", mux(below_one, (-distance).wrapped(unsigned(format.exponent_bits)), 0))

    p.stage("Multiply by 2/pi.")
    upper = p.wire("upper", (x.significand * high)[: fraction + 2])
    lower = p.wire("lower", (x.significand * low) >> precision)
    p.stage("Add the products.")
    total = p.wire("total", (upper + lower)[: fraction + 2])
    p.stage("Shift for a number below 1.")
    return p.wire("turns", total >> places)


def _angle(p: Pipeline, turns: Signal, function: Literal["sine", "cosine"], bits: int) -> _Angle:
    """What is left of quarter turns after the nearest quarter."""
    fraction = turns.width - 2
    p.stage("Take the nearest quarter away.")
    quarter = p.wire("quarter", (turns[fraction:] + turns[fraction - 1] + int(function == "cosine"))[:2])
    rest = p.wire("rest", turns[:fraction].as_signed())
    magnitude = p.wire("rest_magnitude", mux(rest[-1], -rest, rest).as_unsigned()[:fraction])
    by_sine = p.wire("by_sine", ~quarter[0])
    p.stage("Count leading zeros.")
    zeros = significands.leading_zeros(p, "rest_zeros", magnitude)
    p.stage("Normalise the angle.")
    leading = p.wire("leading", (magnitude << zeros)[-bits:])
    is_tiny = p.wire("is_tiny", by_sine & (zeros >= (bits + 1) // 2))
    return _Angle(rest, by_sine, p.wire("is_back", quarter[1]), is_tiny, zeros, leading)


@dataclass(frozen=True, slots=True, eq=False)
class _Result:
    """A number: (-1)^is_negative significand 2^exponent, the significand between 1 and 2."""

    is_negative: Signal
    exponent: Signal
    significand: Signal


def _function_of(p: Pipeline, angle: _Angle, bits: int) -> _Result:
    """The sine or cosine of an angle."""
    steps = (bits + 1) // 2
    fraction, constant_bits = bits + steps + 2, bits - 2
    x, y, left = _rotated(p, angle.rest, steps, fraction)

    p.stage("Multiply the rest of the angle by pi/2.")
    radians = mux(angle.is_tiny, angle.leading, left) * (pi(constant_bits + 2) >> 3)
    product = p.wire("radians", radians)
    p.stage("Rotate by that rest.")
    small = (product >> constant_bits).resized(bits + 3)
    share = p.wire("share", small * (mux(angle.by_sine, x, y) >> (fraction - bits + 1)))
    base = p.wire("base", mux(angle.by_sine, y, x))
    p.stage("Add its share.")
    moved = share >> (bits - 1)
    total = p.wire("signed_value", mux(angle.by_sine, base + moved, base - moved).resized(fraction + 2))

    p.stage("Take the magnitude.")
    whole = mux(total[-1], -total, total).as_unsigned()[: fraction + 1]
    tiny = (product >> (bits + constant_bits - fraction)).as_unsigned()[: fraction + 1]
    magnitude = p.wire("value_magnitude", mux(angle.is_tiny, tiny, whole))
    negative = p.wire("is_negative", angle.is_negative ^ mux(angle.is_tiny, angle.rest[-1], total[-1]))
    p.stage("Count leading zeros of the value.")
    zeros = significands.leading_zeros(p, "value_zeros", magnitude)
    p.stage("Normalise.")
    exponent = p.wire("value_exponent", -zeros - mux(angle.is_tiny, angle.zeros, 0))
    return _Result(negative, exponent, p.wire("value_normal", (magnitude << zeros)[-bits - 2 :]))


def _rotated(p: Pipeline, rest: Signal, steps: int, fraction: int) -> tuple[Value, Value, Signal]:
    """A vector of length 1, rotated by nearly an angle, and what is left of the angle."""
    spare = rest.width - fraction
    left = p.wire("left0", rest >> spare if spare >= 0 else rest << -spare)
    type = signed(fraction + 2)
    x, y = const(rotation_gain(steps, fraction), type), const(0, type)
    for step in range(1, steps + 1):
        p.stage(f"Rotation {step}.")
        back = p.wire(f"back{step}", left[-1])
        turn, up, side = quarter_turns_of_step(step, fraction), x >> step, y >> step
        x, y, left = (
            p.wire(f"x{step}", mux(back, x + side, x - side).resized(fraction + 2)),
            p.wire(f"y{step}", mux(back, y - up, y + up).resized(fraction + 2)),
            p.wire(f"left{step}", mux(back, left + turn, left - turn).resized(fraction - step + 1)),
        )
    return x, y, left
