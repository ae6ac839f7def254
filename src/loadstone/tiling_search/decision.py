"""`--tile auto`: the tiling that moves the fewest words in a given local memory.

Schedules are the loops as they stand, the schedule of the source, and isl's bands; of each, all legal orders of the
dimensions and all depths of the strip. Their words are exact closed forms for all sizes, their cells estimates from
below. So, up to the search for sizes, the estimate of an order is a lower bound on what it can reach. Orders are taken
best first: the best sizes of the most promising one are planned in full, its estimate is corrected by the buffers of
this plan, and the search ends when no estimate is better than what was found (nor, for orders of which only some sizes
were tried, within 10 % of it). The tiling of the source is planned first: where it fits, no choice is worse. The choice
is always one that has been planned: the buffers that are counted are the buffers that are built.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from math import inf
from typing import Any

from loadstone.analysis import dependences
from loadstone.errors import Diagnostic, LoadstoneError, UnsupportedError
from loadstone.model.kernel import Kernel
from loadstone.options import Objective
from loadstone.poly import fixed
from loadstone.poly.dimensions import with_components
from loadstone.poly.limits import DEFAULT_LIMIT, LimitReached, operation_limit
from loadstone.poly.terms import without_parameters
from loadstone.storage.handover import Mode
from loadstone.tiling_search.bounds import Bound, best_bound, compulsory_words
from loadstone.tiling_search.closed_counts import StripTraffic, box_counts, len_of
from loadstone.tiling_search.evaluation import Measured, PlanMaker, measure
from loadstone.tiling_search.footprints import Footprints, footprints
from loadstone.tiling_search.held_arrays import schedules_that_hold
from loadstone.tiling_search.orders import Order, legal_orders, numbering, permuted, sign_patterns
from loadstone.tiling_search.pragma import tiling_pragma
from loadstone.tiling_search.sizes import Fit, Held, Sizes, SizeSearch, number_of_tiles
from loadstone.tiling_search.strip_boxes import Boxes, Values
from loadstone.transform.automatic.tilings import band_tilings
from loadstone.transform.choice import choose_tiling, is_legal, loops_as_they_stand
from loadstone.transform.tiling import TiledKernel, Tiling

TILE_CYCLES = 32
MOST_PLANS, MOST_IN_VAIN, MOST_OF_ONE, MOST_SMALLEST = 40, 12, 8, 3
SPACE_SECONDS, PLAN_SECONDS = 20, 25
"""Processor time after which no more orders are looked at, and no more plans are made."""
REFINED = 0.9
HELD_SECONDS, FEW_PIECES = 1, 4


@dataclass(frozen=True, eq=False)
class Goal:
    """What a tiling is chosen for: a kernel with typical values of its parameters, and a number of local cells.

    `schedule` and `strip` restrict the choice where they are given, and so does `strips` if it is "drain". With `split`
    buffers may have parts.
    """

    kernel: Kernel
    parameters: Mapping[str, int]
    local: int
    make_plan: PlanMaker
    objective: Objective = "words"
    depth: int = 2
    strips: Mode = "overlap"
    power_of_two: bool | None = False
    split: bool = False
    schedule: str | None = None
    strip: int | None = None

    @cached_property
    def instances(self) -> int:
        """The number of statement instances."""
        domains = (fixed(statement.domain, self.parameters) for statement in self.kernel.statements)
        return sum(len_of(without_parameters(domain, self.parameters)) for domain in domains)


@dataclass(frozen=True, eq=False)
class Decision:
    """A tiling that was chosen, how its strips follow each other, whether buffers are split, words and cells.

    `orders` were looked at, `plans` made in full; `complete` unless that were too many, or took too long.
    """

    goal: Goal
    tiles: TiledKernel
    strips: Mode
    split: bool
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
    def best_bound(self) -> Bound | None:
        """A lower bound on the words for this local memory, where one is known."""
        return best_bound(self.goal.kernel, self.goal.parameters, self.goal.local)

    @property
    def bound(self) -> float | None:
        """The words of the lower bound."""
        return None if self.best_bound is None else self.best_bound.words

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
            "bound_source": None if self.best_bound is None else self.best_bound.source,
            "ratio": round(self.ratio, 4),
            "strips": self.strips,
            "split_buffers": self.split,
            "pragma": tiling_pragma(self.tiles, self.goal.kernel),
            "orders": self.orders,
            "plans": self.plans,
            "complete": self.complete,
        }


@dataclass(eq=False)
class _Candidate:
    """An order of a schedule, its search, and the best sizes so far with their price.

    `taught` are the cells of arrays in the tiling of the source, for where the plan of other sizes takes too long.
    """

    ordered: Ordered
    search: SizeSearch
    best: tuple[float, Sizes] | None
    refined: bool = False
    taught: dict[str, Fit] = field(default_factory=dict[str, Fit])

    @property
    def hope(self) -> float:
        """The price that may be reached: what was found, or a little less as long as only some sizes were tried."""
        price = float("inf") if self.best is None else self.best[0]
        return price if self.refined else price * REFINED

    @property
    def depth(self) -> int:
        """How many dimensions the strip has."""
        return len(self.ordered.order.strip)

    def is_taught(self) -> bool:
        """Take over what the source taught; whether that was anything, for the first time."""
        is_news = bool(self.taught)
        self.search.fits.update(self.taught)
        self.taught = {}
        return is_news

    def tiles(self, sizes: Sizes) -> TiledKernel:
        base, order = self.ordered.base, self.ordered.order
        theta = base.theta if _is_kept(order) else permuted(base.theta, order.dims)
        return TiledKernel(base.kernel, theta, tuple(sizes[k] for k in order.dims), len(order.strip))


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """A schedule in one order of its dimensions, with closed forms of what it moves and holds; `plans` made of it."""

    base: TiledKernel
    order: Order
    traffic: StripTraffic
    held: Held
    plans: dict[tuple[int, ...], Measured | None] = field(default_factory=dict[tuple[int, ...], Measured | None])


def search_space(goal: Goal) -> tuple[Ordered, ...]:
    """All legal orders of all schedules, as far as there is time; the same for any local memory."""
    return _looked_at(goal)[0]


def _looked_at(goal: Goal) -> tuple[tuple[Ordered, ...], bool]:
    """The orders that there is time for, and whether they are all."""
    begun, found = processor_seconds(), list[Ordered]()
    for ordered in (each for base, held in schedules(goal) for each in _ordered(base, held, goal)):
        if processor_seconds() - begun > SPACE_SECONDS:
            return tuple(found), False
        found.append(ordered)
    return tuple(found), True


def processor_seconds() -> float:
    """The processor time of this process and of those that it waited for."""
    return sum(os.times()[:4])


def _ordered(base: TiledKernel, held: frozenset[int], goal: Goal) -> Iterator[Ordered]:
    """The legal orders of a schedule whose strips are inside of some dimensions."""
    boxes = Boxes(Values(base.kernel, goal.parameters), base.theta)
    traffics: dict[tuple[int, ...], StripTraffic | None] = {}
    estimates = footprints(base.kernel, base.theta, goal.parameters)
    for order in _orders(base, goal):
        if not held.issubset(order.outer):
            continue
        outer = tuple(sorted(order.outer))
        if outer not in traffics:
            counts = box_counts(boxes.moved(outer))
            traffics[outer] = None if counts is None else StripTraffic(counts, outer, boxes.reach)
        if (traffic := traffics[outer]) is not None:
            yield Ordered(base, order, traffic, _held(boxes, order, goal.depth, estimates))


def _held(boxes: Boxes, order: Order, depth: int, estimates: Footprints) -> Held:
    sets = boxes.held(order.strip)
    simple = all(part.n_basic_set() <= FEW_PIECES for _, part in sets)
    closed = box_counts(sets, HELD_SECONDS) if simple else None
    return Held(estimates if closed is None else closed, order, boxes.reach, depth)


def decide(goal: Goal, space: Sequence[Ordered] | None = None) -> Decision:
    """The tiling that reaches the goal best; raises `UnsupportedError` where none fits into the local memory."""
    orders, are_all = _looked_at(goal) if space is None else (space, True)
    found = _Choosing(goal, orders).decision()
    return replace(found, complete=found.complete and are_all)


@dataclass(eq=False)
class _Choosing:
    """The search for a decision; `least` is the smallest number of cells that any plan took.

    Until one fits, strips that are as deep as one whose plan took too long are `too_deep`.
    """

    goal: Goal
    space: Sequence[Ordered]
    plans: int = 0
    begun: float = field(default_factory=processor_seconds)
    least: int | None = None
    too_deep: float = inf
    last: _Candidate | None = None
    found: tuple[tuple[float, float, int], _Candidate, Sizes, Measured] | None = None

    def decision(self) -> Decision:
        waiting = candidates = [self._candidate(ordered) for ordered in self.space]
        self._plan_source(candidates)
        while (waiting := [each for each in waiting if each.best is not None]) and not self._is_spent():
            promising = waiting if self.found else [each for each in waiting if each.depth < self.too_deep]
            if not promising:
                break
            candidate = self._next(promising)
            if self.found is not None and candidate.hope > self.found[0][0]:
                break
            if not candidate.refined:
                candidate.best, candidate.refined = candidate.search.dense(self._price), True
            elif self._is_worse_tie(candidate):
                candidate.best = None
            else:
                self._plan(candidate)
        if self.found is None:
            self._plan_smallest(candidates)
        if self.found is None:
            raise self._nothing(bool(candidates))
        return self._finished(len(candidates), not self._is_spent())

    def _is_spent(self) -> bool:
        """Whether enough plans were made, or time is over."""
        if processor_seconds() - self.begun > PLAN_SECONDS:
            return True
        return self.plans >= (MOST_IN_VAIN if self.found is None else MOST_PLANS)

    def _next(self, waiting: Sequence[_Candidate]) -> _Candidate:
        """The most promising order; until one fits, the one planned last."""
        if self.found is not None or self.last is None or self.last not in waiting:
            self.last = min(waiting, key=lambda each: each.hope)
        return self.last

    def _is_worse_tie(self, candidate: _Candidate) -> bool:
        """Whether an order is as good as what was found, but surely takes no fewer cycles."""
        if self.found is None or candidate.best is None or candidate.hope < self.found[0][0]:
            return False
        _, sizes = candidate.best
        return self._cycles(candidate.search, sizes, self.found[3].words, "overlap") >= self.found[0][1]

    def _candidate(self, ordered: Ordered) -> _Candidate:
        search = SizeSearch(ordered.order, ordered.traffic, ordered.held, self.goal.local)
        return _Candidate(ordered, search, search.coarse(self._price))

    def _price(self, words: float, sizes: Sizes) -> float:
        return words if self.goal.objective == "words" else max(words, self.goal.instances)

    def _plan(self, candidate: _Candidate) -> None:
        """Plan the best sizes of a candidate in full, and find others with what is learnt from their buffers."""
        assert candidate.best is not None
        _, sizes = candidate.best
        candidate.best = None
        if self._is_news(candidate, sizes) and len(candidate.search.planned) < MOST_OF_ONE:
            candidate.best = candidate.search.dense(self._price)

    def _plan_source(self, candidates: Sequence[_Candidate]) -> None:
        """Plan the tiling that stands in the source."""
        if self.goal.kernel.tiling is None:
            return
        given = choose_tiling(self.goal.kernel)
        for candidate in candidates:
            if _is_ordered_as(given, candidate.ordered):
                self._is_news(candidate, dict(enumerate(given.sizes)))
                candidate.taught = dict(candidate.search.fits)
                candidate.search.fits.clear()

    def _is_news(self, candidate: _Candidate, sizes: Sizes) -> bool:
        """Plan some sizes of a candidate; whether their buffers change what is known of its other sizes."""
        measured = self._measured(candidate, sizes)
        if measured is None:
            candidate.search.planned.append(sizes)
            self.too_deep = min(self.too_deep, inf if candidate.taught else candidate.depth)
            return candidate.is_taught()
        cells = measured.all_cells("drain")
        self.least = min(cells, self.least or cells)
        cycles = self._cycles(candidate.search, sizes, measured.words, self._mode(measured))
        key = (self._price(measured.words, sizes), cycles, cells)
        if cells <= self.goal.local and (self.found is None or key < self.found[0]):
            self.found = (key, candidate, sizes, measured)
        if cells > self.goal.local and self._has_fitting(candidate):
            return _learn(candidate.search, sizes, measured, fits=False, share=0.5)
        return _learn(candidate.search, sizes, measured, fits=cells <= self.goal.local)

    def _has_fitting(self, candidate: _Candidate) -> bool:
        """Whether some plan of an order fits."""
        plans = (each for each in candidate.ordered.plans.values() if each is not None)
        return any(each.all_cells("drain") <= self.goal.local for each in plans)

    def _plan_smallest(self, candidates: Sequence[_Candidate]) -> None:
        """Plan the smallest tiles of a few orders, those that seem to take the fewest cells first, until some fit."""
        smallest = [(each, each.search.complete(dict.fromkeys(each.search.free, 1))) for each in candidates]
        for candidate, sizes in sorted(smallest, key=lambda pair: pair[0].search.cells(pair[1]))[:MOST_SMALLEST]:
            candidate.best = (0.0, sizes)
            self._plan(candidate)
            if self.found is not None:
                return

    def _measured(self, candidate: _Candidate, sizes: Sizes) -> Measured | None:
        self.plans += 1
        goal, tiles, known = self.goal, candidate.tiles(sizes), candidate.ordered.plans
        if tiles.sizes not in known:
            known[tiles.sizes] = measure(
                tiles, goal.parameters, goal.make_plan, goal.depth, power_of_two=goal.power_of_two, split=goal.split
            )
        return known[tiles.sizes]

    def _finished(self, orders: int, complete: bool) -> Decision:
        """The decision, with larger tiles and strips that overlap where that saves cycles and fits."""
        assert self.found is not None
        _, candidate, sizes, measured = self.found
        sizes, measured, strips = self._grown(candidate, sizes, measured)
        cells = measured.all_cells(strips)
        found = measured.words, cells, orders, self.plans, complete
        return Decision(self.goal, candidate.tiles(sizes), strips, measured.split, *found)

    def _grown(self, candidate: _Candidate, sizes: Sizes, measured: Measured) -> tuple[Sizes, Measured, Mode]:
        search, fits = candidate.search, self._mode(measured)
        _learn(search, sizes, measured)
        search.planned.clear()
        copies = 2 if fits == "overlap" else 1
        best, cycles = sizes, self._cycles(search, sizes, measured.words, fits)
        for size in (1 << k for k in range(1, 16)):
            larger = {**sizes, search.held.stepped: size}
            fitting = search.held.stepped not in search.order.single and search.cells(larger, copies) <= self.goal.local
            if fitting and (fewer := self._cycles(search, larger, measured.words, fits)) < cycles:
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

    def _cycles(self, search: SizeSearch, sizes: Sizes, words: int, strips: Mode) -> float:
        """About how many cycles: transfers beside computation, filling strips that drain, and a price per tile."""
        tiles = number_of_tiles(search.held.reach, sizes, search.order.dims)
        in_strip = number_of_tiles(search.held.reach, sizes, search.order.strip)
        compute = self.goal.instances
        filling = min(words, compute) / in_strip if strips == "drain" else 0
        return max(words, compute) + filling + TILE_CYCLES * tiles

    def _nothing(self, tried: bool) -> LoadstoneError:
        if self.least is None:
            message = "no legal tiling was found automatically" if not tried else "no tiling could be planned in time"
            return UnsupportedError(Diagnostic(message, None, "give sizes with --tile and a schedule with --schedule"))
        message = f"no tiling was found that fits into {self.goal.local} words of local memory"
        return UnsupportedError(Diagnostic(message, None, f"the smallest that was planned takes --local {self.least}"))


def _learn(search: SizeSearch, sizes: Sizes, measured: Measured, *, fits: bool = True, share: float = 1.0) -> bool:
    """Correct the estimate of cells by those of a plan, or by a share of the difference; whether that changes it.

    Bounds are corrected upwards only, unless the plan fits.
    """
    before = search.cells(sizes)
    search.planned.append(sizes)
    for array, live in search.held.live(sizes).items():
        cells = measured.cells.get(array, 0)
        if array in measured.whole:
            search.fits[array] = Fit(whole=cells)
        elif live and cells:
            known = search.fits.get(array, Fit()).factor
            is_bound = not isinstance(search.held.counts, Footprints)
            seen = known + share * (cells / live - known)
            search.fits[array] = Fit(max(1.0 if fits else known, seen) if is_bound else seen)
    return search.cells(sizes) != before


def schedules(goal: Goal) -> Iterator[tuple[TiledKernel, frozenset[int]]]:
    """The schedules to choose from, all sizes 1: that of the source, the loops, isl's bands, those that hold an array.

    Of schedules that differ in the order of their dimensions, the first one. Also the dimensions of what is held.
    """
    kernel = replace(goal.kernel, tiling=None)
    if goal.schedule is not None:
        yield _of_size_one(choose_tiling(kernel, schedule=goal.schedule)), frozenset()
        return
    seen: set[tuple[str, ...]] = set()
    known = (_source(goal.kernel), choose_tiling(kernel), _isl(kernel), *loops_as_they_stand(kernel))
    plain = ((found, frozenset[int]()) for found in known if found is not None)
    for found, held in chain(plain, schedules_that_hold(kernel)):
        if (dims := _dimensions(found)) not in seen:
            seen.add(dims)
            yield _of_size_one(found), held


def _dimensions(tiles: TiledKernel) -> tuple[str, ...]:
    """The dimensions of a schedule, each for all statements, in an order of their own."""
    dims = range(len(tiles.sizes))
    return tuple(sorted("; ".join(str(with_components(dates, [k])) for dates in tiles.theta.values()) for k in dims))


def _is_ordered_as(given: TiledKernel, ordered: Ordered) -> bool:
    """Whether a tiling has the schedule of an order, and the same dimensions in its strip."""
    cut = len(given.sizes) - given.strip
    in_strip = ordered.order.strip == tuple(range(cut, len(given.sizes)))
    return in_strip and str(ordered.base.schedule) == str(given.schedule)


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
