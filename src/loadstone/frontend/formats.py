"""Types that users choose by name: `fixed(16,8,nearest,saturate)`, `int(12)`, `uint(12)`, or a type of C."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar, get_args

from loadstone.errors import Span, refused
from loadstone.model.types import Overflow, Rounding, ScalarType, fixed_type, integer_type, type_named

ROUNDINGS: dict[str, Rounding] = {name.replace("_", "-"): name for name in get_args(Rounding)}
OVERFLOWS: dict[str, Overflow] = {name: name for name in get_args(Overflow)}
UNSIGNED = "unsigned"
MOST_BITS = 64
T = TypeVar("T")
_SPELLING = re.compile(r"(fixed|int|uint)\s*\(([^()]*)\)")
_HINT = "write fixed(16,8), fixed(16,8,nearest,saturate), int(12), uint(12), or a type of C"


def read_type(text: str) -> ScalarType:
    """The type that a text names.

    >>> read_type("fixed(16,8,saturate)").greatest
    32767
    """
    spelling = _SPELLING.fullmatch(text.strip())
    if spelling is None:
        return _c_type(text)
    name, words = spelling[1], [word.strip() for word in spelling[2].split(",")]
    if name == "fixed":
        return _fixed(text, words)
    if len(words) != 1:
        raise refused(f"'{text}' is not a type", None, _HINT)
    return integer_type(number_of_bits(_number(words[0], text)), name == "int")


def _c_type(text: str) -> ScalarType:
    kind = type_named(tuple(text.split()))
    if kind is None:
        raise refused(f"'{text}' is not a type", None, _HINT)
    return kind


def _fixed(text: str, words: list[str]) -> ScalarType:
    if len(words) < 2:
        raise refused(f"'{text}' does not say how many bits are after the point", None, _HINT)
    bits = number_of_bits(_number(words[0], text))
    fraction = bits_after_point(_number(words[1], text), bits)
    known = (*ROUNDINGS, *OVERFLOWS, UNSIGNED)
    for word in words[2:]:
        if word not in known:
            raise refused(f"'{word}' is no choice of fixed point", None, f"choices are: {', '.join(known)}")
    return fixed_type(
        bits,
        fraction,
        signed=UNSIGNED not in words,
        rounding=_choice(words, ROUNDINGS, "truncate"),
        overflow=_choice(words, OVERFLOWS, "wrap"),
    )


def _choice(words: list[str], known: Mapping[str, T], default: str) -> T:
    """What the one word that is known stands for; without any, what the default does."""
    found = [word for word in words if word in known]
    if len(found) > 1:
        raise refused(f"'{found[0]}' and '{found[1]}' exclude each other", None, "choose one of them")
    return known[found[0] if found else default]


def _number(word: str, text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", word):
        raise refused(f"'{word}' in '{text}' is not a number", None, _HINT)
    return int(word)


def number_of_bits(number: int, span: Span | None = None) -> int:
    """The number, if a type can have so many bits."""
    if not 1 <= number <= MOST_BITS:
        raise refused(f"a type has 1 to {MOST_BITS} bits, not {number}", span, "choose another width")
    return number


def bits_after_point(number: int, bits: int, span: Span | None = None) -> int:
    """The number, if so many of the bits can stand after the point."""
    if not 0 <= number <= bits:
        message = f"of {bits} bits, 0 to {bits} can be after the point, not {number}"
        raise refused(message, span, "give the type more bits, or a smaller fraction")
    return number


def c_type_formats(types: Mapping[str, ScalarType], typedefs: Mapping[str, object]) -> dict[ScalarType, ScalarType]:
    """The chosen types of the names that are types of C, and no typedefs."""
    found: dict[ScalarType, ScalarType] = {}
    for name, chosen in types.items():
        kind = type_named(tuple(name.split()))
        if name in typedefs:
            continue
        if kind is None:
            known = f"typedefs are: {', '.join(typedefs)}" if typedefs else "types of C are double, float, int, ..."
            raise refused(f"'{name}' is neither a typedef of the file nor a type of C", None, known)
        found[kind] = chosen
    return found
