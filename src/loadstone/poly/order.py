"""Lexicographic order between the instances of two statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl

from loadstone.poly.extrema import greatest, least
from loadstone.poly.spaces import Dim, range_product


def order_violations(pairs: isl.Map, first: isl.Map, second: isl.Map) -> Iterator[tuple[int, isl.Map]]:
    """For each dimension of the dates, the pairs whose dates agree before it and decrease in it.

    `first` and `second` map the two sides of `pairs` to their dates. Pairs with equal dates are reported at the
    dimension behind the last one.
    """
    dims = first.dim(Dim.out)
    remaining = _dates_of_both(pairs, first, second)
    for position in range(dims):
        backwards = remaining.order_gt(Dim.out, position, Dim.out, dims + position)
        if not backwards.is_empty():
            yield position, backwards.domain().unwrap()
        remaining = remaining.equate(Dim.out, position, Dim.out, dims + position)
        if remaining.is_empty():
            return
    yield dims, remaining.domain().unwrap()


def in_order_of_blocks(pairs: isl.Map, first: isl.Map, second: isl.Map, sizes: Sequence[int]) -> bool:
    """Whether pairs surely stay in order where blocks of dates count first, then dates: sufficient, not necessary.

    Blocks have sizes along the first dimensions. No date decreases along one of these, so no block does; inside of a
    block the dates grow. Blocks of size 1 are dates, and those behind them may decrease where these grow.
    """
    dims, remaining = first.dim(Dim.out), _dates_of_both(pairs, first, second)
    for position, size in enumerate(sizes):
        if not remaining.order_gt(Dim.out, position, Dim.out, dims + position).is_empty():
            return False
        if size == 1:
            remaining = remaining.equate(Dim.out, position, Dim.out, dims + position)
    for position in range(len(sizes)):
        remaining = remaining.equate(Dim.out, position, Dim.out, dims + position)
    for position in range(len(sizes), dims):
        if remaining.is_empty() or not remaining.order_gt(Dim.out, position, Dim.out, dims + position).is_empty():
            break
        remaining = remaining.equate(Dim.out, position, Dim.out, dims + position)
    return remaining.is_empty()


def carried(pairs: isl.Map, first: isl.Map, second: isl.Map, position: int) -> isl.Map:
    """The pairs whose dates agree before a dimension and differ in it."""
    dims = first.dim(Dim.out)
    remaining = _dates_of_both(pairs, first, second)
    for before in range(position):
        remaining = remaining.equate(Dim.out, before, Dim.out, dims + before)
    up = remaining.order_lt(Dim.out, position, Dim.out, dims + position)
    down = remaining.order_gt(Dim.out, position, Dim.out, dims + position)
    return up.union(down).domain().unwrap()


def _dates_of_both(pairs: isl.Map, first: isl.Map, second: isl.Map) -> isl.Map:
    """Pairs to the dates of their two sides, one after the other."""
    both = (pairs.domain_map().apply_range(first), pairs.range_map().apply_range(second))
    return range_product(both).intersect_domain(pairs.wrap())


def earlier(space: isl.Space) -> isl.Map:
    """The map from each point of a set space to all lexicographically smaller ones."""
    return isl.Map.lex_gt(space)


def later(space: isl.Space) -> isl.Map:
    """The map from each point of a set space to all lexicographically greater ones."""
    return isl.Map.lex_lt(space)


def not_earlier(space: isl.Space) -> isl.Map:
    """The map from each point of a set space to itself and all lexicographically greater ones."""
    return isl.Map.lex_le(space)


def near_end(iterations: isl.Map, count: int, *, upward: bool) -> isl.Set:
    """The points (outer, counter) of a map from outer counters to a counter that are close to an end of its values.

    With `upward`, those less than `count` above the first value, else those less than `count` below the last one.
    """
    window = f"e <= x < e + {count}" if upward else f"e - {count} < x <= e"
    ends = least(iterations) if upward else greatest(iterations)
    close = ends.apply_range(isl.Map(f"{{ [e] -> [x] : {window} }}"))
    return iterations.intersect(close).wrap().flatten()
