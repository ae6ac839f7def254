"""Floating-point product."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from loadstone.operators import significands
from loadstone.operators.formats import Float
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.rtl import Signal, Value, cat, const, mux, unsigned


@shared
def make_multiply(format: Float, *, subnormals: bool = True, part_bits: int = 0) -> Operator:
    """a * b. The significands are multiplied at once, which leaves it to synthesis how that is done.

    With `part_bits`, the bits that a multiplier block takes, they are multiplied in parts of so many bits at most, and
    two more stages add these products up.
    """
    name = significands.operator_name(format, "multiply", subnormals) + (f"_parts_{part_bits}" if part_bits else "")
    p = Pipeline(name, f"a * b in {format.name} precision.")
    a, b = p.operand("a", format.type), p.operand("b", format.type)

    p.stage("Take apart.")
    left, right = (significands.unpacked(p, format, each, subnormals) for each in (a, b))
    sign = p.wire("sign", left.sign ^ right.sign)
    infinite = p.wire("infinite", left.is_infinite | right.is_infinite)
    zero = p.wire("zero", left.is_zero | right.is_zero)
    nan = p.wire("not_a_number", left.is_nan | right.is_nan | (infinite & zero))
    scale = p.wire("scale", left.exponent + right.exponent - (format.bias - 1))
    counts = _zeros(p, left, right) if subnormals else None

    p.stage("Multiply.")
    product = p.wire("product", _product(p, left.significand, right.significand, part_bits))
    exponent, scaled = _scaled(p, format, scale, product, *counts) if counts is not None else (scale, product)

    p.stage("Normalise by one place.")
    lacks_one = p.wire("lacks_one", ~scaled[-1] & ((exponent != 1) if subnormals else const(1)))
    normal = p.wire("normal", _shortened(mux(lacks_one, scaled << 1, scaled).resized(scaled.width), format))
    final_exponent = p.wire("final_exponent", exponent - lacks_one)

    p.stage("Round.")
    magnitude = significands.rounded(p, format, final_exponent, normal, subnormals)
    return p.finished(significands.chosen(format, sign, magnitude, nan=nan, infinite=infinite, zero=zero))


def _product(p: Pipeline, left: Signal, right: Signal, part_bits: int) -> Value:
    """A product, or the sum of the products of parts, for which two stages are begun."""
    if part_bits == 0:
        return left * right
    places = range(0, left.width, part_bits)
    rows = [
        [p.wire(f"product_{i}_{j}", _part(left, i, part_bits) * _part(right, j, part_bits)) for i in places]
        for j in places
    ]
    p.stage("Add the products for each part of b.")
    sums = [p.wire(f"row_{j}", _sum(row, part_bits)) for j, row in zip(places, rows, strict=True)]
    p.stage("Add these sums.")
    return _sum(sums, part_bits).resized(left.width + right.width)


def _part(value: Signal, place: int, part_bits: int) -> Value:
    return value[place : min(place + part_bits, value.width)]


def _sum(values: Sequence[Signal], part_bits: int) -> Value:
    """The sum of values, each of which counts 2^part_bits times as much as the one before."""
    shifted: list[Value] = [value << position * part_bits for position, value in enumerate(values)]
    return reduce(lambda total, value: total + value, shifted)


def _zeros(p: Pipeline, left: significands.Unpacked, right: significands.Unpacked) -> tuple[Signal, Signal]:
    """The leading zeros of both significands."""
    return significands.leading_zeros(p, "a_zeros", left.significand), significands.leading_zeros(
        p, "b_zeros", right.significand
    )


def _scaled(
    p: Pipeline, format: Float, scale: Signal, product: Signal, a_zeros: Signal, b_zeros: Signal
) -> tuple[Signal, Signal]:
    """Exponent and product, shifted to the left by its zeros as far as the exponent allows, or to the right if it must.

    A product has the leading zeros of both significands, or one more. The shift takes a stage of its own.
    """
    zeros = p.wire("zeros", a_zeros + b_zeros)
    room = p.wire("room", scale - 1)
    too_small = p.wire("too_small", room < 0)
    up = p.wire("shift_up", mux(room < zeros, room, zeros).as_unsigned()[: zeros.width])
    down = p.wire("shift_down", (-room).wrapped(unsigned(room.width)))

    p.stage("Shift by the leading zeros of subnormal operands, or for a subnormal result.")
    raised = p.wire("raised", product << up)
    short = p.wire("short_product", _shortened(product, format))
    lowered = significands.shifted_right(p, "lowered", short, down)
    scaled = p.wire("scaled", mux(too_small, lowered << (product.width - lowered.width), raised))
    return p.wire("exponent", mux(too_small, 1, scale - up)), scaled


def _shortened(product: Value, format: Float) -> Value:
    """The highest bits of a product, with a last one for all others."""
    low = product.width - format.precision - 2
    return cat(product[low:], product[:low].any())
