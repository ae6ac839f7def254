"""Who judges tilings: processes on this machine, one for each tiling."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from selectors import EVENT_READ, DefaultSelector
from typing import Protocol

from loadstone.fronts.archive import Vector
from loadstone.fronts.judging import judged
from loadstone.fronts.question import Question, Verdict
from loadstone.fronts.stages import Stages
from loadstone.options import Choices
from loadstone.poly.isolated import Isolated, isolated, started
from loadstone.poly.limits import DEFAULT_LIMIT, LimitReached

SECONDS_OF_TILING, SECONDS_OF_DESIGN = 60, 10
"""Processor time after which the designs of a tiling are given up."""
OPERATIONS = 20 * DEFAULT_LIMIT
Known = Callable[[], list[Vector]]
"""The front so far."""
Judged = Iterator[tuple[Choices, list[Verdict]]]


class Workers(Protocol):
    """Somebody who judges tilings, as they come, until a time; what is not ready then is left."""

    def judge(self, tilings: Iterable[Choices], known: Known, end: float | None) -> Judged:
        """The verdicts on the designs of tilings, in any order."""
        ...


@dataclass(frozen=True, eq=False)
class Processes:
    """As many processes at once as `jobs` says; each inherits what is known of the kernel."""

    question: Question
    stages: Stages
    jobs: int = 1

    def judge(self, tilings: Iterable[Choices], known: Known, end: float | None) -> Judged:
        """The verdicts on the designs of tilings; what runs when the time is over is stopped."""
        if not hasattr(os, "fork"):
            yield from InTurn(self).judge(tilings, known, end)
            return
        waiting, running = iter(tilings), DefaultSelector()
        try:
            self._fill(running, waiting, known, end)
            while running.get_map():
                for ready, _ in running.select(None if end is None else max(0.0, end - time.monotonic())):
                    running.unregister(ready.fileobj)
                    task, tiling = ready.data
                    yield tiling, self._verdicts(task.text, tiling)
                if is_over(end):
                    return
                self._fill(running, waiting, known, end)
        finally:
            for left in list(running.get_map().values()):
                left.data[0].stop()
            running.close()

    def _fill(self, running: DefaultSelector, waiting: Iterator[Choices], known: Known, end: float | None) -> None:
        """Begin with as many tilings as there are processes free."""
        while len(running.get_map()) < self.jobs and not is_over(end):
            tiling = next(waiting, None)
            if tiling is None:
                return
            task = self._started(tiling, known())
            running.register(task.pipe, EVENT_READ, (task, tiling))

    def _started(self, tiling: Choices, known: list[Vector]) -> Isolated:
        return started(lambda: self._text(tiling, known), OPERATIONS, self._seconds(tiling))

    def _text(self, tiling: Choices, known: list[Vector]) -> str:
        return json.dumps(judged(self.question, self.stages, list(self.question.space.designs(tiling)), known))

    def _seconds(self, tiling: Choices) -> int:
        return SECONDS_OF_TILING + SECONDS_OF_DESIGN * len(list(self.question.space.designs(tiling)))

    def _verdicts(self, text: Callable[[], str], tiling: Choices) -> list[Verdict]:
        try:
            return json.loads(text())
        except LimitReached:
            reason = f"its tiling takes more than {self._seconds(tiling)} s"
            return [{"given up": reason} for _ in self.question.space.designs(tiling)]

    def verdicts(self, tiling: Choices, known: list[Vector]) -> list[Verdict]:
        """The verdicts on the designs of one tiling."""
        seconds = self._seconds(tiling)
        return self._verdicts(lambda: isolated(lambda: self._text(tiling, known), OPERATIONS, seconds), tiling)


@dataclass(frozen=True, eq=False)
class InTurn:
    """One process after the other, each in the group of this one: what stops the group stops it."""

    processes: Processes

    def judge(self, tilings: Iterable[Choices], known: Known, end: float | None) -> Judged:
        """The verdicts on the designs of tilings, in their order."""
        for tiling in tilings:
            if is_over(end):
                return
            yield tiling, self.processes.verdicts(tiling, known())


def is_over(end: float | None) -> bool:
    """Whether a time has come."""
    return end is not None and time.monotonic() >= end


def default_jobs() -> int:
    """As many processes as there are cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
