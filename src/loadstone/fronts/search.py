"""Branch and bound over a space of designs: what a bound excludes is not evaluated, and the front stays exact.

All designs of one tiling are judged together. First its plan tells words and cells, and bounds on the cycles of each
design follow. A design whose bounds are covered by a point of the front cannot improve it; the others are predicted.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.fronts.archive import Archive, Vector, is_covered
from loadstone.fronts.measures import Subject, least_cycles, least_of_all, measured, planned, vector
from loadstone.fronts.space import Design, Measure, Space
from loadstone.fronts.store import Store
from loadstone.options import Choices
from loadstone.poly.isolated import isolated
from loadstone.poly.limits import DEFAULT_LIMIT, LimitReached

TILING_SECONDS = 60
DEFAULT_BUS = 64
"""The bits of a bus where none is chosen: as many as the widest elements have, at most so many."""
_OPERATIONS = 20 * DEFAULT_LIMIT


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked: a space of designs of a subject, which measures count, and the most that some may be."""

    subject: Subject
    space: Space
    objectives: tuple[Measure, ...] = ("cycles", "cells")
    at_most: Mapping[Measure, int] = field(default_factory=dict[Measure, int])

    def is_allowed(self, measures: Mapping[Measure, int]) -> bool:
        """Whether no measure that is known is beyond its limit."""
        return all(measures.get(name, 0) <= most for name, most in self.at_most.items())


@dataclass(frozen=True, slots=True)
class Point:
    """A design of the front."""

    design: Design
    measures: Mapping[Measure, int]


@dataclass(frozen=True, slots=True)
class Answer:
    """The front, and how it was found: designs evaluated, excluded by bounds, impossible, and not looked at.

    Where some were not looked at, the first objective may be better by `gap`, a part of the best one, at most.
    """

    front: tuple[Point, ...]
    space: int
    evaluated: int
    excluded: int
    impossible: int
    reasons: Mapping[str, int]
    gap: float | None

    @property
    def left(self) -> int:
        """The designs that time did not suffice for."""
        return self.space - self.evaluated - self.excluded - self.impossible

    @property
    def is_exhaustive(self) -> bool:
        """Whether every design was evaluated or excluded by a proof."""
        return self.left == 0


Progress = Callable[[int, int], None]
"""Told how many designs are done, and how many there are."""


def explore(
    question: Question, store: Store, *, jobs: int = 1, seconds: float | None = None, progress: Progress | None = None
) -> Answer:
    """The front of a space, in several processes; the front so far when the time is over or Ctrl-C is pressed."""
    search = _Search(question, store)
    end = None if seconds is None else time.monotonic() + seconds
    try:
        for tiling, verdicts in _judged(question, store, search.archive, jobs, end):
            search.take(tiling, verdicts)
            if progress is not None:
                progress(search.done, len(question.space))
    except KeyboardInterrupt:
        pass
    return search.answer()


Verdict = Mapping[str, Any]
"""What became of a design: its measures, or why it was excluded or is impossible."""


def _judged(
    question: Question, store: Store, archive: Archive[Point], jobs: int, end: float | None
) -> Iterator[tuple[Choices, list[Verdict]]]:
    """The verdicts on all tilings, as they come; those that are kept first."""
    waiting: list[Choices] = []
    for tiling in question.space.tilings():
        kept = store.get(_key(question, tiling))
        if kept is None:
            waiting.append(tiling)
        else:
            yield tiling, kept
    with ProcessPoolExecutor(jobs, get_context("fork"), _set_question, (question,)) as pool:
        running: dict[Future[list[Verdict]], Choices] = {}
        while running or waiting:
            while waiting and len(running) < jobs and not _is_over(end):
                tiling = waiting.pop(0)
                running[pool.submit(_tiling_verdicts, tiling, archive.vectors)] = tiling
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for each in done:
                yield running.pop(each), each.result()


def _is_over(end: float | None) -> bool:
    return end is not None and time.monotonic() > end


def _key(question: Question, tiling: Choices) -> str:
    """What the verdicts on a tiling depend on beside the subject: the space as well, whose designs exclude others."""
    return json.dumps([repr(tiling), repr(question.space), question.objectives, dict(question.at_most)])


_asked: list[Question] = []
"""In a process of the pool: the question, which is inherited and not sent."""


def _set_question(question: Question) -> None:
    _asked[:] = [question]


def _tiling_verdicts(tiling: Choices, known: Sequence[Vector]) -> list[Verdict]:
    """The verdicts on all designs of a tiling, found in a process that may crash."""
    question = _asked[0]
    designs = list(question.space.designs(tiling))
    try:
        return json.loads(
            isolated(lambda: json.dumps(_verdicts(question, designs, known)), _OPERATIONS, TILING_SECONDS)
        )
    except LimitReached:
        return [{"impossible": f"takes more than {TILING_SECONDS} s"} for _ in designs]


def _verdicts(question: Question, designs: Sequence[Design], known: Sequence[Vector]) -> list[Verdict]:
    """The verdicts on designs of one tiling; those with the lowest bounds are evaluated first."""
    front: Archive[None] = Archive([(each, None) for each in known])
    found: dict[Design, Verdict] = {}
    for design, least in _by_bound(question, designs, found):
        if not question.is_allowed(least) or is_covered(vector(least, question.objectives), front.vectors):
            found[design] = {"excluded": least}
            continue
        measures = _tried(design, lambda d: measured(question.subject.compilation(d), d), found)
        if measures is not None:
            found[design] = {"measures": measures}
            if question.is_allowed(measures):
                front.add(vector(measures, question.objectives), None)
    return [found[design] for design in designs]


def _by_bound(
    question: Question, designs: Sequence[Design], found: dict[Design, Verdict]
) -> list[tuple[Design, Mapping[Measure, int]]]:
    """The designs that can be made, with lower bounds on their measures, lowest first."""

    def least(design: Design) -> Mapping[Measure, int]:
        compilation = question.subject.compilation(design)
        return {"cycles": least_cycles(compilation), **planned(compilation)}

    bounds = ((design, _tried(design, least, found)) for design in designs)
    known = [(design, bound) for design, bound in bounds if bound is not None]
    return sorted(known, key=lambda each: vector(each[1], question.objectives))


def _tried(
    design: Design, measure: Callable[[Design], Mapping[Measure, int]], found: dict[Design, Verdict]
) -> Mapping[Measure, int] | None:
    try:
        return measure(design)
    except LoadstoneError as error:
        found[design] = {"impossible": str(error).splitlines()[0]}
        return None


@dataclass(eq=False)
class _Search:
    """The state of a search."""

    question: Question
    store: Store
    archive: Archive[Point] = field(default_factory=Archive[Point])
    evaluated: int = 0
    excluded: int = 0
    reasons: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def done(self) -> int:
        return self.evaluated + self.excluded + sum(self.reasons.values())

    def take(self, tiling: Choices, verdicts: Sequence[Verdict]) -> None:
        self.store.put(_key(self.question, tiling), verdicts)
        for design, verdict in zip(self.question.space.designs(tiling), verdicts, strict=True):
            if "impossible" in verdict:
                reason = verdict["impossible"]
                self.reasons[reason] = self.reasons.get(reason, 0) + 1
            elif "excluded" in verdict:
                self.excluded += 1
            else:
                self._take_point(Point(design, verdict["measures"]))

    def _take_point(self, point: Point) -> None:
        self.evaluated += 1
        if self.question.is_allowed(point.measures):
            self.archive.add(vector(point.measures, self.question.objectives), point)

    def answer(self) -> Answer:
        front = tuple(point for _, point in self.archive.sorted())
        impossible = sum(self.reasons.values())
        found = Answer(front, len(self.question.space), self.evaluated, self.excluded, impossible, self.reasons, None)
        return found if found.is_exhaustive else replace(found, gap=self._gap())

    def _gap(self) -> float | None:
        """How much better the first objective may be than the best that was found."""
        best, objective = min(self.archive.vectors, default=None), self.question.objectives[0]
        if best is None:
            return None
        axes, first = self.question.space.axes, self.question.space.first.hardware
        lanes = max((*axes.get("unroll", ()), first.unroll or 1))
        bus_width = max((*axes.get("bus_width", ()), first.bus_width or DEFAULT_BUS))
        least = least_of_all(self.question.subject, lanes, bus_width)
        return max(0.0, 1 - least[objective] / max(1, best[0]))


def default_jobs() -> int:
    """As many processes as there are cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
