"""The pipeline of load, compute and store: which tile is where, and when.

Tiles are numbered in the order of execution over all strips. L(n), C(n) and S(n) each run without interruption, but
for the load of the first tile of a strip, and as early as these rules allow:

    L(n) after L(n-1);  C(n) after C(n-1) and L(n);  S(n) after S(n-1) and C(n)
    L(n) after S(n-D):  at most D tiles are in flight
    if n begins a strip, and strips overlap: L(n) after S of the last tile of the strip two before
    if n begins a strip, and strips drain: L(n) after S(n-1), when all of the strip before is stored, but for the words
    of L(n) that may come early: these come first, after C(n-1)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from loadstone.storage.handover import Mode

Process = Literal["load", "compute", "store"]
PROCESSES: tuple[Process, ...] = ("load", "compute", "store")


@dataclass(frozen=True, slots=True)
class Job:
    """A tile for the pipeline: units of time to load, compute and store it.

    `early` of the units of `load` need not wait for the stores of the strip before, where strips drain.
    """

    load: int
    compute: int
    store: int
    early: int = 0


@dataclass(frozen=True, slots=True)
class Bar:
    """The time that a process spends on a tile, by the number of the tile."""

    tile: int
    process: Process
    start: int
    end: int


def timeline(strips: Sequence[Sequence[Job]], depth: int, mode: Mode) -> tuple[Bar, ...]:
    """What the processes do, tile by tile; the load of a tile is two bars where a part of it comes early.

    The second one may be empty: a tile that has all its words still waits until all of the strip before is stored.
    """
    bars: list[Bar] = []
    ends: dict[Process, list[int]] = {process: [0] * depth for process in PROCESSES}
    for tile, (job, opens, before) in enumerate(_in_order(strips)):
        window = min(depth, before + 1) if opens and mode == "overlap" else depth
        spans = list(_load(job, ends, opens and mode == "drain", window))
        bars += [Bar(tile, "load", start, end) for start, end in spans]
        loaded = spans[-1][1]
        computed = max(ends["compute"][-1], loaded) + job.compute
        stored = max(ends["store"][-1], computed) + job.store
        bars.append(Bar(tile, "compute", computed - job.compute, computed))
        bars.append(Bar(tile, "store", stored - job.store, stored))
        for process, end in zip(PROCESSES, (loaded, computed, stored), strict=True):
            ends[process].append(end)
    return tuple(bars)


def total_time(bars: Sequence[Bar]) -> int:
    """The units of time until everything has ended."""
    return max((bar.end for bar in bars), default=0)


def _in_order(strips: Sequence[Sequence[Job]]) -> Iterator[tuple[Job, bool, int]]:
    """The tiles of all strips, whether they begin a strip, and how many tiles the strip before has."""
    for before, strip in pairwise(((), *strips)):
        yield from ((job, position == 0, len(before)) for position, job in enumerate(strip))


def _load(job: Job, ends: dict[Process, list[int]], drains: bool, window: int) -> Iterator[tuple[int, int]]:
    """The parts of a load: one, or two where early words come before the others.

    The tile that is `window` tiles before must be stored, and all where the pipeline drains.
    """
    ready = max(ends["load"][-1], ends["store"][-window])
    if drains and job.early:
        ready = max(ready, ends["compute"][-1])
        yield ready, ready + job.early
        ready += job.early
    late = job.load - job.early if drains else job.load
    start = max(ready, ends["store"][-1]) if drains else ready
    yield start, start + late
