"""Remainders of local addresses: `x % m` of C, or low bits and products where a divider would be a circuit of its own.

HLS compilers make a pipelined divider of tens of stages for `x % 12`. With 0 <= x < 2^31 and s = ceil(log2 m),

    x / m = (x * M) >> (31 + s)    where M = floor(2^(31 + s) / m) + 1 < 2^32,

since m * M exceeds 2^(31 + s) by at most m <= 2^s [Granlund and Montgomery, Theorem 4.2]. For x < 0 the quotient
rounded down is ~(~x / m).
"""

from __future__ import annotations

from loadstone.emit.c.code import Helper, Text, code
from loadstone.emit.c.printer import helper
from loadstone.model.types import INT

_MODULO = helper("mod", INT)
_SIGNED, _ORDER = 31, 10


def divided(value: Text, modulus: int, *, signed: bool) -> Text:
    """The remainder of a value as an expression of C; `signed` values may be negative, the remainder never is."""
    if signed:
        return code(f"@(@, {modulus})", _MODULO, value)
    return code(f"@ % {modulus}", _factored(value))


def multiplied(value: Text, modulus: int, *, signed: bool) -> Text:
    """The same remainder without a division."""
    if modulus & (modulus - 1) == 0:
        return code(f"(@ & {modulus - 1})", _factored(value))
    return code("@(@)", _by_product(modulus, signed=signed), value)


def _by_product(modulus: int, *, signed: bool) -> Helper:
    """The function that gives the remainder by a product."""
    shift = _SIGNED + (modulus - 1).bit_length()
    factor = (1 << shift) // modulus + 1
    name = f"{'modulo' if signed else 'remainder'}_{modulus}"
    size = "(unsigned long)(x < 0 ? ~x : x)" if signed else "(unsigned long)x"
    quotient = "(x < 0 ? ~quotient : quotient)" if signed else "quotient"
    range_of_x = "" if signed else " of x >= 0"
    lines = (
        f"/* The remainder{range_of_x} by {modulus}, without a divider. */",
        f"static inline int {name}(int x)",
        "{",
        f"  const int quotient = (int)({size} * {factor}ul >> {shift});",
        f"  return x - {modulus} * {quotient};",
        "}",
        "",
    )
    return Helper((_ORDER, name), name, lines)


def _factored(value: Text) -> Text:
    return value if value.text.isidentifier() else code("(@)", value)
