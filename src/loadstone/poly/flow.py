"""Who wrote the value that is read: accesses in order, and last writers with a certificate.

isl's dataflow analysis loses a source now and then, depending on how sets are written (seen with islpy 2026.2.2).
So it is a candidate only. The sure writes of an element before a read of it are found by plain set operations; the last
of them is an extremum, which `poly/extrema.py` tests. Writes that may happen must all be there, unless a sure one hides
them. What fails gives way to the pairs without a sure write in between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce

import islpy as isl

from loadstone.poly.dimensions import constant_component
from loadstone.poly.extrema import is_extremum
from loadstone.poly.spaces import Dim, maps_of

MOST_ORDERS = 256
"""The number of pairs of statements whose order is kept."""


@dataclass(frozen=True, eq=False)
class Order:
    """The dates of instances; the order of the pairs of statements used last is kept."""

    dates: isl.UnionMap

    @cached_property
    def date_of(self) -> Mapping[str, isl.Map]:
        """The dates of each statement."""
        return {part.get_tuple_name(Dim.in_): part for part in maps_of(self.dates)}

    @cached_property
    def before(self) -> Callable[[str, str], isl.Map]:
        """Instances of one statement to the later ones of another."""

        def found(first: str, second: str) -> isl.Map:
            return self.date_of[first].lex_lt_map(self.date_of[second])

        return lru_cache(MOST_ORDERS)(found)


@dataclass(frozen=True, slots=True, eq=False)
class Accesses:
    """Instances to the elements that they surely write, or may write, and their order."""

    must: isl.UnionMap
    may: isl.UnionMap
    order: Order


def ordered_pairs(first: isl.UnionMap, second: isl.UnionMap, order: Order) -> isl.UnionMap:
    """All pairs of instances of which the first one accesses an element before the second one does."""
    same = first.apply_range(second.reverse())
    ordered = (part.intersect(order.before(*_statements(part))) for part in maps_of(same))
    simplest = (part.remove_redundancies().to_union_map() for part in ordered)
    return reduce(lambda found, part: found.union(part), simplest, isl.UnionMap.empty(same.get_space()))


def _statements(pairs: isl.Map) -> tuple[str, str]:
    return pairs.get_tuple_name(Dim.in_), pairs.get_tuple_name(Dim.out)


def value_flow(read: isl.UnionMap, accesses: Accesses) -> tuple[isl.UnionMap, isl.UnionMap]:
    """Writers to the reads that may see their value; and reads, to elements, that may see one from before all writes.

    Exact for reads of one element and sure writes, else an over-approximation.
    """
    sure = ordered_pairs(accesses.must, read, accesses.order)
    possible = ordered_pairs(accesses.may, read, accesses.order)
    unwritten = read.subtract(sure.reverse().apply_range(accesses.must))
    recent = without_overwritten(sure, accesses.order) if read.is_single_valued() else sure
    found = _isl_flow(read, accesses, recent, possible)
    if is_value_flow(found, read, accesses, recent, possible):
        return found, unwritten
    overwritten = ordered_pairs(accesses.must, accesses.must, accesses.order).apply_range(recent)
    return recent.subtract(overwritten).union(possible), unwritten


def without_overwritten(pairs: isl.UnionMap, order: Order) -> isl.UnionMap:
    """Pairs of writers and reads of one element, without statements whose values another one surely overwrites.

    It does where all their pairs are pairs of the other statement as well, at the same point, where that runs later.
    """
    kept: list[isl.Map] = []
    for part in sorted(maps_of(pairs), key=lambda each: _textual(each, order), reverse=True):
        if not any(_overwrites(other, part, order) for other in kept):
            kept.append(part)
    return reduce(lambda found, part: found.union(part.to_union_map()), kept, isl.UnionMap.empty(pairs.get_space()))


def _textual(pairs: isl.Map, order: Order) -> list[int]:
    """The numbers among the dates of the first instances, 0 for others."""
    date = order.date_of[pairs.get_tuple_name(Dim.in_)]
    return [constant_component(date, k) or 0 for k in range(date.dim(Dim.out))]


def _overwrites(other: isl.Map, pairs: isl.Map, order: Order) -> bool:
    """Whether all pairs of a writer are such of another one, too, which runs later at the same point."""
    first, second = pairs.get_tuple_name(Dim.in_), other.get_tuple_name(Dim.in_)
    if pairs.dim(Dim.in_) != other.dim(Dim.in_) or not pairs.set_tuple_name(Dim.in_, second).is_subset(other):
        return False
    same_point = pairs.domain().identity().set_tuple_name(Dim.out, second)
    return same_point.is_subset(order.before(first, second))


def _isl_flow(read: isl.UnionMap, accesses: Accesses, sure: isl.UnionMap, possible: isl.UnionMap) -> isl.UnionMap:
    """Writers to the reads of their values by isl's analysis, which is told of the writers in these pairs alone."""
    writers, maybe = sure.domain().universe(), possible.domain().universe()
    must, may = accesses.must.intersect_domain(writers), accesses.may.intersect_domain(maybe)
    concerned = writers.union(maybe).union(read.domain().universe())
    info = isl.UnionAccessInfo.from_sink(read).set_must_source(must).set_may_source(may)
    return info.set_schedule_map(accesses.order.dates.intersect_domain(concerned)).compute_flow().get_may_dependence()


def is_value_flow(
    found: isl.UnionMap, read: isl.UnionMap, accesses: Accesses, sure: isl.UnionMap, possible: isl.UnionMap
) -> bool:
    """Whether a flow has the last sure writer of each read, and the possible ones behind it: the certificate.

    Of a read of several elements, which depends on data, only that it has a writer wherever there is a sure one.
    """
    if not read.is_single_valued():
        return sure.range().is_subset(found.range())
    last = found.intersect(sure)
    hidden = ordered_pairs(accesses.may, accesses.must, accesses.order).apply_range(last)
    return (
        found.is_subset(sure.union(possible))
        and possible.subtract(hidden).is_subset(found)
        and _are_last(last, sure, accesses.order)
    )


def _are_last(found: isl.UnionMap, pairs: isl.UnionMap, order: Order) -> bool:
    """Whether each second instance of some pairs has the latest one of its first ones."""
    if found.is_empty() or pairs.is_empty():
        return found.is_empty() and pairs.is_empty()
    latest, every = (isl.Map.from_union_map(part.reverse().apply_range(order.dates)) for part in (found, pairs))
    return is_extremum(latest, every, "greatest")
