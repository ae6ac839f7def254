"""What another language leaves in the C that it was translated to, for the C front end to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from loadstone.frontend.c.preprocess import Preprocessed
from loadstone.model.kernel import Original
from loadstone.model.types import BOOL, ScalarType

_ROUNDINGS = {"truncate": "AP_TRN", "nearest": "AP_RND", "nearest_even": "AP_RND_CONV"}
_OVERFLOWS = {"wrap": "AP_WRAP", "saturate": "AP_SAT"}


def spelled_in_cpp(kind: ScalarType) -> str:
    """A type as C++ of HLS spells it.

    >>> spelled_in_cpp(ScalarType("short", "fixed", 12, True, 8, "nearest", "saturate", True))
    'ap_fixed<12, 4, AP_RND, AP_SAT>'
    """
    if not kind.widening:
        return "bool" if kind == BOOL else kind.name
    sign = "" if kind.signed else "u"
    if kind.is_integer:
        return f"ap_{sign}int<{kind.bits}>"
    modes = f"{_ROUNDINGS[kind.rounding]}, {_OVERFLOWS[kind.overflow]}"
    return f"ap_{sign}fixed<{kind.bits}, {kind.bits - kind.fraction}, {modes}>"


OriginalText = Callable[[int, int], Original]
"""The text between two offsets of the translated text as the user wrote it, with what it leans on."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A translated text, and what C cannot say of it.

    `formats`: what some typedefs stand for. `references`: the parameters, by function and name, that stand for the
    argument itself. `streams`: the typedefs of streams, and the types of what they hold. `original`: the program
    as the user wrote it. `constants`: whole numbers that names are declared to be. `pure`: the functions without
    effects that need no definition. `scop`: which of several marked kernels is read, from 1. `open_ends`: ends of
    loops may depend on data.
    """

    preprocessed: Preprocessed
    formats: Mapping[str, ScalarType] = field(default_factory=dict[str, ScalarType])
    references: frozenset[tuple[str, str]] = frozenset()
    streams: Mapping[str, str] = field(default_factory=dict[str, str])
    original: OriginalText | None = None
    constants: Mapping[str, int] = field(default_factory=dict[str, int])
    pure: frozenset[str] = frozenset()
    scop: int | None = None
    open_ends: bool = False
