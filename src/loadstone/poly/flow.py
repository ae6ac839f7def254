"""Who wrote the value that is read: accesses in order, and last writers with a certificate.

isl's dataflow analysis loses a source now and then, depending on how sets are written (seen with islpy 2026.2.2).
So it is a candidate only. The sure writes of an element before a read of it are found by plain set operations; the last
of them is an extremum, which `poly/extrema.py` tests. Writes that may happen must all be there, unless a sure one hides
them. What fails gives way to the pairs without a sure write in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import islpy as isl

from loadstone.poly.extrema import is_extremum
from loadstone.poly.spaces import Dim, maps_of


@dataclass(frozen=True, slots=True, eq=False)
class Accesses:
    """Instances to the elements that they surely write, or may write, and to their dates."""

    must: isl.UnionMap
    may: isl.UnionMap
    dates: isl.UnionMap


def ordered_pairs(first: isl.UnionMap, second: isl.UnionMap, dates: isl.UnionMap) -> isl.UnionMap:
    """All pairs of instances of which the first one accesses an element before the second one does."""
    same = first.apply_range(second.reverse())
    date_of = {part.get_tuple_name(Dim.in_): part for part in maps_of(dates)}
    ordered = (
        part.intersect(date_of[part.get_tuple_name(Dim.in_)].lex_lt_map(date_of[part.get_tuple_name(Dim.out)]))
        for part in maps_of(same)
    )
    simplest = (part.remove_redundancies().to_union_map() for part in ordered)
    return reduce(lambda found, part: found.union(part), simplest, isl.UnionMap.empty(same.get_space()))


def value_flow(read: isl.UnionMap, accesses: Accesses) -> tuple[isl.UnionMap, isl.UnionMap]:
    """Writers to the reads that may see their value; and reads, to elements, that may see one from before all writes.

    Exact for reads of one element and sure writes, else an over-approximation.
    """
    sure = ordered_pairs(accesses.must, read, accesses.dates)
    possible = ordered_pairs(accesses.may, read, accesses.dates)
    unwritten = read.subtract(sure.reverse().apply_range(accesses.must))
    info = isl.UnionAccessInfo.from_sink(read).set_must_source(accesses.must).set_may_source(accesses.may)
    found = info.set_schedule_map(accesses.dates).compute_flow().get_may_dependence()
    if is_value_flow(found, read, accesses, sure, possible):
        return found, unwritten
    overwritten = ordered_pairs(accesses.must, accesses.must, accesses.dates).apply_range(sure)
    return sure.subtract(overwritten).union(possible), unwritten


def is_value_flow(
    found: isl.UnionMap, read: isl.UnionMap, accesses: Accesses, sure: isl.UnionMap, possible: isl.UnionMap
) -> bool:
    """Whether a flow has the last sure writer of each read, and the possible ones behind it: the certificate.

    Of a read of several elements, which depends on data, only that it has a writer wherever there is a sure one.
    """
    if not read.is_single_valued():
        return sure.range().is_subset(found.range())
    last = found.intersect(sure)
    hidden = ordered_pairs(accesses.may, accesses.must, accesses.dates).apply_range(last)
    return (
        found.is_subset(sure.union(possible))
        and possible.subtract(hidden).is_subset(found)
        and _are_last(last, sure, accesses.dates)
    )


def _are_last(found: isl.UnionMap, pairs: isl.UnionMap, dates: isl.UnionMap) -> bool:
    """Whether each second instance of some pairs has the latest one of its first ones."""
    if found.is_empty() or pairs.is_empty():
        return found.is_empty() and pairs.is_empty()
    latest, every = (isl.Map.from_union_map(part.reverse().apply_range(dates)) for part in (found, pairs))
    return is_extremum(latest, every, "greatest")
