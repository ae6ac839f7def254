"""An external memory at the level of bursts: when each is served, without a simulation of cycles.

It is the memory of `make_memory` with a master that is always ready: the data of writes are there in time, and
responses are taken at once. Then times and counters are equal, to the cycle. Time is a cycle after reset.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from loadstone.dram.timing import Timing

_CLOSED = -1
_NEVER = 1 << 62


class Burst(NamedTuple):
    """Beats from a byte address on, of any number; the address arrives at a time."""

    address: int
    beats: int
    is_write: bool
    time: int


class Answer(NamedTuple):
    """The cycles in which responses can be seen: first and last beat of a read; for a write both are its response."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Counters:
    """What a memory did: the outputs of `make_memory`."""

    row_hits: int
    row_changes: int
    busy_cycles: int
    words_read: int
    words_written: int


class TransactionMemory:
    """A memory that is given bursts in the order of their arrival, at times that do not decrease.

    >>> from loadstone.dram.timing import preset
    >>> memory = TransactionMemory(preset("paper"), 32)
    >>> memory.serve(Burst(0, 4, False, 100)), memory.serve(Burst(64, 1, False, 101))
    (Answer(first=147, last=150), Answer(first=151, last=151))
    """

    def __init__(self, timing: Timing, data_width: int) -> None:
        self._beats = timing.for_beats(data_width)
        self._bytes = data_width // 8
        self._rows = [_CLOSED] * self._beats.banks
        self._free = 0
        self._refresh_due = self._beats.refresh_interval or _NEVER
        self._row_changes = 0
        self._words = [0, 0]

    @property
    def counters(self) -> Counters:
        """What was done so far."""
        hits = sum(self._words) - self._row_changes
        busy = hits * self._beats.hit + self._row_changes * self._beats.row_change
        return Counters(hits, self._row_changes, busy, *self._words)

    def serve(self, burst: Burst) -> Answer:
        """When the responses to a burst can be seen."""
        address, left, is_write, time = burst
        place, row_beats = address // self._bytes, self._beats.row_beats
        first = -1
        while left:
            row, offset = divmod(place, row_beats)
            rest = row_beats - offset
            count, end = self._serve_in_row(row, left if left < rest else rest, time + 1)
            first = end if first < 0 else first
            place += count
            left -= count
        self._words[is_write] += burst.beats
        last = self._free - 1 + self._beats.delay
        return Answer(last if is_write else first + self._beats.delay, last)

    def _serve_in_row(self, row: int, beats: int, earliest: int) -> tuple[int, int]:
        """How many beats of a row are served before the next refresh, and the cycle in which the first ends."""
        start = self._free if self._free > earliest else earliest
        if start >= self._refresh_due:
            start = self._refreshed(start)
        hit, bank = self._beats.hit, row % self._beats.banks
        if self._rows[bank] == row:
            end = start + hit
        else:
            end = start + self._beats.row_change
            self._rows[bank] = row
            self._row_changes += 1
        if end + (beats - 2) * hit >= self._refresh_due:
            beats = min(beats, 1 + max(0, -((end - self._refresh_due) // hit)))
        self._free = end + (beats - 1) * hit
        return beats, end - 1

    def _refreshed(self, start: int) -> int:
        """The cycle in which a beat can start, after all refreshes that are due until then."""
        while start >= self._refresh_due:
            self._free = max(self._free, self._refresh_due) + self._beats.refresh
            self._refresh_due += self._beats.refresh_interval
            start = max(start, self._free)
        self._rows = [_CLOSED] * self._beats.banks
        return start


def served(timing: Timing, data_width: int, bursts: Iterable[Burst]) -> tuple[tuple[Answer, ...], Counters]:
    """The answers to bursts in their order, and the counters after them."""
    memory = TransactionMemory(timing, data_width)
    answers = tuple(memory.serve(burst) for burst in bursts)
    return answers, memory.counters
