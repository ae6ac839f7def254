"""The conflict set: the differences of elements that are in local memory at the same time [RR-7648, III-B: DS]."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from loadstone.poly.dimensions import signed_differences
from loadstone.poly.isolated import isolated
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import Dim, equal_halves, fixed_to_zero, largest_gap, set_space, symmetric_box
from loadstone.storage.lifetimes import Lifetimes, is_small, longer

EXACT_LIMIT = 1_000_000
BOX_LIMIT, BOX_SECONDS = 3_000_000, 4


def conflict_differences(life: Lifetimes, whole: Sequence[int] = ()) -> isl.Set | None:
    """The differences of conflicting elements for all parameters and strips, in both directions.

    The dimensions in `whole` are told apart by the address anyway: only elements that agree in them are compared.
    Exact where that is cheap, otherwise a box around the differences; None where even that takes too long.
    """
    if is_small(life):
        try:
            with operation_limit(EXACT_LIMIT):
                return fixed_to_zero(signed_differences(life.conflicts()), whole)
        except LimitReached:
            pass
    return _box(longer(life), whole)


def unbounded_dims(differences: isl.Set) -> list[int]:
    """The dimensions in which differences grow with the parameters."""
    dims = range(differences.dim(Dim.set))
    return [k for k in dims if not differences.is_empty() and not differences.dim_max_val(k).is_int()]


def _box(life: Lifetimes, whole: Sequence[int]) -> isl.Set | None:
    """The smallest box around the differences of conflicting elements, by integer programming."""
    space = set_space((), "", [f"d{k}" for k in range(life.held.dim(Dim.out))])
    try:
        text = isolated(lambda: str(_smallest_box(life, whole, space)), BOX_LIMIT, BOX_SECONDS)
    except LimitReached:
        return None
    return isl.Set.read_from_str(isl.DEFAULT_CONTEXT, text)


def _smallest_box(life: Lifetimes, whole: Sequence[int], space: isl.Space) -> isl.Set:
    pairs = equal_halves(life.neighbours().range(), whole)
    return symmetric_box(space, [largest_gap(pairs, k) for k in range(space.dim(Dim.set))])
