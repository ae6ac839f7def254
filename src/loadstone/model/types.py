"""The arithmetic types of C and how they combine.

Sizes follow the LP64 model (`long` has 64 bits). Integer arithmetic wraps around in two's complement, as gcc's
`-fwrapv` defines it.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Literal, assert_never

Number = int | float


@dataclass(frozen=True, slots=True)
class ScalarType:
    """An integer or floating-point type: its C spelling, width and sign."""

    name: str
    kind: Literal["int", "float"]
    bits: int
    signed: bool = True

    @property
    def is_integer(self) -> bool:
        """Whether values are integers."""
        return self.kind == "int"

    def wrap(self, value: Number) -> Number:
        """The value converted to this type, as a C conversion does."""
        match self.kind:
            case "int":
                return self._wrap_integer(int(value))
            case "float":
                return float(value) if self.bits == 64 else ctypes.c_float(value).value
            case _:
                assert_never(self.kind)

    def _wrap_integer(self, value: int) -> int:
        if self == BOOL:
            return int(value != 0)
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value >> (self.bits - 1) else value

    def __str__(self) -> str:
        return self.name


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


def promoted(kind: ScalarType) -> ScalarType:
    """The type after C's integer promotion."""
    return INT if kind.is_integer and kind.bits < 32 else kind


def common_type(left: ScalarType, right: ScalarType) -> ScalarType:
    """The type in which C combines two operands (the usual arithmetic conversions)."""
    if not (left.is_integer and right.is_integer):
        return DOUBLE if DOUBLE in (left, right) else FLOAT
    left, right = promoted(left), promoted(right)
    high, low = sorted((left, right), key=_RANK.index, reverse=True)
    if high.bits == low.bits and high.signed != low.signed and high.signed:
        return _RANK[_RANK.index(high) + 1]
    return high


def ctypes_type(kind: ScalarType) -> Any:
    """The ctypes type with the same representation."""
    if kind.kind == "float":
        return ctypes.c_double if kind.bits == 64 else ctypes.c_float
    prefix = "int" if kind.signed else "uint"
    return getattr(ctypes, f"c_{prefix}{kind.bits}")
