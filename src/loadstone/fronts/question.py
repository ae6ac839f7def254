"""What an exploration is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loadstone.fronts.energy import DEFAULT_TABLE, EnergyTable
from loadstone.fronts.space import AREA, Design, Measure, Space
from loadstone.fronts.stages import Subject


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked: a space of designs of a subject, which measures count, and the most that some may be."""

    subject: Subject
    space: Space
    objectives: tuple[Measure, ...] = ("cycles", "cells")
    at_most: Mapping[Measure, int] = field(default_factory=dict[Measure, int])
    energies: EnergyTable = DEFAULT_TABLE

    @property
    def needs_area(self) -> bool:
        """Whether designs are judged by their area, for which they must be built."""
        return not set(AREA).isdisjoint((*self.objectives, *self.at_most))

    def is_allowed(self, measures: Mapping[Measure, int]) -> bool:
        """Whether no measure that is known is beyond its limit."""
        return all(measures.get(name, 0) <= most for name, most in self.at_most.items())


@dataclass(frozen=True, slots=True)
class Point:
    """A design of the front; `mhz` is the frequency of its clock where it was synthesised."""

    design: Design
    measures: Mapping[Measure, int]
    mhz: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The front, and how it was found: designs evaluated, excluded by bounds, impossible, and not looked at.

    Where some were not looked at, the first objective may be better by `gap`, a part of the best one, at most. Where
    there were too many tilings for all of them, they were `sampled` by somebody. Designs that were `given_up`, by the
    reason, are among those not looked at.
    """

    front: tuple[Point, ...]
    space: int
    evaluated: int
    excluded: int
    impossible: int
    reasons: Mapping[str, int]
    gap: float | None
    sampled: str | None = None
    given_up: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def left(self) -> int:
        """The designs that time did not suffice for."""
        return self.space - self.evaluated - self.excluded - self.impossible

    @property
    def is_exhaustive(self) -> bool:
        """Whether every design was evaluated or excluded by a proof."""
        return self.left == 0


Verdict = Mapping[str, Any]
"""What became of a design: its measures, or why it was excluded, is impossible, or was given up."""
