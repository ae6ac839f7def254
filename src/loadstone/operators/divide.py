"""Floating-point quotient."""

from __future__ import annotations

from loadstone.operators import significands
from loadstone.operators.formats import Float
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.operators.recurrence import divided
from loadstone.rtl import cat, mux


@shared
def make_divide(format: Float, *, subnormals: bool = True, bits_per_stage: int = 1) -> Operator:
    """a / b, some bits of the quotient in each stage."""
    name = f"{significands.operator_name(format, 'divide', subnormals)}_by_{bits_per_stage}"
    p = Pipeline(name, f"a / b in {format.name} precision.")
    a, b = p.operand("a", format.type), p.operand("b", format.type)

    p.stage("Take apart.")
    left, right = (significands.unpacked(p, format, each, subnormals) for each in (a, b))
    sign = p.wire("sign", left.sign ^ right.sign)
    infinite = p.wire("infinite", left.is_infinite | right.is_zero)
    zero = p.wire("zero", left.is_zero | right.is_infinite)
    both = (left.is_zero & right.is_zero) | (left.is_infinite & right.is_infinite)
    nan = p.wire("not_a_number", left.is_nan | right.is_nan | both)
    dividend, divisor = left.significand, right.significand
    a_scale, b_scale = left.exponent, right.exponent
    if subnormals:
        a_zeros, b_zeros = (
            significands.leading_zeros(p, f"{n}_zeros", x.significand) for n, x in (("a", left), ("b", right))
        )
        p.stage("Normalise the operands.")
        a_scale, dividend = significands.normalised(p, "a", left, a_zeros)
        b_scale, divisor = significands.normalised(p, "b", right, b_zeros)
    scale = p.wire("scale", a_scale - b_scale + format.bias)
    digit = p.wire("last_digit", dividend[0])
    start = p.wire("first_digits", dividend[1:])
    quotient, remainder = divided(p, start, digit, format.precision + 1, divisor, bits_per_stage)

    p.stage("Normalise by one place.")
    with_sticky = p.wire("with_sticky", cat(quotient, remainder.any()))
    lacks_one = p.wire("lacks_one", ~quotient[-1])
    significand = p.wire("significand", mux(lacks_one, with_sticky << 1, with_sticky).resized(with_sticky.width))
    exponent = p.wire("exponent", scale - lacks_one)
    if subnormals:
        exponent, places = significands.limited(p, exponent)
        p.stage("Shift for a subnormal result.")
        significand = significands.shifted_right(p, "denormal", significand, places)

    p.stage("Round.")
    magnitude = significands.rounded(p, format, exponent, significand, subnormals)
    return p.finished(significands.chosen(format, sign, magnitude, nan=nan, infinite=infinite, zero=zero))
