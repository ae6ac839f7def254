"""Counts of boxes in closed form, compiled: their sum over all strips, for any sizes of tiles.

barvinok counts the elements of a box once, as a quasi-polynomial in its bounds. What a tiling moves is then a sum of
values of this function, over strips that are intervals in each outer dimension. Dimensions that a count does not depend
on are not summed over: the number of their intervals is a factor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from operator import mul

import islpy as isl

from loadstone.poly.isolated import isolated
from loadstone.poly.limits import LimitReached
from loadstone.poly.names import names_of
from loadstone.poly.terms import compiled_pieces, without_parameters
from loadstone.tiling_search.strip_boxes import Elements

CARD_LIMIT, CARD_SECONDS = 1_000_000, 4
MOST_TERMS, FEW_TERMS = 600, 100
"""The values of a count that are summed in a search for sizes, and in a first one."""
Interval = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class BoxCount:
    """The number of elements of an array `at` a box, given by an interval for each of the dimensions `dims`."""

    array: str
    dims: tuple[int, ...]
    at: Callable[[Sequence[Interval]], int]


def box_counts(sets: Sequence[Elements], seconds: int = CARD_SECONDS) -> tuple[BoxCount, ...] | None:
    """The counts of sets with bounds as parameters; None where barvinok takes too long."""
    try:
        text = isolated(lambda: "\n".join(str(part.card()) for _, part in sets), CARD_LIMIT, seconds)
    except LimitReached:
        return None
    arrays = [array for array, _ in sets]
    return tuple(_box_count(array, line) for array, line in zip(arrays, text.splitlines(), strict=True))


def _box_count(array: str, text: str) -> BoxCount:
    return _in_bounds(array, *compiled_pieces(isl.PwQPolynomial.read_from_str(isl.DEFAULT_CONTEXT, text)))


def _in_bounds(array: str, names: Sequence[str], function: Callable[..., int]) -> BoxCount:
    """A function of parameters as one of the bounds of boxes."""
    dims = sorted({int(name[1:]) for name in names})
    bounds = ", ".join(f"box[{dims.index(int(name[1:]))}][{int(name[0] == 'H')}]" for name in names)
    return BoxCount(array, tuple(dims), eval(f"lambda box: function({bounds})", {"function": function}))


def counted_boxes(sets: Sequence[Elements]) -> tuple[BoxCount, ...]:
    """The counts of sets with bounds as parameters, each value counted when it is needed."""
    return tuple(_counted_box(array, part) for array, part in sets)


def _counted_box(array: str, part: isl.Set) -> BoxCount:
    names = names_of(part.get_space())

    @lru_cache(maxsize=4096)
    def function(*bounds: int) -> int:
        return len_of(without_parameters(part, dict(zip(names, bounds, strict=True))))

    return _in_bounds(array, names, function)


def len_of(points: isl.Set) -> int:
    """The number of points of a set without parameters."""
    return points.card().eval(isl.Point.zero(points.get_space().params())).to_python()


@dataclass(frozen=True, slots=True, eq=False)
class StripTraffic:
    """The words that all strips move, for any sizes in the outer dimensions; `reach` bounds the dates."""

    counts: tuple[BoxCount, ...]
    outer: tuple[int, ...]
    reach: tuple[Interval, ...]

    def words(self, sizes: Mapping[int, int]) -> int:
        """The words loaded and stored with these sizes in the outer dimensions."""
        strips = {k: Intervals(self.reach[k], sizes[k]) for k in self.outer}
        return sum(self._moved(count, strips) for count in self.counts)

    def estimate(self, sizes: Mapping[int, int], most: int = MOST_TERMS) -> float:
        """The words, from some of the strips where there are very many; counts are polynomials for the most part."""
        strips = {k: Intervals(self.reach[k], sizes[k]) for k in self.outer}
        return sum(
            self._moved(each, strips) if self._terms(each, strips) <= most else self._sampled(each, strips, most)
            for each in self.counts
        )

    def _terms(self, count: BoxCount, strips: Mapping[int, Intervals]) -> int:
        return prod(len(strips[k]) for k in count.dims)

    def _sampled(self, count: BoxCount, strips: Mapping[int, Intervals], terms: int) -> float:
        repeated = prod(len(strips[k]) for k in self.outer if k not in count.dims)
        most = max(3, round(terms ** (1 / len(count.dims))))
        chosen = [list(_weighted(strips[k], most)) for k in count.dims]
        weights, boxes = ([[w for w, _ in each] for each in chosen], [[box for _, box in each] for each in chosen])
        return repeated * sum(map(mul, map(prod, product(*weights)), map(count.at, product(*boxes))))

    def _moved(self, count: BoxCount, strips: Mapping[int, Intervals]) -> int:
        repeated = prod(len(strips[k]) for k in self.outer if k not in count.dims)
        return repeated * sum(map(count.at, product(*(strips[k] for k in count.dims))))


def _weighted(strips: Intervals, most: int) -> Iterator[tuple[float, Interval]]:
    """Some intervals, with the number of those that each stands for: the first and the last stand for themselves."""
    if len(strips) <= most:
        yield from ((1.0, strip) for strip in strips)
        return
    inner = most - 2
    yield from ((1.0, strips[0]), (1.0, strips[len(strips) - 1]))
    share = (len(strips) - 2) / inner
    yield from ((share, strips[1 + int(share * (k + 0.5))]) for k in range(inner))


@dataclass(frozen=True, slots=True)
class Intervals:
    """The intervals of the tiles of one dimension, cut to what is reached.

    >>> list(Intervals((2, 7), 3))
    [(2, 2), (3, 5), (6, 7)]
    """

    reach: Interval
    size: int

    def __len__(self) -> int:
        first, last = self.reach
        return last // self.size - first // self.size + 1

    def __iter__(self) -> Iterator[Interval]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, position: int) -> Interval:
        first, last = self.reach
        start = (first // self.size + position) * self.size
        return max(first, start), min(last, start + self.size - 1)

    def position_of(self, date: int) -> int:
        """The position of the interval that a date is in."""
        return date // self.size - self.reach[0] // self.size
