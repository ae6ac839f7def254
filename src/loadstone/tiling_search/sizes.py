"""The sizes of tiles for which an order moves the fewest words in a given local memory.

Words are exact. Cells are estimated by the elements in local memory at a few positions of the window of tiles in
flight: a lower bound, which `Fit` raises to what the buffers of real plans take. The search is a grid over all outer
dimensions but the last, whose size is the largest that fits, and then a dense neighbourhood of the best sizes found. It
does not prove an optimum.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from loadstone.tiling_search.closed_counts import FEW_TERMS, MOST_TERMS, BoxCount, Interval, Intervals, StripTraffic
from loadstone.tiling_search.footprints import Footprints
from loadstone.tiling_search.orders import Order

Sizes = Mapping[int, int]
FEW, DENSE_DIMS = 10, 2
NEAR, SMALL = 3, 128


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """What local memory holds while tiles of a strip run: closed forms, or where there are none, an estimate."""

    counts: tuple[BoxCount, ...] | Footprints
    order: Order
    reach: tuple[Interval, ...]
    depth: int

    @property
    def stepped(self) -> int:
        """The dimension that the tiles in flight follow each other in: the first of the strip not of size 1."""
        return next((k for k in self.order.strip if k not in self.order.single), self.order.strip[0])

    def live(self, sizes: Sizes) -> dict[str, int]:
        """The elements of each array in local memory, the most of those at some positions."""
        if isinstance(self.counts, Footprints):
            dims = range(len(self.reach))
            whole = [last - first + 1 for first, last in self.reach]
            return self.counts.live([self._width(k, sizes[k]) for k in dims], self.order.strip, whole)
        places = {k: self._places(k, sizes) for k in self.order.dims}
        return {c.array: max(c.at(box) for box in product(*(places[k] for k in c.dims))) for c in self.counts}

    def _width(self, dim: int, size: int) -> int:
        """How many dates of one dimension are at work at once."""
        return min((self.depth if dim == self.stepped else 1) * size, self.reach[dim][1] - self.reach[dim][0] + 1)

    def _places(self, dim: int, sizes: Sizes) -> list[Interval]:
        """Intervals of one dimension: the first, one in the middle, and the last, as long as tiles are in flight.

        Where tiles follow each other, also those at the centre of the tile in the middle of each outer dimension.
        """
        found, is_stepped = Intervals(self.reach[dim], sizes[dim]), dim == self.stepped
        reach = self.depth - 1 if is_stepped else 0
        last = len(found) - 1
        chosen = {0, last // 2, max(0, last - reach)}
        if is_stepped:
            chosen |= {min(max(0, found.position_of(self._centre(k, sizes[k]))), last) for k in self.order.outer}
        return [(found[k][0], found[min(k + reach, last)][1]) for k in sorted(chosen)]

    def _centre(self, dim: int, size: int) -> int:
        """The date at the centre of the tile in the middle of a dimension."""
        tiles = Intervals(self.reach[dim], size)
        return sum(tiles[(len(tiles) - 1) // 2]) // 2


@dataclass(frozen=True, slots=True)
class Fit:
    """How many cells an array takes: `whole` if always as many, else `factor` times the live elements."""

    factor: float = 1.0
    whole: int | None = None

    def cells(self, live: int) -> float:
        """The cells for a number of live elements."""
        return max(1, self.factor * live) if self.whole is None else self.whole


@dataclass(frozen=True, eq=False)
class SizeSearch:
    """A search for sizes of one order; `fits` are learnt from real plans, whose sizes are `planned`."""

    order: Order
    traffic: StripTraffic
    held: Held
    local: int
    fits: dict[str, Fit] = field(default_factory=dict[str, Fit])
    planned: list[Sizes] = field(default_factory=list[Sizes])

    @property
    def free(self) -> tuple[int, ...]:
        """The outer dimensions that may have any size."""
        return tuple(k for k in self.order.outer if k not in self.order.single)

    def complete(self, chosen: Sizes) -> dict[int, int]:
        """Sizes of all dimensions: 1 where they must be, and where tiles follow each other; full behind that."""
        inner = self.order.strip[self.order.strip.index(self.held.stepped) + 1 :]
        full = {k: extent(self.held.reach[k]) for k in inner if k not in self.order.single}
        return {**dict.fromkeys(self.order.dims, 1), **full, **chosen}

    def cells(self, sizes: Sizes, copies: int = 1) -> float:
        """About how many cells all buffers take."""
        live = self.held.live(sizes)
        return copies * sum(self.fits.get(array, Fit()).cells(count) for array, count in live.items())

    def coarse(self, price: Callable[[float, Sizes], float]) -> tuple[float, Sizes] | None:
        """The best of some sizes in each dimension: of all that rectangular domains need, if that is quick."""
        quick = len(self.free) <= DENSE_DIMS
        every = [useful_sizes(self.held.reach[k]) for k in self.free]
        return self._best(every if quick else [spread(sizes, FEW) for sizes in every], price, FEW_TERMS)

    def dense(self, price: Callable[[float, Sizes], float]) -> tuple[float, Sizes] | None:
        """The best of many sizes in each dimension, and of those around it."""
        few = len(self.free) <= DENSE_DIMS and not isinstance(self.held.counts, Footprints)
        ways = [self._every(k) if few else useful_sizes(self.held.reach[k]) for k in self.free]
        many = [way if few or len(ways) <= DENSE_DIMS else spread(way, 2 * FEW) for way in ways]
        found = self._best(many, price)
        return None if found is None else self._around(found, price)

    def _every(self, dim: int) -> Sequence[int]:
        """All sizes of a small dimension, else those that rectangular domains need."""
        sizes = range(1, extent(self.held.reach[dim]) + 1)
        return sizes if len(sizes) <= SMALL else useful_sizes(self.held.reach[dim])

    def _best(
        self, ways: Sequence[Sequence[int]], price: Callable[[float, Sizes], float], terms: int = MOST_TERMS
    ) -> tuple[float, Sizes] | None:
        return self._priced(self._largest(ways) if ways else [self.complete({})], price, terms)

    def _largest(self, ways: Sequence[Sequence[int]]) -> Iterator[dict[int, int]]:
        """For each choice of all sizes but the last, the largest last one that fits."""
        *dims, last = self.free
        for chosen in product(*ways[:-1]):
            given = dict(zip(dims, chosen, strict=True))
            count = bisect_left(ways[-1], True, key=lambda size, given=given: not self._fits({**given, last: size}))
            if count:
                yield self.complete({**given, last: ways[-1][count - 1]})

    def _fits(self, chosen: Sizes) -> bool:
        return self.cells(self.complete(chosen)) <= self.local

    def _priced(
        self, every: Iterable[dict[int, int]], price: Callable[[float, Sizes], float], terms: int = MOST_TERMS
    ) -> tuple[float, Sizes] | None:
        fitting = (sizes for sizes in every if sizes not in self.planned and self.cells(sizes) <= self.local)
        priced = ((price(self.traffic.estimate(sizes, terms), sizes), self.cells(sizes), sizes) for sizes in fitting)
        best = min(priced, key=lambda found: found[:2], default=None)
        return None if best is None else (best[0], best[2])

    def _around(self, found: tuple[float, Sizes], price: Callable[[float, Sizes], float]) -> tuple[float, Sizes]:
        """The best sizes in the neighbourhood, and in that of the better ones, until there are none."""
        while True:
            near = [range(max(1, found[1][k] - NEAR), found[1][k] + NEAR + 1) for k in self.free]
            every = (self.complete(dict(zip(self.free, chosen, strict=True))) for chosen in product(*near))
            better = self._priced(every, price)
            if better is None or better[0] >= found[0]:
                return found if better is None or better[0] > found[0] else better
            found = better


def extent(reach: Interval) -> int:
    """A size that is not smaller than any date: one tile holds all of them that are not negative."""
    first, last = reach
    return max(last + 1, -first, 1)


def useful_sizes(reach: Interval) -> list[int]:
    """The least sizes for each number of tiles.

    >>> useful_sizes((0, 9))
    [1, 2, 3, 4, 5, 10]
    """
    span = extent(reach)
    return sorted({-(-span // count) for count in range(1, span + 1)})


def spread(values: Sequence[int], count: int) -> list[int]:
    """So many of the values, evenly spread, with the first and the last."""
    if len(values) <= count:
        return list(values)
    return [values[round(k * (len(values) - 1) / (count - 1))] for k in range(count)]


def number_of_tiles(reach: Sequence[Interval], sizes: Sizes, dims: Iterable[int]) -> int:
    """The number of boxes in some dimensions, empty ones among them."""
    return prod(len(Intervals(reach[k], sizes[k])) for k in dims)
