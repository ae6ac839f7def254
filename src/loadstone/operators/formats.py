"""Number formats: IEEE floating point of any size, and fixed point.

>>> SINGLE.width, SINGLE.bias, hex(DOUBLE.infinity), BFLOAT16.name
(32, 127, '0x7ff0000000000000', 'float_8_7')
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.rtl import Bits, RtlError, unsigned


@dataclass(frozen=True, slots=True)
class Float:
    """Binary floating point as in IEEE 754: a sign, an exponent with bias, a fraction."""

    exponent_bits: int
    fraction_bits: int

    def __post_init__(self) -> None:
        if self.exponent_bits < 2 or self.fraction_bits < 2:
            raise RtlError(f"a floating-point format has two bits or more of exponent and fraction, not {self}")

    @property
    def name(self) -> str:
        """A name for modules."""
        known = {HALF: "half", SINGLE: "single", DOUBLE: "double"}
        return known.get(self, f"float_{self.exponent_bits}_{self.fraction_bits}")

    @property
    def width(self) -> int:
        """The number of bits."""
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def type(self) -> Bits:
        """The type of its bits."""
        return unsigned(self.width)

    @property
    def precision(self) -> int:
        """The bits of a significand, the leading one included."""
        return self.fraction_bits + 1

    @property
    def bias(self) -> int:
        """The exponent field of 1.0."""
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def special_exponent(self) -> int:
        """The exponent field of infinities and NaNs."""
        return (1 << self.exponent_bits) - 1

    @property
    def infinity(self) -> int:
        """The bits of plus infinity."""
        return self.special_exponent << self.fraction_bits

    @property
    def nan(self) -> int:
        """The bits of the one NaN that operators give: positive and quiet, with nothing else set."""
        return self.infinity | 1 << (self.fraction_bits - 1)


HALF = Float(5, 10)
BFLOAT16 = Float(8, 7)
SINGLE = Float(8, 23)
DOUBLE = Float(11, 52)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Fixed point: integers of a width that stand for multiples of 2^-fraction_bits."""

    width: int
    fraction_bits: int
    signed: bool = True

    @property
    def name(self) -> str:
        """A name for modules."""
        fraction = f"m{-self.fraction_bits}" if self.fraction_bits < 0 else f"{self.fraction_bits}"
        return f"{'s' if self.signed else 'u'}{self.width}_{fraction}"

    @property
    def type(self) -> Bits:
        """The type of its bits."""
        return Bits(self.width, self.signed)
