"""Parts of a channel that are in order, found by depth, tile distance and positions; `split` says why they exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from loadstone.networks.crossings import Coordinate, Crossing, Span
from loadstone.networks.patterns import compatible, in_order, overtaking

MOST_DISTANCES = 32


class NoSplit(Exception):
    """No split was found; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some values of a channel, and the depth at which they cross tiles."""

    values: Crossing
    depth: int


@dataclass(frozen=True, slots=True)
class Splitter:
    """Finds parts of a channel that are in order and, with `once`, read once: FIFOs.

    `regular`: before tiling the channel is a FIFO. Then parts are always found.
    """

    regular: bool
    once: bool

    def parts(self, values: Crossing) -> Iterator[Part]:
        """Parts that make up the values; raises `NoSplit` if there are none."""
        for depth, crossing in values.by_depth():
            yield from (Part(part, depth) for part in self._parts_of_depth(crossing))

    def fits(self, values: Crossing) -> bool:
        """Whether values are as wanted."""
        return in_order(values.dated) and (not self.once or values.dated.is_single_valued())

    def fit_together(self, first: Part, second: Part) -> bool:
        """Whether the union of two parts that are as wanted is so, too."""
        one, other = first.values.dated, second.values.dated
        read_once = self.regular or not self.once or one.union(other).is_single_valued()
        return read_once and compatible(one, other)

    def _parts_of_depth(self, values: Crossing) -> Iterable[Crossing]:
        if self.fits(values):
            return (values,)
        parts = values.by_distance(MOST_DISTANCES)
        if parts and all(map(self.fits, parts)):
            return parts
        if self.regular:
            return self._cut(values)
        raise NoSplit("it is not a FIFO before tiling either")

    def _cut(self, values: Crossing) -> Iterator[Crossing]:
        """The values in intervals of one coordinate, or else cut between two that are out of order, and so on."""
        if self.fits(values):
            yield values
            return
        spans = values.spans()
        covers = (self._intervals(values, coordinate, *span) for coordinate, span in spans.items())
        cover = _shortest(covers)
        if cover:
            yield from cover
            return
        for half in _apart(values, spans):
            yield from self._cut(half)

    def _intervals(self, values: Crossing, coordinate: Coordinate, low: int, high: int) -> list[Crossing]:
        """The values in intervals of a coordinate, each as long as it can be; none if a single number is too long."""
        found: list[Crossing] = []
        while low <= high:
            if not self.fits(values.within(coordinate, low, low)):
                return []
            end = self._longest(values, coordinate, low, high)
            found.append(values.within(coordinate, low, end))
            low = end + 1
        return found

    def _longest(self, values: Crossing, coordinate: Coordinate, low: int, high: int) -> int:
        """The end of the longest interval from `low` to at most `high` that fits, by bisection; `low` fits."""
        good, bad, middle = low, high + 1, high
        while bad - good > 1:
            if self.fits(values.within(coordinate, low, middle)):
                good = middle
            else:
                bad = middle
            middle = (good + bad) // 2
        return good


def _shortest(covers: Iterable[list[Crossing]]) -> list[Crossing]:
    """The shortest of the covers that are not empty, or an empty one; two parts are not to be beaten."""
    best: list[Crossing] = []
    for cover in covers:
        if cover and (not best or len(cover) < len(best)):
            best = cover
        if len(best) == 2:
            break
    return best


def _apart(values: Crossing, spans: Mapping[Coordinate, Span]) -> tuple[Crossing, Crossing]:
    """Two halves of values that are not in order, cut between two that are out of order.

    In a distance where they differ, else in the position where they differ most; they do in one [split, (b)].
    """
    witnesses = overtaking(values.dated)
    ends = {coordinate: sorted(map(coordinate.at, witnesses)) for coordinate in spans}
    gaps = {coordinate: high - low for coordinate, (low, high) in ends.items()}
    chosen = max(gaps, key=lambda coordinate: (coordinate.is_distance and gaps[coordinate] > 0, gaps[coordinate]))
    middle = sum(ends[chosen]) // 2
    low, high = spans[chosen]
    return values.within(chosen, low, middle), values.within(chosen, middle + 1, high)
