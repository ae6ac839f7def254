"""Fixed-point operators: the exact result, brought to a format by rounding, and by saturation or wrapping.

`truncate` rounds down, `nearest` to the nearest number, the greater of two, `nearest_even` to the even one of two.
"""

from __future__ import annotations

from typing import Literal, assert_never

from loadstone.operators import significands
from loadstone.operators.formats import Fixed, Float
from loadstone.operators.integer import magnitudes_divided
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.rtl import Bits, Signal, Value, cat, const, mux, unsigned

FixedRounding = Literal["truncate", "nearest", "nearest_even"]
Overflow = Literal["saturate", "wrap"]


@shared
def make_fixed_convert(
    source: Fixed, target: Fixed, *, rounding: FixedRounding = "truncate", overflow: Overflow = "wrap"
) -> Operator:
    """a in another format."""
    p = _pipeline("convert", (source,), target, rounding, overflow)
    a = p.operand("a", source.type)
    return p.finished(_quantised(p, a, source.fraction_bits, target, rounding, overflow))


@shared
def make_fixed_add(
    left: Fixed, right: Fixed, target: Fixed, *, rounding: FixedRounding = "truncate", overflow: Overflow = "wrap"
) -> Operator:
    """a + b."""
    p = _pipeline("add", (left, right), target, rounding, overflow)
    fraction, (a, b) = _aligned(p, left, right)
    p.stage("Add.")
    return p.finished(_quantised(p, p.wire("exact", a + b), fraction, target, rounding, overflow))


@shared
def make_fixed_subtract(
    left: Fixed, right: Fixed, target: Fixed, *, rounding: FixedRounding = "truncate", overflow: Overflow = "wrap"
) -> Operator:
    """a - b."""
    p = _pipeline("subtract", (left, right), target, rounding, overflow)
    fraction, (a, b) = _aligned(p, left, right)
    p.stage("Subtract.")
    return p.finished(_quantised(p, p.wire("exact", a - b), fraction, target, rounding, overflow))


@shared
def make_fixed_multiply(
    left: Fixed, right: Fixed, target: Fixed, *, rounding: FixedRounding = "truncate", overflow: Overflow = "wrap"
) -> Operator:
    """a * b."""
    p = _pipeline("multiply", (left, right), target, rounding, overflow)
    a, b = p.operand("a", left.type), p.operand("b", right.type)
    p.stage("Take the operands.")
    p.stage("Multiply.")
    exact = p.wire("exact", a * b)
    return p.finished(_quantised(p, exact, left.fraction_bits + right.fraction_bits, target, rounding, overflow))


@shared
def make_fixed_divide(
    left: Fixed,
    right: Fixed,
    target: Fixed,
    *,
    rounding: FixedRounding = "truncate",
    overflow: Overflow = "wrap",
    bits_per_stage: int = 1,
) -> Operator:
    """a / b; 0 for b = 0.

    The quotient is found to one bit more than the target has, with a last bit that says whether there is a remainder.
    """
    p = _pipeline("divide", (left, right), target, rounding, overflow, f"_by_{bits_per_stage}")
    a, b = p.operand("a", left.type), p.operand("b", right.type)
    zeros = max(0, target.fraction_bits + 1 - (left.fraction_bits - right.fraction_bits))
    fraction = left.fraction_bits - right.fraction_bits + zeros
    parts = magnitudes_divided(p, a, b, zeros, bits_per_stage)
    p.stage("Apply the signs.")
    down = p.wire("down", parts.quotient_by("floor"))
    quotient = cat(down, parts.remainder.any()).wrapped(Bits(down.width + 1, down.bits.signed))
    exact = p.wire("exact", mux(parts.divisor.any(), quotient, 0).wrapped(quotient.bits))
    return p.finished(_quantised(p, exact, fraction + 1, target, rounding, overflow))


@shared
def make_fixed_from_float(
    source: Float, target: Fixed, *, rounding: FixedRounding = "truncate", overflow: Overflow = "wrap"
) -> Operator:
    """The floating-point number a in fixed point; 0 for NaN, and an infinity is out of range, with zeros at its end.

    The significand stands above the target's bits and two more, and is shifted down: a half, and whether there is less.
    """
    name = f"fixed_from_{source.name}_{target.name}_{rounding}_{overflow}"
    p = Pipeline(
        name, f"a of {source.name} precision, with {target.fraction_bits} bits of {target.width} after the point."
    )
    a = p.operand("a", source.type)

    p.stage("Take apart.")
    x = significands.unpacked(p, source, a, True)
    nan = p.wire("not_a_number", x.is_nan)
    total = source.precision + target.width + 2
    down = target.width + source.bias + source.precision - 1 - target.fraction_bits - x.exponent
    places = p.wire(
        "places",
        mux((down < 0) | x.is_infinite, 0, mux(down > total, total, down)).wrapped(unsigned(total.bit_length())),
    )

    p.stage("Shift the point to the end.")
    wide = p.wire("wide", x.significand << (target.width + 2))
    whole = significands.shifted_right(p, "whole", wide, places)

    p.stage("Apply the sign.")
    exact = p.wire("exact", mux(nan, 0, mux(x.sign, -whole, whole)))
    return p.finished(_quantised(p, exact, target.fraction_bits + 2, target, rounding, overflow))


def _pipeline(
    operation: str,
    sources: tuple[Fixed, ...],
    target: Fixed,
    rounding: FixedRounding,
    overflow: Overflow,
    ending: str = "",
) -> Pipeline:
    """An empty pipeline with a name that says all."""
    formats = "_".join(each.name for each in (*sources, target))
    symbol = {"convert": "a", "add": "a + b", "subtract": "a - b", "multiply": "a * b", "divide": "a / b"}[operation]
    comment = f"{symbol} in fixed point, {target.fraction_bits} bits of {target.width} after the point."
    return Pipeline(f"fixed_{operation}_{formats}_{rounding}_{overflow}{ending}", comment)


def _aligned(p: Pipeline, left: Fixed, right: Fixed) -> tuple[int, tuple[Value, Value]]:
    """Two new operands with as many bits after the point as the more precise one, and their number."""
    fraction = max(left.fraction_bits, right.fraction_bits)
    a, b = p.operand("a", left.type), p.operand("b", right.type)
    return fraction, (a << (fraction - left.fraction_bits), b << (fraction - right.fraction_bits))


def _quantised(
    p: Pipeline, exact: Signal, fraction_bits: int, target: Fixed, rounding: FixedRounding, overflow: Overflow
) -> Value:
    """A number with some bits after the point in the target's format, in a stage of its own."""
    p.stage("Round, and fit into the result.")
    number = p.wire("nearby", _rounded(exact, fraction_bits - target.fraction_bits, rounding))
    if overflow == "wrap":
        return number.wrapped(target.type)
    least, greatest = target.type.minimum, target.type.maximum
    return mux(number > greatest, greatest, mux(number < least, least, number)).wrapped(target.type)


def _rounded(exact: Signal, lost: int, rounding: FixedRounding) -> Value:
    """A number without its last bits; a negative number of them adds zeros."""
    if lost <= 0:
        return exact << -lost
    wide = exact.resized(max(exact.width, lost + 1))
    kept = wide >> lost
    below = wide[: lost - 1].any() if lost > 1 else const(0)
    match rounding:
        case "truncate":
            return kept
        case "nearest":
            return kept + wide[lost - 1]
        case "nearest_even":
            return kept + (wide[lost - 1] & (below | kept[0]))
        case _:
            assert_never(rounding)
