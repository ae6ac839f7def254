"""Stages of a direct implementation that find elements whose place depends on data.

Each stands before the one that asks for words. It reads the words that tell places, computes these, and passes
instances on with both. Many instances are in flight. A word that an earlier instance may have written is read when
nothing is in flight any more, and a scalar when no instance is: this costs time, but such indices are rare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loadstone.hardware.datapath.pipeline import Datapath, fetch_port
from loadstone.hardware.direct.places import Found, Level
from loadstone.hardware.direct.reading import Client
from loadstone.hardware.direct.turns import Turn, Turns, longest, skips_of
from loadstone.hardware.names import ModuleNames
from loadstone.rtl.blocks import Queue, add_queue
from loadstone.rtl.conditions import any_of
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Instance
from loadstone.rtl.stream import Stream
from loadstone.rtl.types import bit, unsigned

INSTANCES = 16
"""How many instances can be on their way through a stage, or wait for their words behind the last one."""


@dataclass(frozen=True, slots=True, eq=False)
class Calm:
    """What a stage knows of the instances before its own, all of it wires.

    `through`: none of them is in flight. `written`: their results are in memory, too. The stage says when it `waits`
    for that.
    """

    through: Signal
    written: Signal
    waits: Signal


@dataclass(frozen=True, slots=True, eq=False)
class LevelStage:
    """A stage that was added: the stream behind it, and whether no instance is in flight in it."""

    stream: Stream
    is_empty: Signal


@dataclass(frozen=True, slots=True, eq=False)
class LevelParts:
    """What a stage is made of: what has turns, a level of places, the master, and what it waits for.

    `given` is the value of a parameter or scalar, `fifos` has names for queues.
    """

    turns: Turns
    level: Level
    found: Mapping[str, Found]
    client: Client
    calm: Calm
    given: Callable[[str], Value]
    fifos: ModuleNames


def add_level(parts: LevelParts, stream: Stream) -> LevelStage:
    """Adds a stage behind a stream of instances."""
    return _Stage(parts, stream).added()


class _Stage:
    """A stage while it is made."""

    def __init__(self, parts: LevelParts, stream: Stream) -> None:
        self.parts, self.stream = parts, stream
        self.turns, self.level, self.names = parts.turns, parts.level, parts.turns.names
        self.module = self.names.module
        self.queued = self.turns.records.queued(longest(self.level.words))
        self.is_full, self.leaves = (
            self.module.wire(self.names.fresh(wish), bit) for wish in ("finding_full", "found_leaves")
        )

    def added(self) -> LevelStage:
        """The stage with all its parts."""
        m, names = self.module, self.names
        passes, queued = self._asked()
        valid, record = self._found(passes, queued)
        found = self._queue("found", valid, record, self.leaves)
        count = names.state("finding_count", unsigned(INSTANCES.bit_length()), "instances on their way through this")
        with m.clocked():
            m.assign(count, (count + passes - self.leaves).wrapped(count.bits))
        m.assign(self.is_full, count == INSTANCES)
        stream = Stream(found.valid, self.leaves, {"data": found.data})
        return LevelStage(stream, names.wire("finds_none", count == 0))

    def _queue(self, wish: str, valid: Value, record: Value, leaves: Value) -> Queue:
        """A queue that always has room, since no more instances are in flight than fit into it."""
        fifo = self.parts.fifos.fresh(f"{self.module.name}_{wish}")
        return add_queue(self.module, self.names.fresh(wish), INSTANCES, valid, record, leaves, fifo)

    def _asked(self) -> tuple[Signal, Value]:
        """Asks for words: when an instance passes, and its record with the words that do not exist."""
        names, client = self.names, self.parts.client
        turn = self.turns.at("finds", self.stream.valid, self.stream.data, self.level.words)
        missing = names.wire("finds_missing", self.turns.missing(turn))
        able = names.wire("finds_able", turn.is_here & ~self._waits(turn, missing) & ~(turn.is_last & self.is_full))
        reads = names.wire("finds_reads", turn.has(missing))
        self.module.assign(client.request, able & reads)
        self.module.assign(client.element, self.turns.asked(turn))
        goes_on = names.wire("finds_next", able & (~reads | client.granted))
        passes = names.wire("finds_passes", goes_on & turn.is_last)
        self.module.assign(self.stream.ready, passes)
        self.turns.advance(turn, goes_on)
        return passes, self.queued.made(skipped=self.turns.skipped(turn, missing, goes_on), instance=turn.record)

    def _waits(self, turn: Turn, missing: Value) -> Signal:
        """Whether an instance has to wait for those before it."""
        calm, level = self.parts.calm, self.level
        scalars = any_of(*(here for name, here in turn.here.items() if level.reads_scalars(name)))
        written = self.names.wire("finds_written", turn.where(lambda word: word.kept or word.open) & ~missing)
        self.module.assign(calm.waits, written & ~calm.written)
        return self.names.wire("finds_waits", (scalars & ~calm.through) | (written & ~calm.written))

    def _found(self, passes: Value, queued: Value) -> tuple[Value, Value]:
        """Computes places when words are there: when that is done, and the record with words and places."""
        names, client = self.names, self.parts.client
        starts = self.module.wire(names.fresh("tells_places"), bit)
        queue = self._queue("finding", passes, queued, starts)
        skipped, instance = self.queued.unpacked(queue.data).values()
        record = names.wire("told_record", instance)
        turn = self.turns.at("tells", queue.valid, record, self.level.words)
        reads = names.wire("tells_reads", turn.has(skips_of(turn, skipped)))
        self.module.assign(client.accepts, reads)
        goes_on = names.wire("tells_next", turn.is_here & (~reads | client.valid))
        self.module.assign(starts, goes_on & turn.is_last)
        self.turns.advance(turn, goes_on)
        told = self._told(turn, self.turns.taken(turn, reads, client))
        return self._placed(starts, told)

    def _told(self, turn: Turn, words: list[Value]) -> Signal:
        """The record of an instance with the words that it was given."""
        fields = {
            name: {self.parts.found[name].words[word.position]: words[k] for k, word in enumerate(own)}
            for name, own in self.level.words.items()
        }
        return self.names.wire("told", self.turns.records.changed(turn.record, fields))

    def _placed(self, starts: Value, told: Signal) -> tuple[Value, Value]:
        """The record of an instance with its places, when these are computed."""
        records, delay = self.turns.records, self.level.delay
        places = {
            name: {place: self._datapath(name, path, told, starts)["write_data"] for place, path in paths.items()}
            for name, paths in self.level.places.items()
        }
        later = self.names.wire("placed", self.turns.delayed("told", told, delay))
        return self.turns.delayed("tells", starts, delay, 0), records.changed(later, places)

    def _datapath(self, statement: str, path: Datapath, record: Value, starts: Value) -> Instance:
        """The datapath of a place."""
        inputs: dict[str, Value] = {"start": starts}
        for what, port in path.arguments.items():
            inputs[port.name] = self.turns.records.argument(record, statement, what).wrapped(port.bits)
        inputs |= {port.name: self.parts.given(what) for what, port in path.stable.items()}
        for position, slot in path.times.slots.items():
            inputs[f"{fetch_port(position)}_data"] = self.parts.given(slot.array)
        return self.module.instance(self.names.fresh(f"place_{statement}"), path.module, inputs)
