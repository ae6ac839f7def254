"""Branch and bound over a space of designs: what a bound excludes is not evaluated, and the front stays exact.

Lower bounds of all tilings are known before any is planned (`bounds.py`). Tilings are taken in the order of their
bounds; one whose designs cannot improve the front is excluded at once, the others are judged (`judging.py`).
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from types import FrameType

from loadstone.errors import LoadstoneError
from loadstone.fronts.archive import Archive, Vector, is_covered
from loadstone.fronts.bounds import NO_AREA, Least, TilingBounds, TilingLeast
from loadstone.fronts.measures import vector
from loadstone.fronts.question import Answer, Point, Question, Verdict
from loadstone.fronts.sampling import MOST_TILINGS, Samples, sampler_name
from loadstone.fronts.space import Design
from loadstone.fronts.stages import Stages
from loadstone.fronts.store import Store
from loadstone.fronts.workers import InTurn, Processes, Workers, is_over
from loadstone.options import Choices

Progress = Callable[[int], None]
"""Told how many designs are done."""
Hire = Callable[[Question, Stages], Workers]
"""Gives the workers that judge the tilings of a question."""


def in_turn(question: Question, stages: Stages) -> Workers:
    """One process at a time, which ends with the group of this one."""
    return InTurn(Processes(question, stages))


def processes(jobs: int) -> Hire:
    """As many processes on this machine."""
    return lambda question, stages: Processes(question, stages, jobs)


def explore(
    question: Question,
    store: Store,
    *,
    hire: Hire | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Answer:
    """The front of a space; the front so far when the time is over or Ctrl-C is pressed."""
    search = _Search(question, store)
    with suppress(KeyboardInterrupt), noticed_interrupts() as interrupts:
        for done in search.steps(hire or processes(1), seconds):
            if progress is not None:
                progress(done)
            if interrupts:
                break
    return search.answer()


def fronts(question: Question, store: Store, hire: Hire, seconds: float) -> Iterator[Answer]:
    """The front so far, after each tiling and when the search has ended."""
    search = _Search(question, store)
    for _ in search.steps(hire, seconds):
        yield search.answer()
    yield search.answer()


@contextmanager
def noticed_interrupts() -> Generator[list[int]]:
    """The interrupts that came, also those whose exceptions Python swallows, as in its hooks around a fork."""
    seen, before = list[int](), signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield seen
        return

    def note(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A tiling with lower bounds on each of its designs."""

    tiling: Choices
    bounds: Mapping[Design, Least]


@dataclass(eq=False)
class _Search:
    """The state of a search; of tilings that are `waiting`, or were `given_up`, nothing is known but their bounds."""

    question: Question
    store: Store
    archive: Archive[Point] = field(default_factory=Archive[Point])
    evaluated: int = 0
    excluded: int = 0
    reasons: dict[str, int] = field(default_factory=dict[str, int])
    waiting: dict[Choices, _Candidate] = field(default_factory=dict[Choices, _Candidate])
    given_up: list[_Candidate] = field(default_factory=list[_Candidate])
    reasons_to_give_up: dict[str, int] = field(default_factory=dict[str, int])
    samples: Samples | None = None

    @cached_property
    def bounds(self) -> TilingBounds:
        """Lower bounds of tilings."""
        return TilingBounds(self.stages, self.question.energies)

    @cached_property
    def stages(self) -> Stages:
        """What all designs share."""
        return Stages(self.question.subject)

    @property
    def done(self) -> int:
        """The designs of which it is known what became of them."""
        return self.evaluated + self.excluded + sum(self.reasons.values())

    def steps(self, hire: Hire, seconds: float | None) -> Iterator[int]:
        """Search until it is over; after each tiling, the number of designs done."""
        workers = hire(self.question, self.stages)
        end = None if seconds is None else time.monotonic() + seconds
        for tiling, verdicts in self.judged(workers, end):
            self.take(tiling, verdicts)
            yield self.done

    def judged(self, workers: Workers, end: float | None) -> Iterator[tuple[Choices, list[Verdict]]]:
        """The verdicts on all tilings, as they come; those that are kept first."""
        if self.question.space.tiling_count > MOST_TILINGS:
            yield from workers.judge(self._sampled(), lambda: self.archive.vectors, end)
            return
        unknown: list[Choices] = []
        for tiling in self.question.space.tilings():
            kept = self.store.get(self._key(tiling))
            if kept is None:
                unknown.append(tiling)
            else:
                yield tiling, kept
        for tiling in unknown:
            if is_over(end):
                return
            self._bound(tiling)
        yield from workers.judge(self._promising(), lambda: self.archive.vectors, end)

    def _sampled(self) -> Iterator[Choices]:
        """Samples of the tilings that may improve the front; what is known of others is taken on the way."""
        self.samples = Samples(self.question.space, len(self.question.objectives))
        for tiling in self.samples:
            kept = self.store.get(self._key(tiling))
            if kept is not None:
                self.take(tiling, kept)
            elif (candidate := self._bound(tiling)) is not None and not self._is_excluded(candidate):
                yield tiling

    def _bound(self, tiling: Choices) -> _Candidate | None:
        """Find lower bounds of a tiling; one that cannot be made is impossible."""
        designs = list(self.question.space.designs(tiling))
        try:
            tiles = self.stages.compilation(designs[0]).tiles
        except LoadstoneError as error:
            self._note_impossible(str(error).splitlines()[0], len(designs))
            self._tell(tiling, None)
            return None
        least = self.bounds.least(tiles, tiling)
        self.waiting[tiling] = _Candidate(tiling, {each: self._least_of(each, least) for each in designs})
        return self.waiting[tiling]

    def _least_of(self, design: Design, tiling: TilingLeast) -> Least:
        """Lower bounds on a design; those of a network are what external memory takes: its processes run at once."""
        if design.network:
            of_all = self.bounds.least_of_all()
            return of_all.of(design, max(1, of_all.instances))
        return tiling.of(design, prod(self.stages.compilation(design).lanes))

    def _promising(self) -> Iterator[Choices]:
        """The tilings that may improve the front, in the order of their bounds; others are excluded on the way."""
        yield from (candidate.tiling for candidate in self._in_order() if not self._is_excluded(candidate))

    def _is_excluded(self, candidate: _Candidate) -> bool:
        """Whether no design of a tiling can improve the front: then it is excluded."""
        if not all(map(self._is_idle, candidate.bounds.values())):
            return False
        self.excluded += len(candidate.bounds)
        del self.waiting[candidate.tiling]
        self._tell(candidate.tiling, self._least(candidate))
        return True

    def _tell(self, tiling: Choices, found: Vector | None) -> None:
        if self.samples is not None:
            self.samples.tell(tiling, found)

    def _is_idle(self, least: Least) -> bool:
        covered = is_covered(vector(least, self.question.objectives), self.archive.vectors)
        return covered or not self.question.is_allowed(least)

    def _in_order(self) -> list[_Candidate]:
        """The tilings by the sum of the ranks that their least bounds have in each objective."""
        every = list(self.waiting.values())
        leasts = {each.tiling: self._least(each) for each in every}
        ranks = [sorted({least[k] for least in leasts.values()}) for k in range(len(self.question.objectives))]
        places = [{value: place for place, value in enumerate(rank)} for rank in ranks]
        return sorted(every, key=lambda each: sum(p[v] for p, v in zip(places, leasts[each.tiling], strict=True)))

    def _least(self, candidate: _Candidate) -> Vector:
        """The least bound of any design of a tiling, in each objective."""
        every = [vector(least, self.question.objectives) for least in candidate.bounds.values()]
        return tuple(map(min, zip(*every, strict=True)))

    def _key(self, tiling: Choices) -> str:
        """What verdicts on a tiling depend on beside the subject: the space as well, whose designs exclude others."""
        question = self.question
        asked = [repr(tiling), repr(question.space), question.objectives, dict(question.at_most)]
        return json.dumps([*asked, repr(question.energies)])

    def take(self, tiling: Choices, verdicts: Sequence[Verdict]) -> None:
        """Note the verdicts on the designs of a tiling; one that was given up is not kept, but tried again later."""
        candidate = self.waiting.pop(tiling, None)
        if any("given up" in verdict for verdict in verdicts):
            self._give_up(candidate, verdicts)
            self._tell(tiling, None)
            return
        self.store.put(self._key(tiling), verdicts)
        for design, verdict in zip(self.question.space.designs(tiling), verdicts, strict=True):
            if "impossible" in verdict:
                self._note_impossible(verdict["impossible"], 1)
            elif "excluded" in verdict:
                self.excluded += 1
            else:
                self._take_point(Point(design, verdict["measures"]))
        self._tell(tiling, self._best(verdicts))

    def _give_up(self, candidate: _Candidate | None, verdicts: Sequence[Verdict]) -> None:
        """Note a tiling whose designs are not known to be impossible; its bounds count for the gap."""
        self.given_up += [] if candidate is None else [candidate]
        for reason in (verdict["given up"] for verdict in verdicts):
            self.reasons_to_give_up[reason] = self.reasons_to_give_up.get(reason, 0) + 1

    def _best(self, verdicts: Sequence[Verdict]) -> Vector | None:
        """The best measures of designs that were judged, or their bounds, in the order of objectives."""
        found = [verdict.get("measures") or verdict.get("excluded") for verdict in verdicts]
        return min((vector({**NO_AREA, **each}, self.question.objectives) for each in found if each), default=None)

    def _note_impossible(self, reason: str, count: int) -> None:
        self.reasons[reason] = self.reasons.get(reason, 0) + count

    def _take_point(self, point: Point) -> None:
        self.evaluated += 1
        if self.question.is_allowed(point.measures):
            self.archive.add(vector(point.measures, self.question.objectives), point)

    def answer(self) -> Answer:
        """The front, and how sure it is."""
        front = tuple(point for _, point in self.archive.sorted())
        impossible = sum(self.reasons.values())
        sampled = None if self.samples is None else sampler_name()
        counts = len(self.question.space), self.evaluated, self.excluded, impossible
        found = Answer(front, *counts, self.reasons, None, sampled, self.reasons_to_give_up)
        return found if found.is_exhaustive else replace(found, gap=self._gap(found.left))

    def _gap(self, left: int) -> float | None:
        """How much better the first objective may be than the best that was found, by the bounds of what is left."""
        best, objectives = min(self.archive.vectors, default=None), self.question.objectives
        if best is None:
            return None
        known = [*self.waiting.values(), *self.given_up]
        leasts = [self._least(candidate)[0] for candidate in known]
        if sum(len(candidate.bounds) for candidate in known) < left:
            of_all, any_tiling = self.bounds.least_of_all(), next(self.question.space.tilings())
            designs = self.question.space.designs(any_tiling)
            leasts += [vector(self._least_of(design, of_all), objectives)[0] for design in designs]
        return max(0.0, 1 - min(leasts) / max(1, best[0]))
