"""Which parts of loops get code of their own, so that few conditions remain inside of them [Devos, Example 6].

isl's option `separate` overlooks bounds that only follow from those of inner loops, as the bounds of loops over strips
do. Here they are found by projection: a class for each convex part of the dates on which the same statements run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import islpy as isl

from loadstone.poly.spaces import Dim, outer_dims


def separation(schedule: isl.UnionMap) -> isl.UnionMap:
    """isl's options for code of its own wherever other statements run than before, in all dimensions of the dates."""
    dates: list[isl.Set] = []
    schedule.foreach_map(lambda part: dates.append(part.range()))
    length = max((date.dim(Dim.set) for date in dates), default=0)
    options = (option for depth in range(length) for option in _classes(dates, depth))
    return reduce(isl.UnionMap.union, options, isl.UnionMap.empty(schedule.get_space()))


def _classes(dates: Sequence[isl.Set], depth: int) -> Iterator[isl.UnionMap]:
    """The classes of one dimension, numbered."""
    for number, part in enumerate(_parts([outer_dims(date, depth + 1) for date in dates])):
        name = isl.UnionSet(f"{{ separation_class[[{depth}] -> [{number}]] }}")
        yield isl.UnionMap.from_domain_and_range(part.to_set().to_union_set(), name)


def _parts(sets: Sequence[isl.Set]) -> Iterator[isl.BasicSet]:
    for piece in reduce(_cut, sets, ()):
        yield from piece.coalesce().make_disjoint().get_basic_sets()


def _cut(pieces: tuple[isl.Set, ...], other: isl.Set) -> tuple[isl.Set, ...]:
    """The disjoint pieces cut along another set, and what of it lies outside of them."""
    rest = reduce(isl.Set.subtract, pieces, other)
    cut = (part for piece in pieces for part in (piece.intersect(other), piece.subtract(other)))
    return tuple(part for part in (*cut, rest) if not part.is_empty())
