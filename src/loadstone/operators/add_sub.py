"""Floating-point sum and difference."""

from __future__ import annotations

from loadstone.operators import significands
from loadstone.operators.formats import Float
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.rtl import Signal, Value, cat, const, mux, repeat

EXTRA_BITS = 3


@shared
def make_add(format: Float, *, subnormals: bool = True) -> Operator:
    """a + b."""
    return _make_sum(format, "add", subnormals)


@shared
def make_subtract(format: Float, *, subnormals: bool = True) -> Operator:
    """a - b."""
    return _make_sum(format, "subtract", subnormals)


def _make_sum(format: Float, operation: str, subnormals: bool) -> Operator:
    """The larger operand plus or minus the smaller one, which is shifted to the exponent of the larger before."""
    sign = "+" if operation == "add" else "-"
    p = Pipeline(significands.operator_name(format, operation, subnormals), f"a {sign} b in {format.name} precision.")
    a, b = p.operand("a", format.type), p.operand("b", format.type)

    p.stage("Take apart, order by magnitude.")
    left, right = (significands.unpacked(p, format, each, subnormals) for each in (a, b))
    swap = p.wire("swap", a[:-1] < b[:-1])
    right_sign = p.wire("b_sign_used", right.sign if operation == "add" else ~right.sign)
    negative = p.wire("negative", mux(swap, right_sign, left.sign))
    opposite = p.wire("opposite", left.sign ^ right_sign)
    larger = p.wire("larger", mux(swap, right.significand, left.significand))
    smaller = p.wire("smaller", mux(swap, left.significand, right.significand))
    exponent = p.wire("exponent", mux(swap, right.exponent, left.exponent))
    distance = p.wire("exponent_distance", _distance(swap, left.exponent, right.exponent))
    infinite = p.wire("infinite", left.is_infinite | right.is_infinite)
    clash = left.is_infinite & right.is_infinite & opposite
    nan = p.wire("not_a_number", left.is_nan | right.is_nan | clash)

    p.stage("Align the smaller significand.")
    aligned = significands.shifted_right(p, "aligned", p.wire("wide", cat(smaller, _zeros(EXTRA_BITS))), distance)

    p.stage("Add or subtract.")
    total = p.wire("total", _total(larger, aligned, opposite))
    bound = p.wire("bound", const(1 << (total.width - 1)) >> exponent) if subnormals else const(0)

    p.stage("Count leading zeros; the exponent bounds the shift.")
    zeros = significands.leading_zeros(p, "zeros", p.wire("bounded", total | bound))
    is_zero = p.wire("is_zero", ~total.any())

    p.stage("Normalise.")
    normal = p.wire("normal", total << zeros)
    scale = p.wire("scale", exponent + 1 - zeros)

    p.stage("Round.")
    magnitude = significands.rounded(p, format, scale, normal, subnormals)
    result_sign = p.wire("result_sign", negative & ~(is_zero & opposite))
    return p.finished(significands.chosen(format, result_sign, magnitude, nan=nan, infinite=infinite, zero=is_zero))


def _distance(swap: Signal, left: Signal, right: Signal) -> Value:
    """The larger exponent minus the smaller one."""
    return mux(swap, right - left, left - right).as_unsigned()[: left.width]


def _zeros(count: int) -> Value:
    return repeat(const(0), count)


def _total(larger: Signal, aligned: Signal, opposite: Signal) -> Value:
    """Sum or difference of significands with one bit more, by one adder."""
    width = aligned.width + 1
    left, right = cat(0, larger, _zeros(EXTRA_BITS)), cat(0, aligned)
    return (left + mux(opposite, ~right, right) + opposite).resized(width)
