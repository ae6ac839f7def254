"""Who wrote the value that is read: accesses in order, and last writers with a certificate.

isl's dataflow analysis loses a source now and then, depending on how sets are written (seen with islpy 2026.2.2).
So it is a candidate only. The sure writes of an element before a read of it are found by plain set operations; the last
of them is an extremum, which `poly/extrema.py` tests. Writes that may happen must all be there, unless a sure one hides
them. What fails gives way to the pairs without a sure write in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from itertools import product

import islpy as isl

from loadstone.poly.dimensions import constant_component, free_component
from loadstone.poly.extrema import is_extremum
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import Dim, maps_of

MOST_PAIRS = 1024
"""The number of pairs of statements, those of other names alike, whose order is kept."""

FEW_PAIRS, FEW_UNIONS = 48, 256
"""So few pairs of statements are not worth comparing their shapes, so few unions not worth groups."""

MOST_FLOWS = 512
"""The number of reads whose flow is kept."""

FLOW_LIMIT = 300_000
"""The number of operations that isl may take to find the flow to a read."""

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Relations of two statements; pairs with equal keys differ in the names of tuples alone."""

    key: Key
    first: tuple[isl.Map, ...] = field(compare=False)
    second: tuple[isl.Map, ...] = field(compare=False)


@dataclass(frozen=True, eq=False)
class Order:
    """The dates of instances."""

    dates: isl.UnionMap

    @cached_property
    def date_of(self) -> Mapping[str, isl.Map]:
        """The dates of each statement."""
        return {part.get_tuple_name(Dim.in_): part for part in maps_of(self.dates)}

    @cached_property
    def textual(self) -> Mapping[str, list[int | None]]:
        """The numbers among the dates of each statement, None for others."""
        every = self.date_of.items()
        return {name: [constant_component(date, k) for k in range(date.dim(Dim.out))] for name, date in every}

    @cached_property
    def _shapes(self) -> Mapping[str, str]:
        """The dates of each statement without its name and these numbers."""
        return {name: _without_numbers(date, self.textual[name]) for name, date in self.date_of.items()}

    def key(self, first: str, second: str) -> Key:
        """What decides which instances of one statement are before those of another, but for their names."""
        numbers = zip(self.textual[first], self.textual[second], strict=True)
        compared = tuple((a, b) if a is None or b is None else (a > b) - (a < b) for a, b in numbers)
        return self._shapes[first], self._shapes[second], compared

    def before(self, first: str, second: str) -> isl.Map:
        """Instances of one statement to the later ones of another."""
        pair = _Pair(self.key(first, second), (self.date_of[first],), (self.date_of[second],))
        return _named(_before(pair), first, second)


def _without_numbers(date: isl.Map, numbers: Sequence[int | None]) -> str:
    fixed = [k for k, number in enumerate(numbers) if number is not None]
    return str(reduce(free_component, fixed, date.reset_tuple_id(Dim.in_)))


@lru_cache(MOST_PAIRS)
def _before(dates: _Pair) -> isl.Map:
    (first,), (second,) = dates.first, dates.second
    return first.lex_lt_map(second)


def _named(pairs: isl.Map, first: str, second: str) -> isl.Map:
    return pairs.set_tuple_name(Dim.in_, first).set_tuple_name(Dim.out, second)


@dataclass(frozen=True, eq=False)
class Accesses:
    """Instances to the elements that they surely write, or may write, and their order."""

    must: isl.UnionMap
    may: isl.UnionMap
    order: Order

    @cached_property
    def text(self) -> tuple[str, str, str]:
        """What the flow to a read follows from; those of equal texts are equal."""
        return str(self.must), str(self.may), str(self.order.dates)


@dataclass(frozen=True, slots=True)
class _Question:
    """A read whose flow is asked for; equal keys have equal answers."""

    key: Key
    read: isl.UnionMap = field(compare=False)
    accesses: Accesses = field(compare=False)


def ordered_pairs(first: isl.UnionMap, second: isl.UnionMap, order: Order) -> isl.UnionMap:
    """All pairs of instances of which the first one accesses an element before the second one does."""
    many = first.n_map() * second.n_map() > FEW_PAIRS
    found = _pairs_of_many(first, second, order) if many else _pairs_of_few(first, second, order)
    return union_of_all([each.to_union_map() for each in found], first.get_space())


def _pairs_of_few(first: isl.UnionMap, second: isl.UnionMap, order: Order) -> Iterator[isl.Map]:
    for same in maps_of(first.apply_range(second.reverse())):
        later = order.before(same.get_tuple_name(Dim.in_), same.get_tuple_name(Dim.out))
        yield same.intersect(later).remove_redundancies()


def _pairs_of_many(first: isl.UnionMap, second: isl.UnionMap, order: Order) -> Iterator[isl.Map]:
    """The pairs in order of each two statements; those of statements that differ in their names are found once."""
    for one, other in product(_parts(first), _parts(second)):
        found = _ordered_parts(one, other, order)
        if found is not None:
            yield found


@lru_cache(maxsize=64)
def _parts(accesses: isl.UnionMap) -> tuple[tuple[isl.Map, str], ...]:
    """The accesses of each statement to an array, and what they are but for the names of both."""
    return tuple((part, str(part.reset_tuple_id(Dim.in_).reset_tuple_id(Dim.out))) for part in maps_of(accesses))


def _ordered_parts(first: tuple[isl.Map, str], second: tuple[isl.Map, str], order: Order) -> isl.Map | None:
    """The pairs in order of two statements that access elements of one array; None where they never share one."""
    (one, one_text), (other, other_text) = first, second
    if one.get_tuple_name(Dim.out) != other.get_tuple_name(Dim.out):
        return None
    names = one.get_tuple_name(Dim.in_), other.get_tuple_name(Dim.in_)
    dates = (order.date_of[name] for name in names)
    key = (one_text, other_text, *order.key(*names))
    found = _ordered(_Pair(key, *zip((one, other), dates, strict=True)))
    return None if found is None else _named(found, *names)


@lru_cache(MOST_PAIRS)
def _ordered(pair: _Pair) -> isl.Map | None:
    """The pairs in order of two statements, by their accesses to an array and their dates."""
    (one, first), (other, second) = pair.first, pair.second
    same = one.apply_range(other.reverse())
    return None if same.plain_is_empty() else same.intersect(first.lex_lt_map(second)).remove_redundancies()


def union_of_all(relations: Sequence[isl.UnionMap], space: isl.Space) -> isl.UnionMap:
    """The union of relations; many are joined in groups, since each union copies what it joins."""
    if len(relations) <= FEW_UNIONS:
        return reduce(isl.UnionMap.union, relations, isl.UnionMap.empty(space))
    half = len(relations) // 2
    return union_of_all(relations[:half], space).union(union_of_all(relations[half:], space))


def value_flow(read: isl.UnionMap, accesses: Accesses) -> tuple[isl.UnionMap, isl.UnionMap]:
    """Writers to the reads that may see their value; and reads, to elements, that may see one from before all writes.

    Exact for reads of one element and sure writes, else an over-approximation. Kept: kernels in which one array takes
    the place of another have most of their flows in common.
    """
    return _value_flow(_Question((str(read), *accesses.text), read, accesses))


@lru_cache(MOST_FLOWS)
def _value_flow(question: _Question) -> tuple[isl.UnionMap, isl.UnionMap]:
    read, accesses = question.read, question.accesses
    sure = ordered_pairs(accesses.must, read, accesses.order)
    possible = ordered_pairs(accesses.may, read, accesses.order)
    unwritten = read.subtract(sure.reverse().apply_range(accesses.must))
    recent = without_overwritten(sure, accesses.order) if read.is_single_valued() else sure
    found = _isl_flow(read, accesses, recent, possible)
    if found is not None and is_value_flow(found, read, accesses, recent, possible):
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
    return union_of_all([part.to_union_map() for part in kept], pairs.get_space())


def _textual(pairs: isl.Map, order: Order) -> list[int]:
    """The numbers among the dates of the first instances, 0 for others."""
    return [number or 0 for number in order.textual[pairs.get_tuple_name(Dim.in_)]]


def _overwrites(other: isl.Map, pairs: isl.Map, order: Order) -> bool:
    """Whether all pairs of a writer are such of another one, too, which runs later at the same point."""
    first, second = pairs.get_tuple_name(Dim.in_), other.get_tuple_name(Dim.in_)
    if pairs.dim(Dim.in_) != other.dim(Dim.in_) or not pairs.set_tuple_name(Dim.in_, second).is_subset(other):
        return False
    same_point = pairs.domain().identity().set_tuple_name(Dim.out, second)
    return same_point.is_subset(order.before(first, second))


def _isl_flow(
    read: isl.UnionMap, accesses: Accesses, sure: isl.UnionMap, possible: isl.UnionMap
) -> isl.UnionMap | None:
    """Writers to the reads of their values by isl's analysis, which is told of the writers in these pairs alone.

    None where that takes too many operations: isl enumerates the depths at which writers and reads share their dates.
    """
    writers, maybe = sure.domain().universe(), possible.domain().universe()
    must, may = accesses.must.intersect_domain(writers), accesses.may.intersect_domain(maybe)
    concerned = writers.union(maybe).union(read.domain().universe())
    info = isl.UnionAccessInfo.from_sink(read).set_must_source(must).set_may_source(may)
    try:
        with operation_limit(FLOW_LIMIT):
            scheduled = info.set_schedule_map(accesses.order.dates.intersect_domain(concerned))
            return scheduled.compute_flow().get_may_dependence()
    except LimitReached:
        return None


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
