"""Load and store engines at the level of bursts: when elements are requested, arrive, leave and are written.

Elements move one by one, or in slices; a visit is what moves in a cycle.

Each stands for a part of the hardware, by its queues and buffers and the cycles that these take. Processes are
generators: they say what they do next and when, and go on in the order of time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from loadstone.bus.ports import Bus
from loadstone.dram.timing import Timing
from loadstone.dram.transactions import Answer, Burst, Counters, TransactionMemory
from loadstone.hardware.accelerator.loading import ON_THE_WAY, QUEUED
from loadstone.hardware.accelerator.moves import MOVES, TOLD
from loadstone.hardware.accelerator.storing import WAITING
from loadstone.parallel.pipelines import FIRST_READ, WRITES, Port, TileTimes
from loadstone.simulate.prediction.history import History, OpenBursts
from loadstone.simulate.prediction.pieces import Cut, Piece, Widths, cuts_of

QUEUED_REQUESTS = 4
QUEUED_READS = 2
QUEUED_WRITES = 32
OPEN_BURSTS = 16
"""The bursts that wait in an external memory."""
NEVER = 1 << 60

Step = tuple[int, Burst | None]
"""The next thing that a process does, and when: a burst on the bus, or only going on; never if it waits for another.

A burst is offered at its time, and arrives when the memory takes it.
"""
Steps = Generator[Step, Answer, int]
"""A part of a process that gives a time in the end."""
Process = Generator[Step, Answer, None]
BLOCKED: Step = (NEVER, None)
ENDED: Step = (NEVER + 1, None)
NOTHING = Answer(0, 0)


class Window(NamedTuple):
    """The cycles of a tile that is computed, and the number of its strip."""

    begin: int
    end: int
    times: TileTimes
    strip: int


class FreePort:
    """The cycles in which datapaths leave a port of a local memory free; questions go forward in time.

    Where copies are apart, only tiles of the same strip use the same memory.
    """

    def __init__(self, port: Port, windows: Sequence[Window], apart: bool) -> None:
        self._port, self._windows, self._apart = port, windows, apart
        self._next = 0

    def after(self, time: int, count: int, strip: int) -> int:
        """The last of so many free cycles from a time on, for what moves in a strip."""
        windows = self._windows
        while self._next < len(windows) and windows[self._next].end <= time:
            self._next += 1
        for begin, end, times, used in windows[self._next :]:
            if begin >= time + count:
                break
            free = times.free(self._port)
            if free is None or (self._apart and used != strip):
                continue
            if begin > time:
                count, time = count - (begin - time), begin
            place = bisect_left(free, time - begin) + count - 1
            if place < len(free):
                return begin + free[place]
            count, time = place - len(free) + 1, end
        return time + count - 1


class External:
    """The external memory with the queue in which bursts wait.

    `arrived` is when the last burst was taken, `free` when the next one can be, `wrote` whether the last one writes.
    """

    def __init__(self, timing: Timing, bus: Bus) -> None:
        self._memory = TransactionMemory(timing, bus.data_width)
        self._ends: deque[int] = deque([-1] * OPEN_BURSTS)
        self.delay = timing.latency - 1
        self.arrived, self.free, self.wrote = -1, 0, True

    @property
    def counters(self) -> Counters:
        """What it did."""
        return self._memory.counters

    def serve(self, burst: Burst) -> Answer:
        """When a burst is answered."""
        address, beats, self.wrote, arrived = burst
        if arrived < self.free:
            arrived = self.free
            burst = Burst(address, beats, self.wrote, arrived)
        self.arrived = arrived
        answer = self._memory.serve(burst)
        ends = self._ends
        ends.popleft()
        ends.append(answer.last - self.delay)
        self.free = max(arrived, ends[0]) + 1
        return answer


class _Requests:
    """Elements of a mover that join to requests, of which some wait in a queue [coalescer.py].

    `open` is the request at hand, `queued` are those that ended, with the cycles in which they did, `ended` is their
    number. The longest request ends by itself, unless another element comes at once.
    """

    def __init__(self, longest: int) -> None:
        self.open: Piece | None = None
        self._longest, self._alone = longest, NEVER
        self.queued: deque[tuple[Piece, int]] = deque()
        self.ended = 0
        self._taken: list[int] = []

    @property
    def waits(self) -> bool:
        """Whether it is not known yet when there is room for the request at hand."""
        return self.open is not None and len(self._taken) <= self.ended - QUEUED_REQUESTS

    def room(self) -> int:
        """The first cycle in which the request at hand can go into the queue; 0 if there is none."""
        full = self.open is not None and self.ended >= QUEUED_REQUESTS
        return self._taken[self.ended - QUEUED_REQUESTS] + 1 if full else 0

    def begin(self, piece: Piece, last: int) -> None:
        """Begins a request, the last element of which comes in some cycle."""
        self.open = piece
        self._alone = last + 1 if piece.visits == self._longest else NEVER

    def is_closed(self, time: int) -> bool:
        """Whether no request is at hand in a cycle any more; one that ends by itself before it does so."""
        alone = max(self._alone, self.room())
        if self.open is not None and alone < time:
            self.end(alone)
        return self.open is None

    def end(self, time: int) -> None:
        """Ends the request at hand, if there is one."""
        if self.open is not None:
            self.queued.append((self.open, time))
            self.ended += 1
        self.open = None

    def taken(self, not_before: int) -> tuple[Piece, int]:
        """The oldest request that was not taken yet, and when it is."""
        piece, time = self.queued.popleft()
        self._taken.append(max(time + 2, not_before))
        return piece, self._taken[-1]


class _Moves:
    """The queue between a mover and its engine, which holds two moves [moves.py]: when the last ones were taken.

    The last stage behind it holds two more; where addresses have rows, two others hold one each.
    """

    def __init__(self, has_rows: bool) -> None:
        self._stages = 1 + 2 * has_rows
        held = MOVES + TOLD + self._stages - 1
        self._taken = deque([-1] * held, maxlen=held)

    def entered(self, time: int) -> int:
        """The cycle in which a move enters, if the mover stands at it from a time on."""
        return max(time, self._taken[0] + 1)

    def shown(self, entered: int) -> int:
        """The first cycle in which the engine can take a move."""
        return max(entered + self._stages, self._taken[-1]) + 1

    def passed(self, count: int, entered: int, first: int, last: int) -> int:
        """The cycle after the last of some moves enters.

        The first enters in a cycle, and the engine takes it in its `first`, the last of them in its `last`.
        """
        room = len(self._taken)

        def taken(number: int) -> int:
            return self._taken[number] if number < 0 else first if number == 0 else last - (count - 1 - number)

        following = max(entered + count, taken(count - 1 - room) + 2)
        self._taken.extend([taken(number) for number in range(max(0, count - room), count)])
        return following


class _Arrivals:
    """The queue in which elements of an array wait until datapaths leave its memory free [loading.py].

    `written` is when the last of them was written.
    """

    def __init__(self, port: FreePort) -> None:
        self.written = -1
        self._port, self._writes = port, History()

    def taken(self, first: int, last: int, count: int, strip: int) -> tuple[int, int]:
        """When the first and the last of some elements enter the queue, which come in these cycles at the earliest."""
        port, writes = self._port, self._writes
        first = max(first, writes.after(writes.count + 1 - QUEUED) + 1)
        begin = port.after(max(first + 2, self.written + 1), 1, strip)
        end = port.after(begin, count, strip)
        self.written = end if end >= last + 2 else port.after(last + 2, 1, strip)
        writes.add(count, begin, self.written)
        return first, max(last, writes.after(writes.count - QUEUED) + 1)


class Loading:
    """The engine that loads [loading.py, reading.py]: what was requested, and what arrived."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.moves, self.requests = _Moves(shared.rows.load), _Requests(shared.bus.burst)
        self.asked, self.arrived = 0, -1
        self._records, self._popped = History(), History()
        self._beats, self._issued = 0, 0
        self._ahead = (shared.bus.buffered_bursts - 1) * shared.bus.burst
        self._commands: deque[int] = deque([-1] * QUEUED_READS)
        self._open_bursts = OpenBursts(shared.bus.outstanding)
        self._queues = {name: _Arrivals(port) for name, port in shared.ports(WRITES).items() if name in shared.written}
        self._array = ""
        self.strip = 0

    def tile(self, pieces: Iterable[Piece], time: int) -> Steps:
        """Asks for the elements of a tile from a time on; the cycle after the mover went on at its end."""
        moves = self.moves
        for piece in pieces:
            if piece.array:
                entered = moves.entered(time)
                first = max(moves.shown(entered), self._room(1))
                if not self.requests.is_closed(first):
                    first = max(first, self.requests.room())
                    self.requests.end(first)
                for cut in self._bursts():
                    self._arrive(cut, (yield self._offered(cut)))
                time = moves.passed(piece.visits, entered, first, self._open(piece, first))
            else:
                time += piece.length
        entered = moves.entered(time)
        first = moves.shown(entered)
        if not self.requests.is_closed(first):
            first = max(first, self.requests.room()) + 1
            self.requests.end(first - 1)
        for cut in self._bursts():
            self._arrive(cut, (yield self._offered(cut)))
        ended = self._end_of_tile(first)
        return moves.passed(1, entered, ended, ended)

    def _open(self, piece: Piece, time: int) -> int:
        """Begins a request; the cycle in which its last element is requested."""
        last = max(time + piece.visits - 1, self._room(piece.visits))
        self.requests.begin(piece, last)
        self.asked += piece.visits
        return last

    def _end_of_tile(self, time: int) -> int:
        """Puts the record that ends a tile into the queue; the cycle in which that happens."""
        time = max(time, self._room(1))
        self.asked += 1
        written = max((queue.written for queue in self._queues.values()), default=-1)
        self.arrived = max(time + 2, self.arrived + 1, written + 1)
        self._records.add(1, self.arrived, self.arrived)
        return time

    def _room(self, count: int) -> int:
        """The first cycle in which the last of some records can go into the queue."""
        return self._records.after(self.asked + count - ON_THE_WAY) + 1

    def _bursts(self) -> Sequence[Cut]:
        """The bursts of the request that ended, if one did."""
        if not self.requests.queued:
            return ()
        piece, self._issued = self.requests.taken(self._issued)
        self._array = piece.array
        return cuts_of(self.shared.widths, piece)

    def _offered(self, cut: Cut) -> Step:
        """A burst that is requested when there is room for its beats."""
        room = self._popped.after(self._beats - self._ahead) + 1
        self._issued = max(self._issued + 1, room, self._commands.popleft() + 1, self._open_bursts.closed() + 3)
        self._beats += cut.beats
        return self._issued + 1, Burst(cut.address, cut.beats, False, self._issued + 1)

    def _arrive(self, cut: Cut, answer: Answer) -> None:
        """Takes the elements of a burst, which then are in their cells, or in a queue."""
        self._commands.append(self.shared.external.arrived)
        self._open_bursts.close(answer.last)
        first = max(answer.first + 2, self.arrived + 1)
        last = max(first + cut.taken - 1, answer.last + 2 + cut.late)
        if self._array in self._queues and cut.ended:
            more = cut.taken - cut.ended
            taken, last = self._queues[self._array].taken(first + more, last, cut.ended, self.strip)
            first = taken - more
        self.arrived = last
        self._records.add(cut.ended, first, self.arrived)
        self._popped.add(cut.beats, first, self.arrived)


class Storing:
    """The engine that stores [storing.py, writing.py]: what was read from cells, and what was written."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.moves, self.requests = _Moves(shared.rows.store), _Requests(shared.bus.burst)
        self.read, self.ended, self.written, self._writes = 0, -1, -1, 0
        self.complete = False
        self._left, self._served = History(), History()
        self._leaves, self._beats = -1, 0
        self._cuts: deque[Cut] = deque()
        self._offers: deque[tuple[Cut, int, bool]] = deque()
        self._commands: deque[int] = deque([-1] * QUEUED_WRITES)
        self._open_bursts = OpenBursts(shared.bus.outstanding)
        self._ports = shared.ports(FIRST_READ)
        self.strip = 0

    def tile(self, pieces: Iterable[Piece], time: int) -> Steps:
        """Reads the cells of a tile from a time on; the cycle after the mover went on at its end.

        `ended` is the one in which all cells have been read.
        """
        moves = self.moves
        for piece in pieces:
            if piece.array:
                while self.requests.waits or self._left.count < self.read + piece.visits - WAITING:
                    yield BLOCKED
                entered = moves.entered(time)
                shown = moves.shown(entered)
                yield shown, None
                time = moves.passed(piece.visits, entered, *self._visit(piece, shown))
            else:
                time += piece.length
        entered = moves.entered(time)
        self.ended = moves.shown(entered)
        while self.requests.waits:
            yield BLOCKED
        if not self.requests.is_closed(self.ended):
            self.ended = max(self.ended, self.requests.room()) + 1
            self.requests.end(self.ended - 1)
        self._pack()
        self.shared.has_news = True
        return moves.passed(1, entered, self.ended, self.ended)

    def _visit(self, piece: Piece, time: int) -> tuple[int, int]:
        """Reads cells in cycles in which no datapath does: the first and the last of these."""
        port, strip = self._ports[piece.array], self.strip
        time = port.after(max(time, self._room(1)), 1, strip)
        if not self.requests.is_closed(time):
            time = port.after(max(time, self.requests.room()), 1, strip)
            self.requests.end(time)
        last, room = port.after(time, piece.visits, strip), self._room(piece.visits)
        last = last if last >= room else port.after(room, 1, strip)
        self.requests.begin(piece, last)
        self.read += piece.visits
        self._pack()
        self.shared.has_news = True
        return time, last

    def end_strip(self, time: int) -> Steps:
        """Waits until all is written; when it is."""
        while self._writes < self.requests.ended:
            yield BLOCKED
        return max(time, self.ended + 1, self.written + 1)

    def _room(self, count: int) -> int:
        """The first cycle in which the last of some cells can be read."""
        return self._left.after(self.read + count - WAITING) + 1

    def write(self) -> Process:
        """The process that writes the bursts of requests, until there are no more."""
        while not self.complete:
            if not self._offers:
                yield BLOCKED
                continue
            cut, packed, is_last = self._offers.popleft()
            offered = max(packed + 2, self._open_bursts.closed() + 1)
            self._write(cut.beats, (yield offered, Burst(cut.address, cut.beats, True, offered)))
            self._writes += is_last
            self._pack()
            self.shared.has_news = True

    def _pack(self) -> None:
        """Gathers the elements of requests into bursts, which are then offered, as far as room for them is known."""
        ahead = self.shared.bus.buffered_beats
        while self._cuts or self.requests.queued:
            if not self._cuts:
                piece, self._leaves = self.requests.taken(self._leaves)
                self._cuts.extend(cuts_of(self.shared.widths, piece))
            needed = self._beats + self._cuts[0].beats - ahead
            if not self._commands or needed > self._served.count:
                return
            cut = self._cuts.popleft()
            self._beats += cut.beats
            first = max(self._leaves, self._commands.popleft()) + 1
            self._leaves = max(first + cut.given - 1, self._served.after(needed) + 1)
            self._left.add(cut.begun, first, self._leaves)
            self._offers.append((cut, self._leaves, not self._cuts))
            self.shared.has_news = True

    def _write(self, beats: int, answer: Answer) -> None:
        """Notes when the beats of a burst leave for the memory, and when it has been written."""
        external = self.shared.external
        self._commands.append(external.arrived)
        end = answer.last - external.delay
        self._served.add(beats, max(external.arrived + 1, end - (beats - 1) * self.shared.hit), end)
        self.written = answer.last
        self._open_bursts.close(answer.last)


class Rows(NamedTuple):
    """Whether the addresses that a mover makes have rows, whose strides follow parameters."""

    load: bool
    store: bool


@dataclass(slots=True, eq=False)
class Shared:
    """What the processes share: the bus, the memory at its end, arrays in it, and the tiles that were computed.

    `written` are the arrays to which datapaths write, `apart` those whose copies are memories of their own. `has_news`
    says that one of them did something for which another may have waited.
    """

    bus: Bus
    external: External
    widths: Widths
    hit: int
    windows: list[Window]
    written: frozenset[str]
    apart: frozenset[str]
    rows: Rows
    has_news: bool = True

    def ports(self, kind: str) -> dict[str, FreePort]:
        """The ports of a kind of all local memories."""
        return {name: FreePort((name, kind), self.windows, name in self.apart) for name in self.widths.elements}


def shared_by(
    timing: Timing,
    bus: Bus,
    element_bytes: Mapping[str, int],
    written: frozenset[str],
    apart: frozenset[str],
    rows: Rows,
) -> Shared:
    """What processes share before a run."""
    widths = Widths(bus.bytes, bus.bytes * bus.burst, element_bytes)
    return Shared(bus, External(timing, bus), widths, timing.for_beats(bus.data_width).hit, [], written, apart, rows)
