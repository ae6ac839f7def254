"""Fusions of tasks: enumerated by integer partition, compared within subspaces first [Corvino, 4]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from loadstone.frontend.arrayol.flat import Application
from loadstone.mapping.criteria import MASKED, Units, largest_units, smallest_block
from loadstone.mapping.measures import internal_memory, latency
from loadstone.mapping.processors import Architecture, Fusion, architecture
from loadstone.mapping.times import ExternalMemory


def integer_partitions(count: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """The partitions of a number, greatest part first.

    >>> sorted(integer_partitions(4))
    [(1, 1, 1, 1), (2, 1, 1), (2, 2), (3, 1), (4,)]
    """
    if count == 0:
        yield ()
    for first in range(min(count, count if largest is None else largest), 0, -1):
        yield from ((first, *rest) for rest in integer_partitions(count - first, first))


def contiguous_fusions(count: int) -> list[Fusion]:
    """The ways to fuse neighbours of a sequence of tasks, by the number of macrotasks.

    >>> contiguous_fusions(3)
    [(3,), (1, 2), (2, 1), (1, 1, 1)]
    """
    found = sorted(_compositions(count), key=lambda fusion: (len(fusion), fusion))
    assert {tuple(sorted(fusion, reverse=True)) for fusion in found} == set(integer_partitions(count))
    return found


def _compositions(count: int) -> Iterator[Fusion]:
    if count == 0:
        yield ()
    for first in range(1, count + 1):
        yield from ((first, *rest) for rest in _compositions(count - first))


@dataclass(frozen=True, slots=True)
class Solution:
    """A fusion, its architecture with the most computing units, and what it costs.

    `block` are the data of the blocks of all units together; None where no size masks the transfers, which are then
    not double buffered.
    """

    fusion: Fusion
    architecture: Architecture
    units: Units
    block: int | None
    internal_memory: int
    latency: int

    def dominates(self, other: Solution) -> bool:
        """Whether it costs no more in both measures, and less in one."""
        own, others = (self.internal_memory, self.latency), (other.internal_memory, other.latency)
        return own != others and all(mine <= theirs for mine, theirs in zip(own, others, strict=True))


@dataclass(frozen=True, slots=True)
class Exploration:
    """All fusions, the Pareto front, and the ordered pairs compared, with subspaces and without."""

    solutions: tuple[Solution, ...]
    front: tuple[Solution, ...]
    comparisons: int
    comparisons_without_subspaces: int


def solution(application: Application, fusion: Fusion, memory: ExternalMemory) -> Solution:
    """The mapping of a fusion with the most units and the smallest blocks."""
    mapped = architecture(application, fusion)
    units = largest_units(mapped, memory)
    least = smallest_block(mapped, memory, units, MASKED)
    block = None if least is None else least * max(units)
    return Solution(fusion, mapped, units, block, internal_memory(mapped, units, block or 1), latency(mapped))


def explored(application: Application, memory: ExternalMemory) -> Exploration:
    """The front of all fusions: that of each subspace of equally many macrotasks, then that of those together."""
    solutions = [solution(application, fusion, memory) for fusion in contiguous_fusions(len(application.tasks))]
    subspaces = [list(each) for _, each in groupby(solutions, lambda each: len(each.fusion))]
    survivors = [kept for subspace in subspaces for kept in undominated(subspace)]
    compared = sum(map(_pairs, map(len, subspaces))) + _pairs(len(survivors))
    return Exploration(tuple(solutions), tuple(undominated(survivors)), compared, _pairs(len(solutions)))


def undominated(solutions: Sequence[Solution]) -> list[Solution]:
    """The solutions that no other one dominates."""
    return [each for each in solutions if not any(other.dominates(each) for other in solutions)]


def _pairs(count: int) -> int:
    """Ordered pairs: each solution is held against each other one."""
    return count * (count - 1)
