"""What a run says of its reuse distances: how often each occurs, between which references, carried by what.

The backward reuse distance of an access is the number of distinct elements accessed strictly between it and the
previous access of the same element; infinite for a first access [Devos, Definitions 1 and 2]. A fully associative LRU
cache hits exactly where the distance is smaller than its size.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from loadstone.locality.references import Reference


@dataclass(frozen=True, slots=True)
class PairCount:
    """The reuses from one reference to another whose dates first differ at one depth.

    `depth` is a dimension of the dates, or their length for a reuse inside of one instance. `bins[b]` counts the
    distances of `bit_length` b: 0, then 1, 2 to 3, 4 to 7, and so on.
    """

    use: Reference
    reuse: Reference
    depth: int
    count: int
    total: int
    largest: int
    bins: tuple[int, ...]
    long: int

    @property
    def mean(self) -> float:
        """The mean distance."""
        return self.total / self.count


@dataclass(frozen=True, slots=True)
class Profile:
    """The reuse distances of one run.

    `cold`: first accesses, as many as elements (or lines) are touched. `distances`: each distance with its number of
    reuses, ascending. `size`: reuses of at least this distance are long.
    """

    cold: int
    distances: tuple[tuple[int, int], ...]
    pairs: tuple[PairCount, ...]
    size: int

    @property
    def reuses(self) -> int:
        """The number of accesses that are not the first of their element."""
        return sum(count for _, count in self.distances)

    @property
    def accesses(self) -> int:
        """The number of accesses."""
        return self.cold + self.reuses

    @property
    def largest(self) -> int:
        """The largest finite distance; 0 if there is none."""
        return self.distances[-1][0] if self.distances else 0


def misses(profile: Profile, size: int) -> int:
    """The misses of a fully associative LRU cache of some size: first accesses, and distances of at least the size."""
    return profile.cold + exceeding(profile, size - 1)


def exceeding(profile: Profile, distance: int) -> int:
    """The number of reuses with a distance greater than this one, as in Devos' Table 3.6."""
    return sum(count for found, count in profile.distances if found > distance)


def miss_curve(profile: Profile) -> tuple[tuple[int, int], ...]:
    """Size and misses of an LRU cache wherever the misses change, from size 0 on: the whole curve."""
    counts = [count for _, count in profile.distances]
    saved = accumulate(counts, initial=0)
    sizes = [0, *(distance + 1 for distance, _ in profile.distances)]
    return tuple((size, profile.accesses - hits) for size, hits in zip(sizes, saved, strict=True))


def histogram(profile: Profile) -> tuple[int, ...]:
    """The number of reuses by `bit_length` of their distance: 0, 1, 2 to 3, 4 to 7, and so on."""
    bins = [0] * (profile.largest.bit_length() + 1 if profile.distances else 0)
    for distance, count in profile.distances:
        bins[distance.bit_length()] += count
    return tuple(bins)


def default_size(cold: int) -> int:
    """The largest power of two of at most a quarter of the elements that are touched, and at least 1.

    What counts as long thus grows with the kernel. For Devos' example (17 elements) it is the 4 of Table 3.1.
    """
    return 1 << max(0, (cold // 4).bit_length() - 1)
