"""Reuse distances of a stream of accesses: a Fenwick tree over time [Bennett, Kruskal; Olken].

An element is marked at the time of its last access, so that the distance of a reuse is the number of marks after that
of its use. When time is used up, marks are numbered anew: memory grows with the elements, not with the accesses.
Which dimension of the dates a reuse crosses needs no memory per element: it is the first one that has changed since the
use. `Counter` is the plain version; `COUNTER_C` does the same in C.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from loadstone.texts import text_of

_FIRST_CAPACITY = 1 << 10

Key = tuple[int, int, int]
"""Number of the use's reference, number of the reuse's reference, depth."""


@dataclass(slots=True)
class Tally:
    """The reuses of one key; `long` counts distances of at least the given size."""

    count: int = 0
    total: int = 0
    largest: int = 0
    long: int = 0
    bins: list[int] = field(default_factory=lambda: [0] * 65)

    def add(self, distance: int, size: int) -> None:
        """Count one reuse."""
        self.count += 1
        self.total += distance
        self.largest = max(self.largest, distance)
        self.long += distance >= size
        self.bins[distance.bit_length()] += 1


@dataclass(slots=True)
class Counts:
    """First accesses, reuses by distance, and reuses by key."""

    cold: int = 0
    distances: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    tallies: defaultdict[Key, Tally] = field(default_factory=lambda: defaultdict(Tally))


class Counter:
    """Takes the accesses of a run in order and counts their reuse distances."""

    def __init__(self, size: int) -> None:
        self.counts = Counts()
        self._size = size
        self._last: dict[int, tuple[int, int]] = {}
        self._tree = [0] * (_FIRST_CAPACITY + 1)
        self._now = 1
        self._date: tuple[int, ...] = ()
        self._starts: list[int] = []

    def enter(self, date: Sequence[int]) -> None:
        """Say at which date the accesses that follow happen."""
        now = tuple(date)
        same = next((k for k, (old, new) in enumerate(zip(self._date, now, strict=False)) if old != new), len(now))
        first = same if self._starts else 0
        self._starts[first:] = [self._now] * (len(now) - first)
        self._date = now

    def touch(self, element: int, reference: int) -> int | None:
        """Count an access; returns its backward reuse distance, None for a first access."""
        if self._now == len(self._tree):
            self._compact()
        distance = self._reuse(element, reference)
        self._mark(self._now, 1)
        self._last[element] = (self._now, reference)
        self._now += 1
        return distance

    def _reuse(self, element: int, reference: int) -> int | None:
        if element not in self._last:
            self.counts.cold += 1
            return None
        time, use = self._last[element]
        distance = len(self._last) - self._marks_until(time)
        depth = next((k for k, start in enumerate(self._starts) if time < start), len(self._starts))
        self.counts.distances[distance] += 1
        self.counts.tallies[use, reference, depth].add(distance, self._size)
        self._mark(time, -1)
        return distance

    def _marks_until(self, time: int) -> int:
        total = 0
        while time > 0:
            total += self._tree[time]
            time &= time - 1
        return total

    def _mark(self, time: int, change: int) -> None:
        while time < len(self._tree):
            self._tree[time] += change
            time += time & -time

    def _compact(self) -> None:
        """Number the marks from 1 on, and make room for as many again."""
        self._starts = [self._marks_until(start - 1) + 1 for start in self._starts]
        ordered = sorted(self._last.items(), key=lambda item: item[1][0])
        self._last = {element: (rank + 1, use) for rank, (element, (_, use)) in enumerate(ordered)}
        self._now = len(ordered) + 1
        self._tree = [0] * (max(_FIRST_CAPACITY, 4 * len(ordered)) + 1)
        for time in range(1, self._now):
            self._mark(time, 1)


COUNTER_C = text_of(__name__, "counter.c")
"""Expects LOADSTONE_DEPTHS, LOADSTONE_REFERENCES and LOADSTONE_CELLS to be defined."""
