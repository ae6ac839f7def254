"""Simplification that never fails and never takes long."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TypeVar

import islpy as isl

Coalescable = TypeVar("Coalescable", isl.Set, isl.Map, isl.UnionSet, isl.UnionMap, isl.PwAff)
Joined = TypeVar("Joined", isl.Set, isl.Map)

MOST_PIECES = 40


def coalesced(value: Coalescable) -> Coalescable:
    """The same value with fewer pieces.

    Unchanged where isl's coalescing, whose time grows with the square of the pieces, would take long, or gives up on
    its own representation. What coalescing leaves is brought back into isl's normal form by an intersection: without
    that, `lexmin` of some results drops a stride from its own argument (islpy 2026.2.2; a test shows one).
    """
    if isinstance(value, isl.Map | isl.Set) and _pieces(value) > MOST_PIECES:
        return value
    try:
        fewer = value.coalesce()
        return fewer if isinstance(fewer, isl.PwAff) else fewer.intersect_params(_all_parameters(fewer))
    except isl.Error:
        return value


def joined(parts: Iterable[Joined], empty: Joined) -> Joined:
    """The union of relations of one space, coalesced as often as it takes to keep its pieces few enough for that.

    >>> parts = [isl.Set(f"{{ [x] : {k} <= x <= {k + 1} }}") for k in range(100)]
    >>> joined(parts, isl.Set("{ [x] : false }")).n_basic_set() <= MOST_PIECES
    True
    """
    return reduce(_joined, parts, empty)


def _joined(some: Joined, more: Joined) -> Joined:
    many = _pieces(some) + _pieces(more) > MOST_PIECES
    return (coalesced(some) if many else some).union(more)


def _pieces(value: isl.Set | isl.Map) -> int:
    return value.n_basic_map() if isinstance(value, isl.Map) else value.n_basic_set()


def _all_parameters(value: isl.Set | isl.Map | isl.UnionSet | isl.UnionMap) -> isl.Set:
    return isl.Set.universe(value.get_space().params())
