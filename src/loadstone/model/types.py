"""The arithmetic types of C, integers of any width, fixed point, and how they combine.

Sizes follow the LP64 model (`long` has 64 bits). Integer arithmetic wraps around in two's complement, as gcc's
`-fwrapv` defines it. A value of fixed point is held as the integer that counts its units of 2^-fraction.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, assert_never

Number = int | float
Rounding = Literal["truncate", "nearest", "nearest_even"]
"""Down, to the nearest number (the greater one of two), or to the nearest number (the even one of two)."""
Overflow = Literal["wrap", "saturate"]
"""Modulo 2^bits, or to the least or greatest number."""


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A type of numbers: the C spelling of what holds them, kind, width and sign.

    `fraction` (bits after the point), `rounding` and `overflow` are those of fixed point. `widening`: results of
    arithmetic get as many bits as they need, as with the types of HLS; front ends make that explicit, and models have
    none of it.
    """

    name: str
    kind: Literal["int", "float", "fixed"]
    bits: int
    signed: bool = True
    fraction: int = 0
    rounding: Rounding = "truncate"
    overflow: Overflow = "wrap"
    widening: bool = False

    @property
    def plain(self) -> ScalarType:
        """The type without widening arithmetic."""
        return replace(self, widening=False) if self.widening else self

    @property
    def is_integer(self) -> bool:
        """Whether values are integers."""
        return self.kind == "int"

    @property
    def is_fixed(self) -> bool:
        """Whether values are of fixed point."""
        return self.kind == "fixed"

    @property
    def is_c(self) -> bool:
        """Whether C has the type."""
        return self.kind == "float" or (self.is_integer and self.bits in (8, 16, 32, 64))

    @property
    def storage(self) -> ScalarType:
        """The C type that holds the values."""
        return self if self.is_c else integer_type(next(n for n in (8, 16, 32, 64) if n >= self.bits), self.signed)

    @property
    def least(self) -> int:
        """The least integer, or the least number of units."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def greatest(self) -> int:
        """The greatest integer, or the greatest number of units."""
        return 1 if self == BOOL else (1 << (self.bits - self.signed)) - 1

    def includes(self, other: ScalarType) -> bool:
        """Whether both are integers, and all of another type are of this one."""
        both = self.is_integer and other.is_integer
        return both and self.least <= other.least and other.greatest <= self.greatest

    @property
    def described(self) -> str:
        """The type as users write it.

        >>> fixed_type(16, 8, rounding="nearest_even").described
        'fixed(16,8,nearest-even)'
        """
        if self.is_c:
            return self.name
        if self.is_integer:
            return f"{'' if self.signed else 'u'}int({self.bits})"
        choices = (self.rounding.replace("_", "-"), self.overflow, "signed" if self.signed else "unsigned")
        shown = (choice for choice in choices if choice not in ("truncate", "wrap", "signed"))
        return f"fixed({','.join((str(self.bits), str(self.fraction), *shown))})"

    @property
    def moderate(self) -> tuple[int, int]:
        """The least and the greatest units of what is 1/8 to 1 where the type has such numbers, for inputs."""
        high = min(self.greatest, max(1 << self.fraction, 8))
        return min(high, max(1, high // 8)), high

    def wrap(self, value: Number) -> Number:
        """The number converted to this type, as a C conversion does; units if the type is of fixed point."""
        match self.kind:
            case "int":
                return int(value != 0) if self.name == BOOL.name else self.fitted(int(value))
            case "float":
                return float(value) if self.bits == 64 else _single(value)
            case "fixed":
                return self._units(value)
            case _:
                assert_never(self.kind)

    def fitted(self, exact: int) -> int:
        """An integer, or a number of units, brought into range."""
        if self.overflow == "saturate":
            return min(max(exact, self.least), self.greatest)
        units = exact & ((1 << self.bits) - 1)
        return units - (1 << self.bits) if self.signed and units >> (self.bits - 1) else units

    def _units(self, value: Number) -> int:
        """The units of a number: none for what is not a number; an infinity is out of range, with zeros at the end."""
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return self.fitted(int(math.copysign(1 << 64, value)))
        numerator, denominator = value.as_integer_ratio()
        return self.fitted(rounded(numerator << self.fraction, denominator, self.rounding))

    def __str__(self) -> str:
        return self.name


def rounded(numerator: int, denominator: int, rounding: Rounding) -> int:
    """The integer that stands for a fraction.

    >>> [rounded(-5, 2, rounding) for rounding in ("truncate", "nearest", "nearest_even")]
    [-3, -2, -2]
    """
    match rounding:
        case "truncate":
            return numerator // denominator
        case "nearest":
            return (2 * numerator + denominator) // (2 * denominator)
        case "nearest_even":
            return round(Fraction(numerator, denominator))
        case _:
            assert_never(rounding)


def _single(value: Number) -> float:
    """The number in single precision, rounded once."""
    if isinstance(value, float):
        return ctypes.c_float(value).value
    lost = max(0, value.bit_length() - 24)
    return float(rounded(value, 1 << lost, "nearest_even") << lost)


BOOL = ScalarType("_Bool", "int", 8, False)
CHAR = ScalarType("char", "int", 8)
SCHAR = ScalarType("signed char", "int", 8)
UCHAR = ScalarType("unsigned char", "int", 8, False)
SHORT = ScalarType("short", "int", 16)
USHORT = ScalarType("unsigned short", "int", 16, False)
INT = ScalarType("int", "int", 32)
UINT = ScalarType("unsigned int", "int", 32, False)
LONG = ScalarType("long", "int", 64)
ULONG = ScalarType("unsigned long", "int", 64, False)
LLONG = ScalarType("long long", "int", 64)
ULLONG = ScalarType("unsigned long long", "int", 64, False)
FLOAT = ScalarType("float", "float", 32)
DOUBLE = ScalarType("double", "float", 64)

_RANK = (BOOL, CHAR, SCHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, LLONG, ULLONG)

_WIDTHS = {(kind.bits, kind.signed): kind for kind in (SCHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG)}

_SPELLINGS = {
    "_Bool": BOOL,
    "char": CHAR,
    "char signed": SCHAR,
    "char unsigned": UCHAR,
    "short": SHORT,
    "short unsigned": USHORT,
    "": INT,
    "unsigned": UINT,
    "long": LONG,
    "long unsigned": ULONG,
    "long long": LLONG,
    "long long unsigned": ULLONG,
    "float": FLOAT,
    "double": DOUBLE,
}

FIXED_WIDTH = {
    "int8_t": SCHAR,
    "uint8_t": UCHAR,
    "int16_t": SHORT,
    "uint16_t": USHORT,
    "int32_t": INT,
    "uint32_t": UINT,
    "int64_t": LONG,
    "uint64_t": ULONG,
    "size_t": ULONG,
    "ssize_t": LONG,
    "ptrdiff_t": LONG,
    "intptr_t": LONG,
    "uintptr_t": ULONG,
    "bool": BOOL,
}


def type_named(words: tuple[str, ...]) -> ScalarType | None:
    """The type that C specifiers name, in any order.

    >>> print(type_named(("unsigned", "long", "int")))
    unsigned long
    """
    if len(words) == 1 and words[0] in FIXED_WIDTH:
        return FIXED_WIDTH[words[0]]
    kept = sorted(w for w in words if w != "int")
    if "char" not in kept:
        kept = [w for w in kept if w != "signed"]
    return _SPELLINGS.get(" ".join(kept)) if words else None


def integer_type(bits: int, signed: bool = True) -> ScalarType:
    """The integers of a width: a type of C where it has one.

    >>> print(integer_type(12, False), integer_type(12, False).described)
    unsigned short uint(12)
    """
    if (bits, signed) in _WIDTHS:
        return _WIDTHS[bits, signed]
    return ScalarType(_holder(bits, signed), "int", bits, signed)


def fixed_type(
    bits: int, fraction: int, *, signed: bool = True, rounding: Rounding = "truncate", overflow: Overflow = "wrap"
) -> ScalarType:
    """Fixed point: the multiples of 2^-fraction that some bits can count."""
    return ScalarType(_holder(bits, signed), "fixed", bits, signed, fraction, rounding, overflow)


def _holder(bits: int, signed: bool) -> str:
    """The spelling of the smallest C integer type with so many bits."""
    return next(kind.name for (width, sign), kind in _WIDTHS.items() if width >= bits and sign == signed)


def promoted(kind: ScalarType) -> ScalarType:
    """The type after C's integer promotion: int below 32 bits, else the C type that holds it."""
    if not kind.is_integer:
        return kind
    return INT if kind.bits < 32 else kind.storage


def common_type(left: ScalarType, right: ScalarType) -> ScalarType:
    """The type in which two operands are combined: floating point, else fixed point, else as C does.

    Of two types of fixed point, the one with more bits; then the one with more bits after the point, the signed one,
    the one that rounds to nearest-even or to nearest, the one that saturates.
    """
    if "float" in (left.kind, right.kind):
        return DOUBLE if DOUBLE in (left, right) else FLOAT
    if left.is_fixed or right.is_fixed:
        return max((kind for kind in (left, right) if kind.is_fixed), key=_precedence)
    left, right = promoted(left), promoted(right)
    high, low = sorted((left, right), key=_RANK.index, reverse=True)
    if high.bits == low.bits and high.signed != low.signed and high.signed:
        return _RANK[_RANK.index(high) + 1]
    return high


def _precedence(kind: ScalarType) -> tuple[int, int, bool, int, bool]:
    rounding = ("truncate", "nearest", "nearest_even").index(kind.rounding)
    return kind.bits, kind.fraction, kind.signed, rounding, kind.overflow == "saturate"


def ctypes_type(kind: ScalarType) -> Any:
    """The ctypes type with the same representation."""
    if kind.kind == "float":
        return ctypes.c_double if kind.bits == 64 else ctypes.c_float
    prefix = "int" if kind.signed else "uint"
    return getattr(ctypes, f"c_{prefix}{kind.storage.bits}")
