"""Whether groups keep the order of what depends on each other: of instances that touch an element, one to write it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import islpy as isl

from loadstone.model.kernel import Statement
from loadstone.parallel.groups import Grouping
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import range_product

ORDER_LIMIT = 10_000_000
"""The most isl operations to find out whether two accesses keep their order."""


def swapped_arrays(grouping: Grouping, limit: int = ORDER_LIMIT) -> Iterator[str]:
    """The arrays through which instances depend on each other that would change places, or may do so."""
    dates = [_Dates.of(grouping, statement) for statement in grouping.tiles.kernel.statements]
    for writer, other in product(dates, dates):
        for array, place in other.places:
            name, written = writer.places[-1]
            if array == name and not _keep_order((writer, written), (other, place), limit):
                yield array


@dataclass(frozen=True, slots=True, eq=False)
class _Dates:
    """The instances of a statement: their times before, and in groups, and places by accessed array, the write last.

    A place is the tile, the loops around the group, and the element; only instances of one place are compared.
    """

    before: isl.Map
    after: isl.Map
    places: tuple[tuple[str, isl.Map], ...]

    @classmethod
    def of(cls, grouping: Grouping, statement: Statement) -> _Dates:
        """The dates of the instances of a statement."""
        name, tiles = statement.name, grouping.tiles
        around = range_product((tiles.instance_to_tile(name), grouping.around(name)))
        accesses = (*statement.reads, statement.write)
        return cls(
            tiles.instance_to_time(name).intersect_domain(statement.domain),
            grouping.time(name),
            tuple((each.array, around.flat_range_product(each.relation)) for each in accesses),
        )


def _keep_order(first: tuple[_Dates, isl.Map], second: tuple[_Dates, isl.Map], limit: int) -> bool:
    """Whether instances of the same place keep their order."""
    (one, place), (other, same_place) = first, second
    try:
        with operation_limit(limit):
            same = place.apply_range(same_place.reverse())
            return same.is_empty() or not (_swaps(same, one, other) or _swaps(same.reverse(), other, one))
    except LimitReached:
        return False


def _swaps(same: isl.Map, one: _Dates, other: _Dates) -> bool:
    """Whether an instance that comes first would not any more."""
    swapped = same.intersect(one.before.lex_lt_map(other.before))
    return not swapped.intersect(one.after.lex_ge_map(other.after)).is_empty()
