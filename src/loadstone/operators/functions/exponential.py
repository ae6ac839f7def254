"""The exponential function: e^x = 2^k y, y as a product of factors 1 + 2^-i, found one by one.

What is left of x - k ln(2) decides whether a factor fits: ln(1 + 2^-i) is then taken away from it, and y grows by
y / 2^i. After half of the bits the rest r is so small that y (1 + r) is as good as y e^r [Muller 2016, chapter 8].
"""

from __future__ import annotations

from loadstone.operators import significands
from loadstone.operators.formats import Float
from loadstone.operators.functions.constants import log_of_step, log_of_two
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.rtl import Signal, Value, cat, const, mux, unsigned

GUARD_BITS = 10
"""Bits that are computed beyond the precision of a result."""

_ESTIMATE_BITS = 5


@shared
def make_exponential(format: Float, *, subnormals: bool = True) -> Operator:
    """e^a."""
    p = Pipeline(significands.operator_name(format, "exponential", subnormals), f"e^a in {format.name} precision.")
    a = p.operand("a", format.type)
    whole, fraction = whole_bits(format), format.precision + GUARD_BITS

    p.stage("Take apart.")
    x = significands.unpacked(p, format, a, subnormals)
    nan, infinite = p.wire("not_a_number", x.is_nan), p.wire("infinite", x.is_infinite)
    last = format.bias + whole - 1
    beyond = p.wire("beyond", infinite | (x.exponent > last))
    places = p.wire("places", (last - x.exponent).wrapped(unsigned(format.exponent_bits + 1)))

    p.stage("Shift the point to its place.")
    wide = p.wire("wide", x.significand << (whole + fraction - format.precision))
    magnitude = p.wire("fixed_magnitude", wide >> places)
    fixed = p.wire("fixed", mux(x.sign, -magnitude, magnitude))

    power, scaled = scaled_exponential(p, fixed, fraction)
    result = rounded_power(p, format, power, scaled, subnormals)
    return p.finished(
        significands.chosen(format, const(0), result, nan=nan, infinite=beyond & ~x.sign, zero=beyond & x.sign)
    )


def whole_bits(format: Float) -> int:
    """The least bits such that e^x is infinite and e^-x is 0 for all x from 2^bits on."""
    bits = 1
    while 1 << bits < 0.694 * (format.bias + format.precision + 1):
        bits += 1
    return bits


def scaled_exponential(p: Pipeline, x: Signal, fraction: int) -> tuple[Signal, Signal]:
    """k and y with e^x = 2^k y, for a signed x with some bits of fraction; y has two more, and is 1 at least."""
    power = _power_of_two(p, x, fraction)
    p.stage("Take that power away.")
    extra = power.width
    rest = p.wire("rest0", _unsigned(((x << extra) - power * log_of_two(fraction + extra)) >> extra, fraction))
    product = const(1 << fraction, unsigned(fraction + 2))
    count = (fraction + 1) // 2
    for step in range(1, count + 1):
        rest, product = _factor(p, step, rest, product, fraction)

    p.stage("Multiply by the rest.")
    share = p.wire("share", (product >> count) * rest)
    p.stage("Add that share.")
    total = product + (share >> (fraction - count))
    return power, p.wire("scaled", total.resized(fraction + 2))


def _power_of_two(p: Pipeline, x: Signal, fraction: int) -> Signal:
    """k such that x - k ln(2) is not negative and below 0.76: x / ln(2), estimated by less, and rounded down."""
    p.stage("Estimate the power of two.")
    top = x >> (fraction - _ESTIMATE_BITS)
    bits = top.width + 2
    inverse = round((1 << 2 * bits) / log_of_two(bits))
    return p.wire("power", ((top - 1) * inverse) >> (bits + _ESTIMATE_BITS))


def _factor(p: Pipeline, step: int, rest: Signal, product: Value, fraction: int) -> tuple[Signal, Signal]:
    """The rest and the product after the factor 1 + 2^-step, if it fits."""
    p.stage(f"Factor {step} of the product.")
    left = p.wire(f"left{step}", rest - log_of_step(step, fraction))
    fits = p.wire(f"fits{step}", ~left[-1])
    width = min(rest.width, fraction - step + 1)
    grown = product + mux(fits, product >> step, 0)
    return (
        p.wire(f"rest{step}", mux(fits, _unsigned(left, width), rest[:width])),
        p.wire(f"product{step}", grown.resized(fraction + 2)),
    )


def rounded_power(p: Pipeline, format: Float, power: Signal, scaled: Signal, subnormals: bool) -> Signal:
    """The bits of 2^power scaled, in stages of their own."""
    p.stage("Normalise by one place.")
    normal = p.wire("normal", mux(scaled[-1], scaled, cat(scaled[:-1], const(0))))
    exponent = p.wire("exponent", power + format.bias + scaled[-1])
    if subnormals:
        exponent, places = significands.limited(p, exponent)
        p.stage("Shift for a subnormal result.")
        normal = significands.shifted_right(p, "denormal", normal, places)
    p.stage("Round.")
    return significands.rounded(p, format, exponent, normal, subnormals)


def _unsigned(value: Value, width: int) -> Value:
    """A value known to be no negative number, in some bits."""
    return value.as_unsigned()[:width]
