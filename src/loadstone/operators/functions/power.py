"""Powers: a^b = e^(b ln|a|), negative for a negative a and an odd b."""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.operators import significands
from loadstone.operators.formats import Float
from loadstone.operators.functions.exponential import GUARD_BITS, rounded_power, scaled_exponential, whole_bits
from loadstone.operators.functions.logarithm import Logarithm, leading_one, natural_logarithm
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.rtl import Signal, Value, mux, unsigned


@shared
def make_power(format: Float, *, subnormals: bool = True) -> Operator:
    """a^b, with the special cases of C's `pow` (annex F)."""
    p = Pipeline(significands.operator_name(format, "power", subnormals), f"a^b in {format.name} precision.")
    a, b = p.operand("a", format.type), p.operand("b", format.type)
    whole = whole_bits(format)

    p.stage("Take apart.")
    x, y = (significands.unpacked(p, format, each, subnormals) for each in (a, b))
    cases = _cases(p, format, x, y)
    parts = leading_one(p, "a", x, subnormals)
    log = natural_logarithm(p, format, *parts, format.precision + whole + GUARD_BITS)
    negative = p.wire("is_below_one", log.is_negative ^ y.sign)
    fixed, beyond = _product(p, format, log, y, negative, whole)

    power, scaled = scaled_exponential(p, fixed, format.precision + GUARD_BITS)
    magnitude = rounded_power(p, format, power, scaled, subnormals)
    extreme = p.wire("extreme", beyond | cases.is_extreme)
    above = p.wire("above", mux(cases.is_extreme, cases.is_large, ~negative))
    regular = significands.chosen(
        format, cases.sign, magnitude, nan=cases.is_nan, infinite=extreme & above, zero=extreme & ~above
    )
    return p.finished(mux(cases.is_one, format.bias << format.fraction_bits, regular))


@dataclass(frozen=True, slots=True, eq=False)
class _Cases:
    """What decides on a power besides b ln|a|.

    It is 1 for a zero b and for a = 1, also where the other one is NaN, and for a = -1 and an infinite b. It is
    extreme, infinite or zero, where |a| or |b| is infinite or a is zero.
    """

    is_one: Signal
    is_nan: Signal
    sign: Signal
    is_extreme: Signal
    is_large: Signal


def _cases(p: Pipeline, format: Float, x: significands.Unpacked, y: significands.Unpacked) -> _Cases:
    """The special cases, found in the stage that takes the operands apart."""
    x_infinite, y_infinite = p.wire("a_infinite", x.is_infinite), p.wire("b_infinite", y.is_infinite)
    x_zero, y_zero = p.wire("a_zero", x.is_zero), p.wire("b_zero", y.is_zero)
    is_whole, is_odd = _wholeness(p, format, y)
    is_unit = p.wire("is_unit", (x.exponent == format.bias) & ~x.significand[:-1].any())
    root = x.sign & ~x_zero & ~x_infinite & ~y_infinite & ~is_whole
    exceeds_one = p.wire("exceeds_one", x.exponent >= format.bias)
    return _Cases(
        is_one=p.wire("is_one", y_zero | (is_unit & (~x.sign | y_infinite))),
        is_nan=p.wire("not_a_number", x.is_nan | y.is_nan | root),
        sign=p.wire("sign", x.sign & is_odd),
        is_extreme=p.wire("is_extreme", x_infinite | x_zero | y_infinite),
        is_large=p.wire("is_large", exceeds_one ^ y.sign),
    )


def _wholeness(p: Pipeline, format: Float, y: significands.Unpacked) -> tuple[Signal, Signal]:
    """Whether a number that is not zero is an integer, and whether an odd one; infinities are even integers."""
    places = p.wire("b_places", (y.exponent - format.bias).wrapped(unsigned(format.exponent_bits)))
    below_one = y.exponent < format.bias
    far = p.wire("b_is_far", y.exponent >= format.bias + format.precision)
    unit = p.wire("b_unit", (y.significand << places).resized(format.precision))
    is_whole = p.wire("b_is_whole", far | (~below_one & ~unit[:-1].any()))
    return is_whole, p.wire("b_is_odd", is_whole & ~far & unit[-1])


def _product(
    p: Pipeline, format: Float, log: Logarithm, y: significands.Unpacked, negative: Signal, whole: int
) -> tuple[Signal, Value]:
    """b ln|a| with `whole` + 1 bits before the point and an exponential's bits behind it; whether it is beyond."""
    p.stage("Multiply the logarithm by b.")
    product = p.wire("product", log.significand * y.significand)
    scale = p.wire("scale", log.exponent + y.exponent - format.bias)

    p.stage("Shift the point to its place.")
    beyond = p.wire("beyond", (scale >= whole) & ~log.is_zero)
    places = (whole - 1 - scale).wrapped(unsigned(format.exponent_bits + 3))
    width = whole + 1 + format.precision + GUARD_BITS
    magnitude = p.wire("fixed_magnitude", mux(log.is_zero, 0, product[-width:] >> p.wire("places", places)))
    return p.wire("fixed", mux(negative, -magnitude, magnitude)), beyond
