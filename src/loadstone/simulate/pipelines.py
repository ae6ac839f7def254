"""How instances go through datapaths, as numbers: what they wait for, and the ports of local memories that they use.

From these, and from the runs of a tile, follow the cycles of a tile, and those in which ports are free for what arrives
and leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from loadstone.hardware.compute import Compute, Hazard
from loadstone.hardware.lowering import WRITE
from loadstone.loops.walks import IDLE, Run
from loadstone.model.expression import Expression

Port = tuple[str, str]
"""The array of a local memory, and what its port is for: `write`, or `read 0`, `read 1` and so on."""
FIRST_READ, WRITES = "read 0", "write"
Span = tuple[int, int]
"""Cycles from a first one up to an end."""


@dataclass(frozen=True, slots=True)
class Use:
    """A port that an instance uses some cycles after it goes."""

    port: Port
    cycle: int


@dataclass(frozen=True, slots=True)
class Wait:
    """An instance goes more than `window` cycles after those of a writer that it may depend on.

    These have the same value at position `theirs` of their arguments as it has at position `mine` of its own; None
    stands for all instances of the writer.
    """

    writer: str
    window: int
    theirs: int | None = None
    mine: int | None = None


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The datapath of a statement: an instance is in it for `depth` cycles after the one in which it goes.

    Instances follow each other after `interval` cycles at the earliest. `arguments` are functions of the iterators of
    the statement, to which waits refer, and of `masks`, which say of its lanes whether they have an instance.
    """

    depth: int
    interval: int = 1
    uses: tuple[Use, ...] = ()
    waits: tuple[Wait, ...] = ()
    arguments: tuple[Expression, ...] = ()
    masks: tuple[str, ...] = ()


Pipelines = Mapping[str, Pipeline]


@dataclass(frozen=True, slots=True, eq=False)
class TileTimes:
    """The cycles of a tile from its begin to its end, and for each port that it uses those in which it is free."""

    cycles: int
    free: Mapping[Port, Sequence[int]]


def pipelines_of(compute: Compute) -> dict[str, Pipeline]:
    """The datapaths of a design as numbers."""
    return {name: _pipeline(compute, name) for name in compute.datapaths}


def _pipeline(compute: Compute, name: str) -> Pipeline:
    table, signature = compute.times[name], compute.signatures[name]
    uses = [Use((compute.statements[name].write.array, WRITES), table.write)]
    for slot in table.slots.values():
        if compute.stores[slot.array].depth:
            uses.append(Use((slot.array, f"read {slot.port}"), slot.asked))
    waits = tuple(wait for hazard in compute.hazards if hazard.statement == name for wait in _waits(compute, hazard))
    return Pipeline(table.write, 1, tuple(uses), waits, tuple(signature.values.values()), signature.masks)


def _waits(compute: Compute, hazard: Hazard) -> Iterator[Wait]:
    """What lanes of a statement wait for."""
    if not hazard.probe.addressed:
        yield Wait(hazard.writer, hazard.probe.window)
        return
    for one, other in hazard.lanes:
        theirs = _argument(compute, hazard.writer, WRITE, one)
        mine = _argument(compute, hazard.statement, hazard.position, other)
        yield Wait(hazard.writer, hazard.probe.window, theirs, mine)


def _argument(compute: Compute, statement: str, position: int, lane: int) -> int:
    """The argument that is the address of an access of a lane."""
    signature = compute.signatures[statement]
    return signature.names.index(signature.lanes[lane].arguments[signature.addresses[position]])


def tile_times(runs: Iterable[Run], pipelines: Pipelines) -> TileTimes:
    """The times of a tile whose instances, or groups of these, are given in order."""
    issue = _Issue(pipelines, in_step=not _may_wait(pipelines))
    for run in runs:
        issue.run(run)
    drained = [spans[-1][1] - 1 + pipelines[name].depth for name, spans in issue.spans.items() if spans]
    cycles = max(issue.next, *(end + 1 for end in drained)) if drained else issue.next
    return TileTimes(cycles, _free_cycles(issue.spans, pipelines, cycles))


def _may_wait(pipelines: Pipelines) -> bool:
    """Whether an instance may go later than a cycle after the one before it."""
    ports: dict[Port, set[int]] = {}
    for use in (use for pipeline in pipelines.values() for use in pipeline.uses):
        ports.setdefault(use.port, set()).add(use.cycle)
    waits = any(pipeline.waits or pipeline.interval > 1 for pipeline in pipelines.values())
    return waits or any(len(cycles) > 1 for cycles in ports.values())


class _Issue:
    """The state of the issue: when instances went, by statement and by what they write, and when ports are taken.

    `spans` are the cycles after the begin of the tile in which instances go, each from a first one up to an end. With
    `in_step` no instance waits. `next` is the cycle in which the controller stands at the next visit.
    """

    def __init__(self, pipelines: Pipelines, *, in_step: bool) -> None:
        self.spans: dict[str, list[Span]] = {name: [] for name in pipelines}
        self.next = 1
        self._pipelines, self._in_step = pipelines, in_step
        self._last: dict[tuple[str, int | None, int], int] = {}
        self._taken: set[tuple[Port, int]] = set()
        waits = {wait for pipeline in pipelines.values() for wait in pipeline.waits}
        self._watched = {name: tuple({wait.theirs for wait in waits if wait.writer == name}) for name in pipelines}

    def run(self, run: Run) -> None:
        """Lets the instances of a run go."""
        if run.name != IDLE and not self._in_step:
            self._one_by_one(run)
            return
        if run.name != IDLE:
            self._goes(run.name, self.next, run.length)
        self.next += run.length

    def _goes(self, name: str, at: int, count: int) -> None:
        """Notes that instances go, one in each cycle."""
        spans = self.spans[name]
        if spans and spans[-1][1] == at:
            spans[-1] = spans[-1][0], at + count
        else:
            spans.append((at, at + count))

    def _one_by_one(self, run: Run) -> None:
        pipeline, arguments = self._pipelines[run.name], run.arguments
        spans, watched = self.spans[run.name], self._watched[run.name]
        for _ in range(run.length):
            first = max(self.next, spans[-1][1] - 1 + pipeline.interval) if spans else self.next
            at = self._free(pipeline, self._ready(pipeline, arguments, first))
            self._goes(run.name, at, 1)
            for position in watched:
                self._last[run.name, position, 0 if position is None else arguments[position]] = at
            self.next = at + 1
            arguments = tuple(map(int.__add__, arguments, run.steps))

    def _ready(self, pipeline: Pipeline, arguments: Sequence[int], at: int) -> int:
        """The first cycle from `at` on in which all that an instance waits for is there."""
        for wait in pipeline.waits:
            mine = 0 if wait.mine is None else arguments[wait.mine]
            went = self._last.get((wait.writer, wait.theirs, mine))
            if went is not None and at <= went + wait.window:
                at = went + wait.window + 1
        return at

    def _free(self, pipeline: Pipeline, at: int) -> int:
        """The first cycle from `at` on for which all ports are free, which are taken from then on."""
        while any((use.port, at + use.cycle) in self._taken for use in pipeline.uses):
            at += 1
        self._taken.update((use.port, at + use.cycle) for use in pipeline.uses)
        return at


def _free_cycles(spans: Mapping[str, Sequence[Span]], pipelines: Pipelines, cycles: int) -> dict[Port, list[int]]:
    """For each port that load or store need, too, the cycles in which no instance uses it."""
    taken: dict[Port, bytearray] = {}
    for name, use in _shared_uses(pipelines):
        busy = taken.setdefault(use.port, bytearray(cycles))
        for first, end in spans[name]:
            busy[first + use.cycle : end + use.cycle] = b"\1" * (end - first)
    return {port: [cycle for cycle, is_busy in enumerate(busy) if not is_busy] for port, busy in taken.items()}


def _shared_uses(pipelines: Pipelines) -> Iterator[tuple[str, Use]]:
    for name, pipeline in pipelines.items():
        yield from ((name, use) for use in pipeline.uses if use.port[1] in (FIRST_READ, WRITES))
