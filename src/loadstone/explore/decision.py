"""`--tile auto`: the tiling that moves the fewest words in a given local memory.

Schedules are the loops as they stand, the schedule of the source, and isl's bands; of each, all legal orders of the
dimensions and all depths of the strip. Their words are exact closed forms for all sizes, their cells estimates from
below. So, up to the search for sizes, the estimate of an order is a lower bound on what it can reach. Orders are taken
best first: the best sizes of the most promising one are planned in full, its estimate is corrected by the buffers of
this plan, and the search ends when no estimate is better than what was found. The choice is always one that has been
planned: the buffers that are counted are the buffers that are built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from loadstone.analysis import dependences
from loadstone.errors import Diagnostic, LoadstoneError, UnsupportedError
from loadstone.explore.bounds import compulsory_words, io_bound
from loadstone.explore.closed_counts import StripTraffic, box_counts, counted_boxes, len_of
from loadstone.explore.evaluation import Measured, PlanMaker, measure
from loadstone.explore.orders import Order, legal_orders, numbering, permuted, sign_patterns
from loadstone.explore.pragma import tiling_pragma
from loadstone.explore.sizes import Fit, Held, Sizes, SizeSearch, number_of_tiles
from loadstone.explore.strip_boxes import Boxes, Values
from loadstone.model.kernel import Kernel
from loadstone.options import Objective
from loadstone.poly import fixed
from loadstone.poly.limits import DEFAULT_LIMIT, LimitReached, operation_limit
from loadstone.poly.terms import without_parameters
from loadstone.storage.handover import Mode
from loadstone.transform.automatic.tilings import band_tilings
from loadstone.transform.choice import choose_tiling, is_legal
from loadstone.transform.tiling import TiledKernel, Tiling

TILE_CYCLES = 32
MOST_PLANS = 20


@dataclass(frozen=True, eq=False)
class Goal:
    """What a tiling is chosen for: a kernel with typical values of its parameters, and a number of local cells.

    `schedule` and `strip` restrict the choice where they are given, and so does `strips` if it is "drain".
    """

    kernel: Kernel
    parameters: Mapping[str, int]
    local: int
    make_plan: PlanMaker
    objective: Objective = "words"
    depth: int = 2
    strips: Mode = "overlap"
    power_of_two: bool | None = False
    schedule: str | None = None
    strip: int | None = None

    @cached_property
    def instances(self) -> int:
        """The number of statement instances."""
        domains = (fixed(statement.domain, self.parameters) for statement in self.kernel.statements)
        return sum(len_of(without_parameters(domain, self.parameters)) for domain in domains)


@dataclass(frozen=True, eq=False)
class Decision:
    """A tiling that was chosen, how its strips follow each other, what it moves and what it takes.

    `orders` were looked at, `plans` made in full; `complete` unless that were too many.
    """

    goal: Goal
    tiles: TiledKernel
    strips: Mode
    words: int
    cells: int
    orders: int
    plans: int
    complete: bool

    @cached_property
    def compulsory(self) -> int:
        """The words that no local memory avoids."""
        return compulsory_words(self.goal.kernel, self.goal.parameters).words

    @cached_property
    def bound(self) -> float | None:
        """A lower bound on the words for this local memory, where one is known."""
        return io_bound(self.goal.kernel, self.goal.parameters, self.goal.local)

    @property
    def ratio(self) -> float:
        """The words over what is known to be needed."""
        return self.words / max(self.bound or 0, self.compulsory, 1)

    def as_json(self) -> dict[str, Any]:
        """The choice as JSON."""
        return {
            "objective": self.goal.objective,
            "local": self.goal.local,
            "cells": self.cells,
            "words": self.words,
            "compulsory": self.compulsory,
            "bound": self.bound,
            "ratio": round(self.ratio, 4),
            "strips": self.strips,
            "pragma": tiling_pragma(self.tiles, self.goal.kernel),
            "orders": self.orders,
            "plans": self.plans,
            "complete": self.complete,
        }


@dataclass(eq=False)
class _Candidate:
    """An order of a schedule, its search, and the best sizes so far with their price."""

    base: TiledKernel
    search: SizeSearch
    best: tuple[float, Sizes] | None
    refined: bool = False

    @property
    def price(self) -> float:
        return float("inf") if self.best is None else self.best[0]

    def tiles(self, sizes: Sizes) -> TiledKernel:
        order = self.search.order
        theta = self.base.theta if order.dims == tuple(sorted(order.dims)) else permuted(self.base.theta, order.dims)
        return TiledKernel(self.base.kernel, theta, tuple(sizes[k] for k in order.dims), len(order.strip))


def decide(goal: Goal) -> Decision:
    """The tiling that reaches the goal best; raises `UnsupportedError` where none fits into the local memory."""
    return _Choosing(goal).decision()


@dataclass(eq=False)
class _Choosing:
    """The search for a decision; `least` is the smallest number of cells that any plan took."""

    goal: Goal
    plans: int = 0
    least: int | None = None
    found: tuple[float, _Candidate, Sizes, Measured] | None = None

    def decision(self) -> Decision:
        candidates = list(self._candidates())
        waiting = [candidate for candidate in candidates if candidate.best is not None]
        while waiting and self.plans < MOST_PLANS:
            candidate = min(waiting, key=lambda each: each.price)
            if self.found is not None and candidate.price >= self.found[0]:
                waiting = []
            elif not candidate.refined:
                candidate.best, candidate.refined = candidate.search.dense(self._price), True
            elif not self._plan(candidate):
                waiting.remove(candidate)
            waiting = [each for each in waiting if each.best is not None]
        if self.found is None:
            raise self._nothing(bool(candidates))
        return self._finished(len(candidates), not waiting)

    def _candidates(self) -> Iterator[_Candidate]:
        for base in schedules(self.goal):
            boxes = Boxes(Values(base.kernel, self.goal.parameters), base.theta)
            for search in self._searches(base, boxes):
                yield _Candidate(base, search, search.coarse(self._price))

    def _searches(self, base: TiledKernel, boxes: Boxes) -> Iterator[SizeSearch]:
        traffics: dict[tuple[int, ...], StripTraffic | None] = {}
        for order in _orders(base, self.goal):
            outer = tuple(sorted(order.outer))
            if outer not in traffics:
                counts = box_counts(boxes.moved(outer))
                traffics[outer] = None if counts is None else StripTraffic(counts, outer, boxes.reach)
            traffic = traffics[outer]
            if traffic is not None:
                yield SizeSearch(order, traffic, self._held(boxes, order), self.goal.local)

    def _held(self, boxes: Boxes, order: Order) -> Held:
        sets = boxes.held(order.strip)
        counts = box_counts(sets, 1)
        return Held(counts or counted_boxes(sets), order, boxes.reach, self.goal.depth, counts is not None)

    def _price(self, words: int, sizes: Sizes) -> float:
        return words if self.goal.objective == "words" else max(words, self.goal.instances)

    def _plan(self, candidate: _Candidate) -> bool:
        """Plan the best sizes of a candidate in full; whether it may have better ones."""
        if candidate.best is None:
            return False
        price, sizes = candidate.best
        measured = self._measured(candidate, sizes)
        if measured is None:
            return False
        cells = measured.all_cells("drain")
        self.least = min(cells, self.least or cells)
        if cells <= self.goal.local:
            self.found = (price, candidate, sizes, measured)
            return False
        _learn(candidate.search, sizes, measured)
        candidate.best = candidate.search.dense(self._price)
        return candidate.best is not None

    def _measured(self, candidate: _Candidate, sizes: Sizes) -> Measured | None:
        self.plans += 1
        goal = self.goal
        return measure(candidate.tiles(sizes), goal.parameters, goal.make_plan, goal.depth, goal.power_of_two)

    def _finished(self, orders: int, complete: bool) -> Decision:
        """The decision, with larger tiles and strips that overlap where that saves cycles and fits."""
        assert self.found is not None
        _, candidate, sizes, measured = self.found
        sizes, measured, strips = self._grown(candidate, sizes, measured)
        cells = measured.all_cells(strips)
        return Decision(self.goal, candidate.tiles(sizes), strips, measured.words, cells, orders, self.plans, complete)

    def _grown(self, candidate: _Candidate, sizes: Sizes, measured: Measured) -> tuple[Sizes, Measured, Mode]:
        search, fits = candidate.search, self._mode(measured)
        _learn(search, sizes, measured)
        copies = 2 if fits == "overlap" else 1
        best, cycles = sizes, self._cycles(search, sizes, measured.words)
        for size in (1 << k for k in range(1, 16)):
            larger = {**sizes, search.held.stepped: size}
            fitting = search.held.stepped not in search.order.single and search.cells(larger, copies) <= self.goal.local
            if fitting and (fewer := self._cycles(search, larger, measured.words)) < cycles:
                best, cycles = larger, fewer
        if best is sizes:
            return sizes, measured, fits
        again = self._measured(candidate, best)
        if again is None or again.words > measured.words or again.all_cells(fits) > self.goal.local:
            return sizes, measured, fits
        return best, again, fits

    def _mode(self, measured: Measured) -> Mode:
        """Overlap where that is possible and fits, else drain."""
        possible = self.goal.strips == "overlap" and measured.doubled is not None
        return "overlap" if possible and measured.all_cells("overlap") <= self.goal.local else "drain"

    def _cycles(self, search: SizeSearch, sizes: Sizes, words: int) -> float:
        """About how many cycles: transfers beside computation, filling and emptying strips, and a price per tile."""
        tiles = number_of_tiles(search.held.reach, sizes, search.order.dims)
        in_strip = number_of_tiles(search.held.reach, sizes, search.order.strip)
        compute = self.goal.instances
        return max(words, compute) + min(words, compute) / in_strip + TILE_CYCLES * tiles

    def _nothing(self, tried: bool) -> LoadstoneError:
        if self.least is None:
            message = "no legal tiling was found automatically" if not tried else "no tiling could be planned in time"
            return UnsupportedError(Diagnostic(message, None, "give sizes with --tile and a schedule with --schedule"))
        message = f"no tiling was found that fits into {self.goal.local} words of local memory"
        return UnsupportedError(Diagnostic(message, None, f"the smallest that was planned takes --local {self.least}"))


def _learn(search: SizeSearch, sizes: Sizes, measured: Measured) -> None:
    """Correct the estimate of cells by those of a plan."""
    for array, live in search.held.live(sizes).items():
        cells = measured.cells.get(array, 0)
        if array in measured.whole:
            search.fits[array] = Fit(whole=cells)
        elif live and cells:
            search.fits[array] = Fit(max(1.0, cells / live))


def schedules(goal: Goal) -> Iterator[TiledKernel]:
    """The schedules to choose from, each once: that of the source, the loops, and isl's bands; all sizes are 1."""
    kernel = replace(goal.kernel, tiling=None)
    if goal.schedule is not None:
        yield _of_size_one(choose_tiling(kernel, schedule=goal.schedule))
        return
    seen: set[str] = set()
    for found in (_source(goal.kernel), choose_tiling(kernel), _isl(kernel)):
        if found is not None and str(found.schedule) not in seen:
            seen.add(str(found.schedule))
            yield _of_size_one(found)


def _of_size_one(tiles: TiledKernel) -> TiledKernel:
    return replace(tiles, sizes=(1,) * len(tiles.sizes), strip=1)


def _source(kernel: Kernel) -> TiledKernel | None:
    return choose_tiling(kernel) if kernel.tiling is not None and kernel.tiling.schedule else None


def _isl(kernel: Kernel) -> TiledKernel | None:
    try:
        with operation_limit(DEFAULT_LIMIT):
            return next(filter(is_legal, band_tilings(kernel, Tiling(), dependences(kernel))), None)
    except LimitReached:
        return None


def _orders(base: TiledKernel, goal: Goal) -> list[Order]:
    """The legal orders of a schedule, as it stands if it was given, with few dimensions in the strip first."""
    try:
        with operation_limit(DEFAULT_LIMIT):
            patterns = sign_patterns(base.kernel, base.theta)
    except LimitReached:
        patterns = None
    if patterns is None:
        return []
    every = legal_orders(patterns, len(base.sizes), numbering(base.theta))
    return [
        order
        for order in every
        if goal.strip in (None, len(order.strip)) and (goal.schedule is None or _is_kept(order))
    ]


def _is_kept(order: Order) -> bool:
    return order.dims == tuple(sorted(order.dims))
