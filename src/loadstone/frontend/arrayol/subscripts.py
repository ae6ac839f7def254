"""Subscripts of the elements of a pattern, as text of isl and of C."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.frontend.arrayol.flat import Place, Stage
from loadstone.frontend.arrayol.specification import Sizes, Vector
from loadstone.model.affine import signed_sum

FRAMES = "frames"
"""The parameter that stands for the length of unbounded dimensions."""

Range = tuple[int | None, int | None]
"""The least and the greatest value; None where there is none."""


def extent(size: int | None) -> str:
    """A size as text."""
    return FRAMES if size is None else str(size)


def isl_subscripts(place: Place, repetition: Sequence[str], indices: Sequence[str]) -> list[str]:
    """The subscripts of an element in its array, in the syntax of isl."""
    for stage in place.stages:
        rows = [linear(stage, row, repetition, indices) for row in range(len(stage.shape))]
        indices = [
            f"(({text}) mod {size})" if stage.wraps and size is not None else f"({text})"
            for text, size in zip(rows, stage.shape, strict=True)
        ]
    return list(indices)


def c_subscripts(place: Place, sizes: Sizes, repetition: Sequence[str], indices: Sequence[str]) -> list[str]:
    """The subscripts of an element in its array, in C; remainders only where subscripts leave the array."""
    pattern = place.pattern
    for stage in place.stages:
        rows = [linear(stage, row, repetition, indices) for row in range(len(stage.shape))]
        ranges = [range_of(stage, row, sizes, pattern) for row in range(len(stage.shape))]
        indices = [
            _wrapped(text, size, *bounds) if stage.wraps and size is not None else text
            for text, size, bounds in zip(rows, stage.shape, ranges, strict=True)
        ]
        pattern = stage.shape
    return list(indices)


def _wrapped(text: str, size: int, least: int | None, greatest: int | None) -> str:
    if least is None:
        return f"(({text}) % {size} + {size}) % {size}"
    if least >= 0 and greatest is not None and greatest < size:
        return text
    turns = max(0, -(least // size)) * size
    return f"({text}{f' + {turns}' if turns else ''}) % {size}"


def range_of(stage: Stage, row: int, repetition: Sizes, pattern: Sizes) -> Range:
    """What a subscript is at least and at most."""
    factors = (*stage.paving[row], *stage.fitting[row])
    sizes = (*repetition[: len(stage.paving[row])], *pattern)
    ends = [
        (factor, None if size is None else factor * (size - 1)) for factor, size in zip(factors, sizes, strict=True)
    ]
    falling = [end for factor, end in ends if factor < 0]
    rising = [end for factor, end in ends if factor > 0]
    return _sum(stage.origin[row], falling), _sum(stage.origin[row], rising)


def leaves_shape(stage: Stage, repetition: Sizes, pattern: Sizes) -> bool:
    """Whether a subscript of some repetition may lie outside of the array, which is bounded."""
    ranges = (range_of(stage, row, repetition, pattern) for row in range(len(stage.shape)))
    ends = zip(ranges, stage.shape, strict=True)
    return any(low is None or high is None or low < 0 or high >= (size or 0) for (low, high), size in ends)


def _sum(start: int, ends: Sequence[int | None]) -> int | None:
    """A sum; None where a part of it has no bound."""
    return None if None in ends else start + sum(end for end in ends if end is not None)


def linear(stage: Stage, row: int, repetition: Sequence[str], indices: Sequence[str]) -> str:
    """`origin + paving r + fitting i` of one subscript."""
    own = repetition[: len(stage.paving[row])]
    terms = [*zip(stage.paving[row], own, strict=True), *zip(stage.fitting[row], map(_atom, indices), strict=True)]
    return total(stage.origin[row], terms)


def total(constant: int, terms: Sequence[tuple[int, str]]) -> str:
    """A sum of multiples as text.

    >>> total(-1, [(4, "r0"), (0, "r1"), (-1, "k")])
    '4 * r0 - k - 1'
    """
    return signed_sum([*terms, (constant, "")], " * ")


def _atom(text: str) -> str:
    """A text as one operand."""
    return text if text.isalnum() else f"({text})"


def moved(names: Sequence[str], distance: Vector) -> list[str]:
    """The repetition that lies a distance before one."""
    return [_atom(total(-step, [(1, name)])) if step else name for name, step in zip(names, distance, strict=True)]
