"""Values of C types as words of hardware."""

from __future__ import annotations

import struct

from loadstone.model.types import BOOL, Number, ScalarType
from loadstone.operators import Fixed
from loadstone.rtl.types import Bits, bit


def bits_of(kind: ScalarType) -> Bits:
    """The bits of a value of a C type; those of a floating-point number are read as an unsigned one."""
    if kind == BOOL:
        return bit
    return Bits(kind.bits, kind.signed and kind.kind != "float")


def format_of(kind: ScalarType) -> Fixed:
    """The format of integers or of fixed point."""
    return Fixed(kind.bits, kind.fraction, kind.signed)


def encoded(value: Number, kind: ScalarType) -> int:
    """The bits of a value as hardware keeps them, as a number of the type for it."""
    if kind.kind == "float":
        form = "<d" if kind.bits == 64 else "<f"
        return int.from_bytes(struct.pack(form, float(value)), "little")
    return int(value)


def decoded(word: int, kind: ScalarType) -> Number:
    """The value that bits stand for."""
    if kind.kind == "float":
        form = "<d" if kind.bits == 64 else "<f"
        return struct.unpack(form, word.to_bytes(kind.bits // 8, "little"))[0]
    return word
