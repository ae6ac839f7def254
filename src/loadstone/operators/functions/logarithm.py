"""The natural logarithm: ln(2^k m) = k ln(2) + ln(m), m between 3/4 and 3/2 brought to 1 by factors 1 - 2^-i, 1 + 2^-i.

u = m - 1 decides on a factor: it is taken where u is beyond 2^-(i+1), against the sign of u. Then |u| stays below 2^-i:
before a factor it is at most 2h / (1 + 4h) with h = 2^-i, so after it at most h (1 - 2h) / (1 + 4h), and a factor that
u is just large enough for leaves h/2 (1 + h). After half of the bits u - u^2/2 is as good as ln(1 + u). Where k is 0
the result may be as small as u, so that it is kept to that many more places.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.operators import significands
from loadstone.operators.formats import Float
from loadstone.operators.functions.constants import log_of_step, log_of_step_down, log_of_two
from loadstone.operators.functions.exponential import GUARD_BITS
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.rtl import Signal, Value, const, mux


@dataclass(frozen=True, slots=True, eq=False)
class Logarithm:
    """A logarithm: (-1)^is_negative significand 2^exponent, the significand between 1 and 2; or 0."""

    is_negative: Signal
    is_zero: Signal
    exponent: Signal
    significand: Signal


@shared
def make_logarithm(format: Float, *, subnormals: bool = True) -> Operator:
    """ln(a); -infinity for a zero, NaN for negative numbers."""
    p = Pipeline(significands.operator_name(format, "logarithm", subnormals), f"ln(a) in {format.name} precision.")
    a = p.operand("a", format.type)

    p.stage("Take apart.")
    x = significands.unpacked(p, format, a, subnormals)
    infinite, zero = p.wire("infinite", x.is_infinite), p.wire("zero", x.is_zero)
    nan = p.wire("not_a_number", x.is_nan | (x.sign & ~zero))
    found = natural_logarithm(p, format, *leading_one(p, "a", x, subnormals), format.precision + GUARD_BITS)

    exponent = p.wire("exponent", found.exponent + format.bias)
    significand = found.significand
    if subnormals and format.bias <= format.precision:
        exponent, places = significands.limited(p, exponent)
        p.stage("Shift for a subnormal result.")
        significand = significands.shifted_right(p, "denormal", significand, places)
    p.stage("Round.")
    magnitude = significands.rounded(p, format, exponent, significand, subnormals)
    sign = zero | (found.is_negative & ~infinite)
    return p.finished(
        significands.chosen(format, sign, magnitude, nan=nan, infinite=infinite | zero, zero=found.is_zero)
    )


def leading_one(p: Pipeline, name: str, x: significands.Unpacked, subnormals: bool) -> tuple[Signal, Signal]:
    """Exponent and significand of a number, in a stage of their own where it may be subnormal."""
    if not subnormals:
        return x.exponent, x.significand
    zeros = significands.leading_zeros(p, f"{name}_zeros", x.significand)
    p.stage(f"Normalise {name}.")
    return significands.normalised(p, name, x, zeros)


def natural_logarithm(p: Pipeline, format: Float, exponent: Signal, significand: Signal, bits: int) -> Logarithm:
    """The logarithm of a number with a leading one, so many bits of it."""
    power_bits = (format.bias + format.precision).bit_length()
    steps = (bits + 1) // 2
    low = max(format.precision + bits, bits + steps + 2, bits + power_bits + 2)

    p.stage("Choose the power of two that leaves a number near to 1.")
    high = p.wire("high", significand[-2])
    power = p.wire("power", exponent + high - format.bias)
    one = 1 << format.precision
    distance = p.wire("distance", mux(high, significand - one, (significand << 1) - one).resized(format.precision))
    is_alone = p.wire("is_alone", power == 0)
    total = _of_near_one(p, distance, bits, low)

    p.stage("Add the logarithm of the power of two.")
    powers = power * log_of_two(low - power_bits)
    signed_sum = p.wire("signed_sum", mux(is_alone, total, powers + (total >> power_bits)).resized(low + 2))
    return _normalised(p, signed_sum, mux(is_alone, 0, power_bits), bits + 2)


def _of_near_one(p: Pipeline, distance: Signal, bits: int, low: int) -> Signal:
    """ln(1 + distance), a multiple of 2^-low, so many bits of it."""
    steps = (bits + 1) // 2
    fraction = bits + steps + 2
    u = p.wire("u1", (distance << (fraction - distance.width)).resized(fraction))
    found: Value = const(0)
    for step in range(2, steps + 1):
        u, found = _factor(p, step, u, found, fraction)

    p.stage("Square the rest.")
    short = u >> (fraction - bits)
    square = p.wire("square", short * short)
    linear = p.wire("linear", found + u)
    p.stage("Take half of the square away.")
    return p.wire("of_near_one", ((linear << (low - fraction)) - (square >> (2 * bits + 1 - low))).resized(low + 1))


def _factor(p: Pipeline, step: int, u: Signal, found: Value, fraction: int) -> tuple[Signal, Signal]:
    """The distance from 1 and the logarithm found after one factor, 1 - 2^-step or 1 + 2^-step or none."""
    p.stage(f"Factor {step}.")
    units = u >> (fraction - step - 1)
    down, up = p.wire(f"down{step}", units > 0), p.wire(f"up{step}", units < -1)
    moved = (u >> step) + (1 << (fraction - step))
    changed = mux(down, u - moved, mux(up, u + moved, u))
    logs = mux(down, log_of_step_down(step, fraction), mux(up, -log_of_step(step, fraction), 0))
    return (
        p.wire(f"u{step}", changed.resized(fraction - step + 2)),
        p.wire(f"found{step}", (found + logs).resized(fraction + 1)),
    )


def _normalised(p: Pipeline, value: Signal, point: Value, bits: int) -> Logarithm:
    """A signed number in its form with a leading one; its sign bit counts -2 * 2^point."""
    scale = p.wire("point", point)
    p.stage("Take the magnitude.")
    negative = p.wire("is_negative", value[-1])
    magnitude = p.wire("log_magnitude", mux(negative, -value, value).as_unsigned()[: value.width - 1])
    p.stage("Count leading zeros.")
    zeros = significands.leading_zeros(p, "log_zeros", magnitude)
    is_zero = p.wire("is_zero", ~magnitude.any())
    p.stage("Normalise.")
    exponent = p.wire("log_exponent", scale - zeros)
    return Logarithm(negative, is_zero, exponent, p.wire("log_normal", (magnitude << zeros)[-bits:]))
