"""Simplification that never fails."""

from __future__ import annotations

from typing import TypeVar

import islpy as isl

Coalescable = TypeVar("Coalescable", isl.Set, isl.Map, isl.UnionSet, isl.UnionMap, isl.PwAff)


def coalesced(value: Coalescable) -> Coalescable:
    """The same value with fewer pieces; unchanged where isl's coalescing gives up on its own representation."""
    try:
        return value.coalesce()
    except isl.Error:
        return value
