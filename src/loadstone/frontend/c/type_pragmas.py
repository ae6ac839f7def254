"""The pragmas that give a type of the file another format.

#pragma loadstone fixed type(sample) bits(16) fraction(8) round(nearest) overflow(saturate)
#pragma loadstone integer type(pixel) bits(12)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from loadstone.errors import InputError, Problems, refused
from loadstone.frontend.c.declarations import Environment, shape_of
from loadstone.frontend.c.pragmas import Text, named_clauses, pragma_kind
from loadstone.frontend.formats import OVERFLOWS, ROUNDINGS, bits_after_point, number_of_bits
from loadstone.model.types import ScalarType, fixed_type, integer_type, type_named

_CLAUSES = {
    "fixed": ("type", "bits", "fraction", "round", "overflow", "unsigned"),
    "integer": ("type", "bits"),
}
_EXAMPLES = {"type": "type(sample)", "bits": "bits(16)", "fraction": "fraction(8)"}

T = TypeVar("T")


def read_formats(pragmas: Iterable[Text], environment: Environment, problems: Problems) -> dict[str, ScalarType]:
    """The formats by the names of the types that get them."""
    found: dict[str, ScalarType] = {}
    for pragma in pragmas:
        kind, rest = pragma_kind(pragma)
        if kind not in _CLAUSES:
            continue
        try:
            _add_format(found, kind, pragma, named_clauses(rest, _CLAUSES[kind]), environment)
        except InputError as error:
            problems.extend(error)
    return found


def _add_format(
    found: dict[str, ScalarType], kind: str, pragma: Text, clauses: Mapping[str, Text], environment: Environment
) -> None:
    name = _argument(pragma, clauses, "type")
    old = _old_type(name, environment)
    if name.text in found:
        raise refused(f"'{name.text}' gets a format twice", name.span, "remove one of the pragmas")
    found[name.text] = _fixed(pragma, clauses) if kind == "fixed" else _integer(name, old, pragma, clauses)


def _old_type(name: Text, environment: Environment) -> ScalarType:
    """The type that a name stands for without pragmas."""
    declared = environment.typedefs.get(name.text)
    if declared is None:
        kind, extents = type_named(tuple(name.text.split())), ()
    else:
        shape = shape_of(declared, environment)
        kind, extents = shape.element, shape.extents
    if kind is None or extents:
        known = ", ".join(environment.typedefs) or "none"
        raise refused(f"'{name.text}' is no arithmetic type of the file", name.span, f"typedefs are: {known}")
    return kind


def _fixed(pragma: Text, clauses: Mapping[str, Text]) -> ScalarType:
    bits = _bits(pragma, clauses)
    fraction = _argument(pragma, clauses, "fraction")
    if "unsigned" in clauses and clauses["unsigned"].text:
        raise refused("'unsigned' takes no argument", clauses["unsigned"].span, "remove it")
    return fixed_type(
        bits,
        bits_after_point(_number(fraction), bits, fraction.span),
        signed="unsigned" not in clauses,
        rounding=_choice(clauses, "round", ROUNDINGS, "truncate"),
        overflow=_choice(clauses, "overflow", OVERFLOWS, "wrap"),
    )


def _integer(name: Text, old: ScalarType, pragma: Text, clauses: Mapping[str, Text]) -> ScalarType:
    if not old.is_integer:
        hint = "use fixed, or a typedef of an integer type"
        raise refused(f"'{name.text}' is not an integer type", name.span, hint)
    return integer_type(_bits(pragma, clauses), old.signed)


def _bits(pragma: Text, clauses: Mapping[str, Text]) -> int:
    bits = _argument(pragma, clauses, "bits")
    return number_of_bits(_number(bits), bits.span)


def _argument(pragma: Text, clauses: Mapping[str, Text], clause: str) -> Text:
    if clause not in clauses:
        raise refused(f"'{clause}' is missing", pragma.stripped().span, f"add {_EXAMPLES[clause]}")
    return clauses[clause].stripped()


def _number(text: Text) -> int:
    if not re.fullmatch(r"\d{1,9}", text.text):
        raise refused("expected a number", text.span, "for example bits(16)")
    return int(text.text)


def _choice(clauses: Mapping[str, Text], clause: str, known: Mapping[str, T], default: T) -> T:
    if clause not in clauses:
        return default
    text = clauses[clause].stripped()
    if text.text not in known:
        raise refused(f"unknown choice '{text.text}' of '{clause}'", text.span, f"known are: {', '.join(known)}")
    return known[text.text]
