"""Floating-point square root."""

from __future__ import annotations

from loadstone.operators import significands
from loadstone.operators.formats import Float
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.operators.recurrence import square_root
from loadstone.rtl import cat, const, mux


@shared
def make_square_root(format: Float, *, subnormals: bool = True, bits_per_stage: int = 1) -> Operator:
    """The square root of a, some bits of it in each stage; that of -0 is -0, that of less is NaN."""
    name = f"{significands.operator_name(format, 'square_root', subnormals)}_by_{bits_per_stage}"
    p = Pipeline(name, f"The square root of a in {format.name} precision.")
    a = p.operand("a", format.type)

    p.stage("Take apart.")
    x = significands.unpacked(p, format, a, subnormals)
    infinite, zero = p.wire("infinite", x.is_infinite), p.wire("zero", x.is_zero)
    nan = p.wire("not_a_number", x.is_nan | (x.sign & ~zero))
    scale, significand = x.exponent, x.significand
    if subnormals:
        zeros = significands.leading_zeros(p, "zeros", x.significand)
        p.stage("Normalise the operand.")
        scale, significand = significands.normalised(p, "a", x, zeros)
    doubled = p.wire("doubled_exponent", scale + format.bias)
    radicand = p.wire("radicand", mux(doubled[0], cat(significand, const(0)), cat(const(0), significand)))
    digits = p.wire("digits", radicand if radicand.width % 2 == 0 else cat(radicand, const(0)))
    exponent = p.wire("exponent", doubled >> 1)
    root, remainder = square_root(p, digits, format.precision + 1, bits_per_stage)

    p.stage("Note a remainder.")
    final = p.wire("with_sticky", cat(root, remainder.any()))
    if subnormals and format.bias <= format.fraction_bits:
        exponent, places = significands.limited(p, exponent)
        p.stage("Shift for a subnormal result.")
        final = significands.shifted_right(p, "denormal", final, places)

    p.stage("Round.")
    magnitude = significands.rounded(p, format, exponent, final, subnormals)
    return p.finished(significands.chosen(format, x.sign, magnitude, nan=nan, infinite=infinite, zero=zero))
