"""The front so far: vectors of measures that no other one is at least as good as in everything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Vector = tuple[int, ...]
Held = TypeVar("Held")


def is_covered(vector: Vector, others: Iterable[Vector]) -> bool:
    """Whether one of some vectors is at most as large everywhere.

    >>> is_covered((3, 5), [(3, 4)]), is_covered((3, 5), [(2, 6)])
    (True, False)
    """
    return any(all(a <= b for a, b in zip(other, vector, strict=True)) for other in others)


@dataclass(eq=False)
class Archive(Generic[Held]):
    """Points with their vectors; a new one takes the place of those that it covers."""

    points: list[tuple[Vector, Held]] = field(default_factory=list[tuple[Vector, Held]])

    @property
    def vectors(self) -> list[Vector]:
        """The vectors of the front."""
        return [vector for vector, _ in self.points]

    def add(self, vector: Vector, point: Held) -> bool:
        """Take a point into the front unless it is covered; returns whether it was taken."""
        if is_covered(vector, self.vectors):
            return False
        self.points = [(other, kept) for other, kept in self.points if not is_covered(other, [vector])]
        self.points.append((vector, point))
        return True

    def sorted(self) -> Sequence[tuple[Vector, Held]]:
        """The front by rising vectors."""
        return sorted(self.points, key=lambda each: each[0])
