"""How instances go through datapaths, as numbers: what they wait for, and the ports of local memories that they use.

From these, and from the runs of a tile, follow the cycles of a tile, and those in which ports are free for what arrives
and leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

from loadstone.loops.compiled_walk import IDLE, Run
from loadstone.model.expression import Expression

Port = tuple[str, str]
"""The array of a local memory, and what its port is for: `write`, or `read 0`, `read 1` and so on."""
FIRST_READ, WRITES = "read 0", "write"
Span = tuple[int, int]
"""Cycles from a first one up to an end."""
_OPPOSITES = bytes((1, 0, *range(2, 256)))


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


class TileTimes:
    """The cycles of a tile from its begin to its end, and those in which ports are free.

    `taken` are the cycles in which instances use ports, as numbers with a byte for each cycle, which is 0 or 1.
    """

    def __init__(self, cycles: int, taken: Mapping[Port, int]) -> None:
        self.cycles, self._taken = cycles, taken
        self._free: dict[Port, Sequence[int] | None] = {}

    def free(self, port: Port) -> Sequence[int] | None:
        """The cycles in which no instance uses a port; None if none ever does."""
        if port not in self._free:
            taken = self._taken.get(port)
            self._free[port] = None if taken is None else self._without(taken)
        return self._free[port]

    def _without(self, taken: int) -> list[int]:
        length = max(self.cycles, (taken.bit_length() + 7) // 8)
        return list(compress(range(self.cycles), taken.to_bytes(length, "little").translate(_OPPOSITES)))


def tile_times(runs: Sequence[Run], pipelines: Pipelines) -> TileTimes:
    """The times of a tile whose instances, or groups of these, are given in order."""
    names = {name for name, _, _, _ in runs}
    issue = _Issue({name: each for name, each in pipelines.items() if name in names})
    for name, length, arguments, steps in runs:
        if name == IDLE:
            issue.next += length
        else:
            issue.run(name, length, arguments, steps)
    drained = [spans[-1][1] - 1 + pipelines[name].depth for name, spans in issue.spans.items() if spans]
    cycles = max(issue.next, *(end + 1 for end in drained)) if drained else issue.next
    spans = {name: issue.spans.get(name, ()) for name in pipelines}
    return TileTimes(cycles, _taken_cycles(spans, pipelines, cycles))


def _contended(pipelines: Pipelines) -> set[Port]:
    """The ports that instances may use in the same cycle, as they do so in different cycles after they go."""
    cycles: dict[Port, set[int]] = {}
    for use in (use for pipeline in pipelines.values() for use in pipeline.uses):
        cycles.setdefault(use.port, set()).add(use.cycle)
    return {port for port, found in cycles.items() if len(found) > 1}


class _Gate(NamedTuple):
    """What instances of a statement mind, and what others mind of them.

    `waits` hold when writers went last, by an argument of theirs, the cycles to wait, and the position of the argument
    that is compared; `uses` hold the cycles in which ports are taken; `noted` holds when its own instances went last.
    """

    interval: int
    waits: tuple[tuple[dict[int, int], int, int], ...]
    uses: tuple[tuple[set[int], int], ...]
    noted: tuple[tuple[dict[int, int], int], ...]

    @property
    def is_open(self) -> bool:
        """Whether instances go one after the other, and nobody minds."""
        return self.interval == 1 and not (self.waits or self.uses or self.noted)


def _gates(pipelines: Pipelines) -> dict[str, _Gate]:
    """What statements mind; arguments have a 0 behind them, which all instances of a writer share."""
    windows = {name: _windows(each) for name, each in pipelines.items()}
    last: dict[tuple[str, int], dict[int, int]] = {wait[:2]: {} for each in windows.values() for wait in each}
    taken: dict[Port, set[int]] = {port: set() for port in _contended(pipelines)}
    return {
        name: _Gate(
            each.interval,
            tuple(
                (last[writer, theirs], window, mine)
                for (writer, theirs, mine), window in windows[name].items()
                if writer in pipelines
            ),
            tuple((taken[use.port], use.cycle) for use in dict.fromkeys(each.uses) if use.port in taken),
            tuple((went, place) for (writer, place), went in last.items() if writer == name),
        )
        for name, each in pipelines.items()
    }


def _windows(pipeline: Pipeline) -> dict[tuple[str, int, int], int]:
    """The cycles that instances wait for a writer, by the positions of the arguments that are compared."""
    found: dict[tuple[str, int, int], int] = {}
    for wait in pipeline.waits:
        key = wait.writer, _place(wait.theirs), _place(wait.mine)
        found[key] = max(wait.window, found.get(key, 0))
    return found


def _place(position: int | None) -> int:
    return -1 if position is None else position


class _Issue:
    """The state of the issue: when instances went, by statement and by what they write, and when ports are taken.

    `spans` are the cycles after the begin of the tile in which instances go, each from a first one up to an end. `next`
    is the cycle in which the controller stands at the next visit.
    """

    def __init__(self, pipelines: Pipelines) -> None:
        self.spans: dict[str, list[Span]] = {name: [] for name in pipelines}
        self.next = 1
        self._gates = _gates(pipelines)

    def run(self, name: str, length: int, arguments: tuple[int, ...], steps: tuple[int, ...]) -> None:
        """Lets the instances of a run go."""
        gate, spans = self._gates[name], self.spans[name]
        if gate.is_open:
            _add_span(spans, self.next, length)
            self.next += length
            return
        values, growth = (*arguments, 0), (*steps, 0)
        for number in range(length):
            if number:
                values = tuple(map(int.__add__, values, growth))
            at = self.next
            if gate.interval > 1 and spans:
                at = max(at, spans[-1][1] - 1 + gate.interval)
            for last, window, mine in gate.waits:
                went = last.get(values[mine])
                if went is not None and at <= went + window:
                    at = went + window + 1
            at = _free(gate.uses, at) if gate.uses else at
            for last, place in gate.noted:
                last[values[place]] = at
            _add_span(spans, at, 1)
            self.next = at + 1


def _free(uses: Sequence[tuple[set[int], int]], at: int) -> int:
    """The first cycle from some on in which an instance can go as far as ports are concerned, which are then taken."""
    while True:
        for taken, cycle in uses:
            if at + cycle in taken:
                break
        else:
            break
        at += 1
    for taken, cycle in uses:
        taken.add(at + cycle)
    return at


def _add_span(spans: list[Span], at: int, count: int) -> None:
    """Notes that instances go, one in each cycle."""
    if spans and spans[-1][1] == at:
        spans[-1] = spans[-1][0], at + count
    else:
        spans.append((at, at + count))


def _taken_cycles(spans: Mapping[str, Sequence[Span]], pipelines: Pipelines, cycles: int) -> dict[Port, int]:
    """For each port that load or store need, too, the cycles in which instances use it, as `TileTimes` has them."""
    taken: dict[Port, int] = {}
    for name, pipeline in pipelines.items():
        goes = _as_number(spans[name], cycles)
        for port, cycle in {(use.port, use.cycle) for use in pipeline.uses if use.port[1] in (FIRST_READ, WRITES)}:
            taken[port] = taken.get(port, 0) | goes << 8 * cycle
    return taken


def _as_number(spans: Iterable[Span], cycles: int) -> int:
    """Cycles as a number with a byte for each, which is 1 for those in the spans."""
    goes = bytearray(cycles)
    for first, end in spans:
        goes[first:end] = b"\1" * (end - first)
    return int.from_bytes(goes, "little")
