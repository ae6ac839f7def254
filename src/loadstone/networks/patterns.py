"""Communication patterns of channels, decided exactly [RR-9131, 2.3].

In order: whenever a value is read before another one, it was not written behind it,

    for all x -> x', y -> y':  x' < y'  implies  x <= y.

Unicity: every value is read once. Both are decided by the emptiness of a parametric relation. For the order, pairs of
values are written by their dates on both sides; one pair is read before another exactly if, in some component k, its
reading date is smaller and all components before agree, and likewise it is written behind the other in some component
l. Each choice of k and l is a conjunction of its own and is tested by itself, which stays small where a disjunction
over all of them would not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import islpy as isl

from loadstone.networks.model import Pattern
from loadstone.poly import coalesced
from loadstone.poly.dimensions import compared, constant_component, last_is_determined, with_components
from loadstone.poly.enumeration import Point, sample_pair
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import Dim

PATTERN_LIMIT = 4_000_000
MOST_PIECES = 10
PATTERNS: dict[tuple[bool, bool], Pattern] = {
    (True, True): "fifo",
    (True, False): "fifo-register",
    (False, True): "reorder",
    (False, False): "reorder-register",
}


@dataclass(frozen=True, slots=True)
class Classified:
    """The pattern of a relation, and why it is only a safe choice where it could not be decided."""

    pattern: Pattern
    note: str = ""


def classified(
    relation: isl.Map, producer_dates: isl.Map, consumer_dates: isl.Map, limit: int = PATTERN_LIMIT
) -> Classified:
    """The pattern of a relation under the dates of both sides.

    Exact, unless a question needs more isl operations than the limit: then the answer is taken to be no, which any
    implementation survives, and noted.
    """
    unique, unique_note = _decided("whether values are read once", limit, relation.is_single_valued)
    ordered, ordered_note = _decided(
        "the order of reads", limit, lambda: in_order(timed(relation, producer_dates, consumer_dates))
    )
    return Classified(PATTERNS[ordered, unique], "; ".join(filter(None, (unique_note, ordered_note))))


def timed(relation: isl.Map, producer_dates: isl.Map, consumer_dates: isl.Map, always: int = 0) -> isl.Map:
    """The relation between dates of writing and dates of reading.

    Dates keep their first `always` components and the components that can decide an order.
    """
    writing, reading = deciding_dates(producer_dates, always), deciding_dates(consumer_dates, always)
    return relation.apply_domain(writing).apply_range(reading)


def untimed(dated: isl.Map, producer_dates: isl.Map, consumer_dates: isl.Map, always: int = 0) -> isl.Map:
    """The relation between instances of which `timed` makes this relation between dates."""
    writing, reading = deciding_dates(producer_dates, always), deciding_dates(consumer_dates, always)
    return coalesced(dated.apply_domain(writing.reverse()).apply_range(reading.reverse()))


def in_order(dated: isl.Map) -> bool:
    """Whether values are never read in another order than that in which they were written."""
    return no_overtaking(dated, dated)


def compatible(first: isl.Map, second: isl.Map) -> bool:
    """Whether the union of two relations between dates is in order, if each of them is."""
    return no_overtaking(first, second) and no_overtaking(second, first)


def no_overtaking(first: isl.Map, second: isl.Map) -> bool:
    """Whether no value of the first relation is written behind one of the second and read before it."""
    return next(_overtakings(first, second), None) is None


def overtaking(dated: isl.Map) -> tuple[Point, Point]:
    """Two values of a relation that is not in order, as dates of writing and reading: the second overtakes the first.

    That is, the first is written before the second, and read behind it.
    """
    _, overtaken, other = sample_pair(next(_overtakings(dated, dated)).reverse())
    return overtaken, other


def _overtakings(first: isl.Map, second: isl.Map) -> Iterator[isl.Map]:
    """Sets of pairs, none empty, of a value of each relation of which the first is written behind and read before."""
    return (
        broken
        for left, right in product(first.get_basic_maps(), second.get_basic_maps())
        for broken in _candidates(left, right)
        if not broken.is_empty()
    )


def _candidates(first: isl.BasicMap, second: isl.BasicMap) -> Iterator[isl.Map]:
    """Conjunctions whose union holds the pairs of values of which the first is written behind, and read before.

    The order of reading differs first in component k of the dates, the order of writing in component l.
    """
    writing, reading = first.dim(Dim.in_), first.dim(Dim.out)
    same = isl.Map.from_domain_and_range(_points(first), _points(second))
    for k in range(writing, writing + reading):
        yield from _written_behind(compared(same, k, "<"), writing)
        same = compared(same, k, "=")
        if same.is_empty():
            return


def _points(piece: isl.BasicMap) -> isl.Set:
    return isl.Map.from_basic_map(piece).wrap().flatten()


def _written_behind(candidates: isl.Map, components: int) -> Iterator[isl.Map]:
    """Conjunctions whose union holds the pairs whose first value is written behind the second."""
    for component in range(components):
        if compared(candidates, component, ">=").is_empty():
            return
        yield compared(candidates, component, ">")
        candidates = compared(candidates, component, "=")


@lru_cache(maxsize=64)
def deciding_dates(dates: isl.Map, always: int = 0) -> isl.Map:
    """The first `always` components of dates, and the components that can decide which of two instances is first.

    Components determined by earlier ones are dropped; of dates with many pieces, only constant components are.
    """
    kept = list(range(always))
    remaining = range(always, dates.dim(Dim.out))
    if dates.n_basic_map() > MOST_PIECES:
        changing = [k for k in remaining if constant_component(dates, k) is None]
        return with_components(dates, [*kept, *changing])
    for position in remaining:
        if with_components(dates, kept).is_injective():
            break
        if not last_is_determined(with_components(dates, [*kept, position]).range()):
            kept.append(position)
    return with_components(dates, kept)


def _decided(question: str, limit: int, decide: Callable[[], bool]) -> tuple[bool, str]:
    try:
        with operation_limit(limit):
            return decide(), ""
    except LimitReached as reached:
        return False, f"{question} could not be decided: {reached}"
