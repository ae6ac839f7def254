"""Simplification that never fails and never takes long."""

from __future__ import annotations

from typing import TypeVar

import islpy as isl

Coalescable = TypeVar("Coalescable", isl.Set, isl.Map, isl.UnionSet, isl.UnionMap, isl.PwAff)

MOST_PIECES = 40


def coalesced(value: Coalescable) -> Coalescable:
    """The same value with fewer pieces.

    Unchanged where isl's coalescing, whose time grows with the square of the pieces, would take long, or gives up on
    its own representation. What coalescing leaves is brought back into isl's normal form by an intersection: without
    that, `lexmin` of some results drops a stride from its own argument (islpy 2026.2.2; a test shows one).
    """
    if isinstance(value, isl.Map) and value.n_basic_map() > MOST_PIECES:
        return value
    if isinstance(value, isl.Set) and value.n_basic_set() > MOST_PIECES:
        return value
    try:
        fewer = value.coalesce()
        return fewer if isinstance(fewer, isl.PwAff) else fewer.intersect_params(_all_parameters(fewer))
    except isl.Error:
        return value


def _all_parameters(value: isl.Set | isl.Map | isl.UnionSet | isl.UnionMap) -> isl.Set:
    return isl.Set.universe(value.get_space().params())
