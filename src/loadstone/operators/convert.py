"""Conversions between integers and floating-point numbers, and among floating-point formats."""

from __future__ import annotations

from loadstone.operators import significands
from loadstone.operators.formats import Float
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.rtl import Bits, Signal, const, mux, unsigned


@shared
def make_from_integer(source: Bits, target: Float) -> Operator:
    """The floating-point number nearest to the integer a, the even one of two."""
    p = Pipeline(f"{target.name}_from_{_integer_name(source)}", f"a as a number in {target.name} precision.")
    a = p.operand("a", source)

    sign, whole = _sign_and_magnitude(p, a) if source.signed else (const(0), a)
    p.stage("Count leading zeros.")
    zeros = significands.leading_zeros(p, "zeros", whole)
    is_zero = p.wire("is_zero", ~whole.any())

    p.stage("Normalise.")
    padding = max(0, target.precision + 1 - whole.width)
    normal = p.wire("normal", (whole << zeros) << padding)
    exponent = p.wire("exponent", target.bias + whole.width - 1 - zeros)

    p.stage("Round.")
    magnitude = significands.rounded(p, target, exponent, normal, True)
    return p.finished(significands.chosen(target, sign, magnitude, nan=const(0), infinite=const(0), zero=is_zero))


@shared
def make_to_integer(source: Float, target: Bits) -> Operator:
    """The number a without its fraction, as C converts it.

    Where C leaves it open: the nearest integer of the type for numbers and infinities out of range, 0 for NaN.
    """
    p = Pipeline(f"{source.name}_to_{_integer_name(target)}", f"a of {source.name} precision, without its fraction.")
    a = p.operand("a", source.type)

    p.stage("Take apart.")
    x = significands.unpacked(p, source, a, True)
    nan = p.wire("not_a_number", x.is_nan)
    width = max(target.width, source.precision)
    last = source.bias + width - 1
    beyond = p.wire("beyond", x.is_infinite | (x.exponent > last))
    places = p.wire("places", (last - x.exponent).wrapped(unsigned(last.bit_length())))

    p.stage("Shift the point to the end.")
    wide = p.wire("wide", x.significand << (width - source.precision))
    whole = p.wire("whole", wide >> places)

    p.stage("Apply the sign, and stay in range.")
    limit = mux(x.sign, -target.minimum, target.maximum)
    too_large = p.wire("too_large", beyond | (whole > limit))
    extreme = mux(x.sign, target.minimum, target.maximum)
    signed_whole = mux(x.sign, -whole, whole).wrapped(target)
    return p.finished(mux(nan, 0, mux(too_large, extreme, signed_whole)).wrapped(target))


@shared
def make_convert(source: Float, target: Float, *, subnormals: bool = True) -> Operator:
    """The number of another format nearest to a, the even one of two."""
    name = significands.operator_name(source, f"to_{target.name}", subnormals)
    p = Pipeline(name, f"a of {source.name} precision in {target.name} precision.")
    a = p.operand("a", source.type)

    p.stage("Take apart.")
    x = significands.unpacked(p, source, a, subnormals)
    nan, infinite, zero = (
        p.wire(name, value)
        for name, value in (("not_a_number", x.is_nan), ("infinite", x.is_infinite), ("zero", x.is_zero))
    )
    exponent, significand = _fitted(p, source, target, x) if subnormals else _rebiased(p, source, target, x)

    p.stage("Round.")
    padding = max(0, target.precision + 1 - significand.width)
    padded = p.wire("padded", significand << padding)
    magnitude = significands.rounded(p, target, exponent, padded, subnormals)
    return p.finished(significands.chosen(target, x.sign, magnitude, nan=nan, infinite=infinite, zero=zero))


def _rebiased(p: Pipeline, source: Float, target: Float, x: significands.Unpacked) -> tuple[Signal, Signal]:
    """Exponent and significand with the bias of the target."""
    return p.wire("exponent", x.exponent + (target.bias - source.bias)), x.significand


def _fitted(p: Pipeline, source: Float, target: Float, x: significands.Unpacked) -> tuple[Signal, Signal]:
    """Exponent and significand in the range of the target.

    Subnormal numbers are shifted to the left for a larger range, as far as it reaches; small ones to the right for a
    smaller range.
    """
    exponent, significand = _rebiased(p, source, target, x)
    if target.bias < source.bias:
        exponent, places = significands.limited(p, exponent)
        p.stage("Shift for a subnormal result.")
        return exponent, significands.shifted_right(p, "denormal", significand, places)
    if target.bias == source.bias:
        return exponent, significand
    bound = (1 << x.significand.width) >> (1 + target.bias - source.bias)
    zeros = significands.leading_zeros(p, "zeros", p.wire("bounded", x.significand | bound))
    p.stage("Normalise.")
    return p.wire("scale", exponent - zeros), p.wire("normal", x.significand << zeros)


def _sign_and_magnitude(p: Pipeline, a: Signal) -> tuple[Signal, Signal]:
    """The parts of a signed integer, in a stage of their own."""
    p.stage("Take the magnitude.")
    sign = p.wire("sign", a[-1])
    return sign, p.wire("whole", mux(sign, -a, a).as_unsigned()[: a.width])


def _integer_name(type: Bits) -> str:
    return f"{'int' if type.signed else 'uint'}{type.width}"
