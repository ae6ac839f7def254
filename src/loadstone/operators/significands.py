"""What floating-point operators have in common: operands taken apart, leading zeros, shifts, rounding, special results.

Exponents are biased as in the format, and may leave its range on the way. A significand is a fraction whose highest bit
counts 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.operators.formats import Float
from loadstone.operators.pipeline import Pipeline
from loadstone.rtl import Signal, Value, address_width, cat, const, mux, unsigned


@dataclass(frozen=True, slots=True, eq=False)
class Unpacked:
    """The parts of a number: its value is significand * 2^(exponent - bias), unless it is infinite or NaN.

    What is without a name is to get one in the same stage.
    """

    sign: Signal
    exponent: Signal
    significand: Signal
    is_zero: Value
    is_infinite: Value
    is_nan: Value


def operator_name(format: Float, operation: str, subnormals: bool) -> str:
    """A name for the module of an operator."""
    return f"{format.name}_{operation}" + ("" if subnormals else "_flush")


def unpacked(p: Pipeline, format: Float, operand: Signal, subnormals: bool) -> Unpacked:
    """The parts of an operand; a subnormal one has exponent 1 and a leading zero, or counts as zero."""
    name = operand.name
    field = p.wire(f"{name}_field", operand[format.fraction_bits : -1])
    fraction = p.wire(f"{name}_fraction", operand[: format.fraction_bits])
    is_normal = p.wire(f"{name}_is_normal", field.any())
    is_special = p.wire(f"{name}_is_special", field.all())
    kept = fraction if subnormals else mux(is_normal, fraction, 0)
    return Unpacked(
        sign=p.wire(f"{name}_sign", operand[-1]),
        exponent=p.wire(f"{name}_exponent", cat(field[1:], field[0] | ~is_normal)),
        significand=p.wire(f"{name}_significand", cat(is_normal, kept)),
        is_zero=~operand[:-1].any() if subnormals else ~is_normal,
        is_infinite=is_special & ~fraction.any(),
        is_nan=is_special & fraction.any(),
    )


def leading_zeros(p: Pipeline, name: str, value: Signal) -> Signal:
    """The number of zeros above the highest one; 0 for the value 0.

    All bits below the highest one are filled; the only one that then differs from the bit above it says the number.
    """
    filled, distance = value, 1
    while distance < value.width:
        filled = p.wire(f"{name}_filled_{2 * distance}", filled | filled >> distance)
        distance *= 2
    first = p.wire(f"{name}_first_one", filled ^ filled >> 1)
    bits = reversed(range(address_width(value.width)))
    return p.wire(name, cat(*((first & _places_with_bit(value.width, bit)).any() for bit in bits)))


def _places_with_bit(width: int, bit: int) -> int:
    """The places whose distance from the top has a bit set, as a number with ones there."""
    return sum(1 << (width - 1 - zeros) for zeros in range(width) if zeros >> bit & 1)


def shifted_right(p: Pipeline, name: str, value: Signal, amount: Signal) -> Signal:
    """A value shifted, with the lowest bit also set where a bit that is set was lost."""
    ones = const(value.bits.maximum, value.bits)
    lost = p.wire(f"{name}_sticky", (value & ~(ones << amount)).any())
    moved = p.wire(f"{name}_moved", value >> amount)
    return p.wire(name, cat(moved[1:], moved[0] | lost))


def normalised(p: Pipeline, name: str, x: Unpacked, zeros: Signal) -> tuple[Signal, Signal]:
    """Exponent and significand with a leading one, from the number of its leading zeros."""
    return p.wire(f"{name}_scale", x.exponent - zeros), p.wire(f"{name}_normal", x.significand << zeros)


def limited(p: Pipeline, exponent: Signal) -> tuple[Signal, Signal]:
    """The exponent, 1 at least, and the places by which a significand is to be shifted to the right for that."""
    is_small = p.wire("is_small", exponent < 1)
    places = mux(is_small, (1 - exponent).wrapped(unsigned(exponent.width)), 0)
    return p.wire("final_exponent", mux(is_small, 1, exponent)), p.wire("too_small_by", places)


def rounded(p: Pipeline, format: Float, exponent: Signal, significand: Signal, subnormals: bool) -> Signal:
    """The bits of a magnitude, rounded to nearest even; infinity where it is too large.

    Bits beyond the precision count by the first of them and whether others are set. With subnormal numbers, one without
    leading one has the exponent 1; without them, what is below the least normal number after rounding is zero. A carry
    out of the fraction goes to the exponent as it should, also from subnormal to normal numbers and to infinity.
    """
    extra = significand.width - format.precision
    kept = p.wire("kept", significand[extra:])
    below = significand[: extra - 1].any() if extra > 1 else const(0)
    up = p.wire("round_up", significand[extra - 1] & (below | kept[0]))
    field = p.wire("field", exponent - 1 + kept[-1])
    joined = p.wire("joined", (cat(field, kept[:-1]) + up).resized(format.width - 1))
    if not subnormals:
        is_least = p.wire("is_least", (field == 0) & kept.all() & up)
        joined = p.wire("flushed", mux((field < 1) & ~is_least, 0, joined))
    return p.wire("magnitude", mux(field >= format.special_exponent, format.infinity, joined))


def chosen(format: Float, sign: Value, magnitude: Value, *, nan: Value, infinite: Value, zero: Value) -> Value:
    """A result from its sign and magnitude, or a special one."""
    regular = mux(infinite, format.infinity, mux(zero, 0, magnitude))
    return mux(nan, format.nan, cat(sign, regular))
