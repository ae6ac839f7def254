"""A model of whole accelerators at the level of bursts: the cycles of a run, without simulating them one by one.

It goes through strips and tiles as the hardware does. Load and store are walks over elements, joined to requests, cut
into bursts, and served by a `TransactionMemory` in the order in which they come; tiles are computed in the cycles that
`tile_times` counts. Tokens, queues, the room of buffers, and ports of local memories at which datapaths come first make
them wait for each other. Times are cycles after the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from loadstone.bus.ports import Bus
from loadstone.dram.timing import Timing
from loadstone.dram.transactions import Answer
from loadstone.hardware.accelerator.outline import AcceleratorOutline
from loadstone.hardware.compute.local_layout import arrays_apart
from loadstone.hardware.compute.unit_pipelines import pipelines_of
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.harness.placement import placed
from loadstone.loops.accelerator import Accelerator
from loadstone.parallel.lanes import NO_LANES, Lanes
from loadstone.parallel.pipelines import Pipelines
from loadstone.parallel.walks import tile_order
from loadstone.simulate.hardware.activity import PROCESSES, Activity
from loadstone.simulate.prediction.engines import (
    BLOCKED,
    ENDED,
    NOTHING,
    External,
    Loading,
    Process,
    Rows,
    Shared,
    Step,
    Storing,
    Window,
    shared_by,
)
from loadstone.simulate.prediction.pieces import Piece
from loadstone.simulate.prediction.samples import FIRST_TILES, Schedule, all_tiles, are_more, some_tiles
from loadstone.simulate.prediction.tile_work import Placed, TileWork, tile_work

START = 1
"""The cycles from the start to the begin of the processes."""
COMPLETE_TILES = 2000
"""The most tiles that are all gone through where nobody asks for it: that takes some seconds."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The cycles of a run, the elements that move, what the memory counts, and what is done when.

    Where only some of its tiles were gone through, activities are those of these tiles.
    """

    cycles: int
    loaded: int
    stored: int
    row_hits: int
    row_changes: int
    busy_cycles: int
    words_read: int
    words_written: int
    activities: tuple[Activity, ...]
    tiles: int

    @property
    def gone_through(self) -> int:
        """How many of the tiles were not left out."""
        return len(self.activities) // len(PROCESSES)


def predict(
    accelerator: Accelerator,
    parameters: Mapping[str, int],
    timing: Timing,
    bus: Bus,
    pipelines: Pipelines,
    arrays: Mapping[str, Placed],
    *,
    lanes: Lanes = NO_LANES,
    sampled: bool = False,
) -> Prediction:
    """What a run of an accelerator would take, with datapaths of these times and arrays at these places.

    With lanes, a group of instances goes in each cycle. With `sampled`, all but the first tiles of each shape are left
    out, and taken to be as long as these: it costs less, and is no longer exact.
    """
    work = tile_work(accelerator, lanes, parameters, pipelines, arrays, bus.burst)
    order = tile_order(accelerator, parameters)
    first_strips = 2 if accelerator.handover.mode == "overlap" else 1
    schedule = some_tiles(*order, work.shapes(), first_strips) if sampled else all_tiles(*order)
    element_bytes = {name: each.element_bytes for name, each in arrays.items()}
    written = frozenset(statement.write.array for statement in accelerator.kernel.statements)
    rows = Rows(*(any(arrays[name].has_rows for name in each) for each in (accelerator.loaded, accelerator.stored)))
    shared = shared_by(timing, bus, element_bytes, written, arrays_apart(accelerator), rows)
    return _Run(accelerator, work, schedule, shared).prediction()


def predict_design(
    accelerator: Accelerator,
    design: AcceleratorDesign | AcceleratorOutline,
    parameters: Mapping[str, int],
    timing: Timing,
    bases: Mapping[str, int] | None = None,
    *,
    sampled: bool = False,
) -> Prediction:
    """What a run of a design would take; arrays lie as in `SystemRun`."""
    arrays, pipelines = placed_arrays(design, parameters, bases), pipelines_of(design.compute)
    lanes = design.lanes
    return predict(accelerator, parameters, timing, design.bus, pipelines, arrays, lanes=lanes, sampled=sampled)


def computing_cycles(accelerator: Accelerator, design: AcceleratorOutline, parameters: Mapping[str, int]) -> int | None:
    """The cycles that all tiles compute, one after the other, without any wait for data; None if tiles are many.

    No run takes fewer: a tile begins after the cycle in which the one before it ends.
    """
    if has_many_tiles(accelerator, parameters):
        return None
    arrays, pipelines = placed_arrays(design, parameters), pipelines_of(design.compute)
    work = tile_work(accelerator, design.lanes, parameters, pipelines, arrays, design.bus.burst)
    strips = all_tiles(*tile_order(accelerator, parameters)).strips
    return sum(work.times(tile).cycles + 1 for strip in strips for tile in strip)


def has_many_tiles(accelerator: Accelerator, parameters: Mapping[str, int]) -> bool:
    """Whether a prediction that leaves out nothing may take long."""
    return are_more(*tile_order(accelerator, parameters), COMPLETE_TILES)


def placed_arrays(
    design: AcceleratorDesign | AcceleratorOutline,
    parameters: Mapping[str, int],
    bases: Mapping[str, int] | None = None,
) -> dict[str, Placed]:
    """The arrays of a design in external memory: where bases say, or where `placed` puts them."""
    found, bases_of = dict[str, Placed](), placed(design, bases)
    for name, size in design.element_bytes.items():
        layout = design.external[name]
        base = bases_of[design.variable(name)] + size * layout.offset
        strides, slices = layout.strides_for(parameters), design.beats.size(name)
        found[name] = Placed(base, size, strides, bool(layout.moving), slices)
    return found


@dataclass(slots=True, eq=False)
class _Tokens:
    """When tiles were loaded, computed and stored, and strips stored, in order."""

    loaded: list[int]
    computed: list[int]
    stored: list[int]
    strips: list[int]


class _Moved:
    """The elements that tiles move: those of tiles that are gone through, one after the other."""

    def __init__(self, schedule: Schedule) -> None:
        self._weights = schedule.weights
        self._elements: list[int] = []

    def add(self, pieces: Sequence[Piece]) -> None:
        """Counts the elements of the next tile."""
        self._elements.append(sum(piece.length for piece in pieces if piece.array))

    @property
    def walked(self) -> int:
        """The elements of the tiles that are gone through."""
        return sum(self._elements)

    @property
    def total(self) -> int:
        """The elements of all tiles."""
        return sum(map(int.__mul__, self._elements, self._weights))

    def scaled(self, words: int) -> int:
        """The words of all tiles, for those of the tiles that are gone through."""
        return round(Fraction(words * self.total, max(1, self.walked)))


class _Run:
    """A run of an accelerator."""

    def __init__(self, accelerator: Accelerator, work: TileWork, schedule: Schedule, shared: Shared) -> None:
        self.work, self.schedule, self.shared = work, schedule, shared
        self.tokens, self.storing = _Tokens([], [], [], []), Storing(shared)
        self.depth = accelerator.depth
        self.overlap = int(accelerator.handover.mode == "overlap")
        self.loaded, self.stored = _Moved(schedule), _Moved(schedule)
        self.activities: list[Activity] = []
        self._computes_from, self._end = START, 0

    def prediction(self) -> Prediction:
        """What the run takes; what is left out of it is as it was before."""
        _interleave(self.shared, self._store(), self.storing.write(), self._load())
        counted = self.shared.external.counters
        loaded, stored = self.loaded, self.stored
        more = Fraction(loaded.total + stored.total, max(1, loaded.walked + stored.walked))
        return Prediction(
            max(self._end, self._computes_from) + round(self._left_out()),
            loaded.total,
            stored.total,
            round(more * counted.row_hits),
            round(more * counted.row_changes),
            round(more * counted.busy_cycles),
            loaded.scaled(counted.words_read),
            stored.scaled(counted.words_written),
            tuple(self.activities),
            sum(self.schedule.weights),
        )

    def _left_out(self) -> Fraction:
        """The cycles of what is left out: strips last as long as one of their shape, tiles as the half before them."""
        strips, tiles, half = [0, *self.tokens.strips], self.tokens.stored, FIRST_TILES // 2
        of_strips = sum(count * (strips[k + 1] - strips[k]) for k, count in self.schedule.strips_like.items())
        of_tiles = sum(count * (tiles[k] - tiles[k - half]) for k, count in self.schedule.tiles_like.items() if count)
        return of_strips + Fraction(of_tiles, half)

    def _load(self) -> Process:
        """The process that loads; it computes a tile as soon as its elements are known to have arrived."""
        engine, tokens, time, tile = Loading(self.shared), self.tokens, START, 0
        for number, strip in enumerate(self.schedule.strips):
            while len(tokens.strips) < number - self.overlap:
                yield BLOCKED
            before, *idle, behind = self.schedule.idle[number]
            time = max(time + before, _passed(tokens.strips, number - 1 - self.overlap)) + 1
            engine.strip = number
            self._computes_from += before + 1
            for coordinates, visits in zip(strip, idle, strict=True):
                self._computes_from += visits
                while len(tokens.stored) <= tile - self.depth:
                    yield BLOCKED
                begin = max(time + visits, _passed(tokens.stored, tile - self.depth))
                time = begin + 1
                pieces = self.work.loads(coordinates)
                self.loaded.add(pieces)
                time = yield from engine.tile(pieces, time)
                tokens.loaded.append(engine.arrived)
                self.activities.append(Activity("load", tile, begin, engine.arrived))
                self._compute(tile, number, coordinates)
                tile += 1
            time += behind + 1
            self._computes_from += behind + 1
        self._end = max(self._end, time + self.schedule.rest)
        self._computes_from += self.schedule.rest

    def _compute(self, tile: int, strip: int, coordinates: Sequence[int]) -> None:
        """Computes a tile of a strip."""
        begin = max(self._computes_from, self.tokens.loaded[tile] + 1)
        times = self.work.times(coordinates)
        end = begin + times.cycles
        self.shared.windows.append(Window(begin, end, times, strip))
        self.tokens.computed.append(end)
        self.shared.has_news = True
        self.activities.append(Activity("compute", tile, begin, end))
        self._computes_from = end + 1

    def _store(self) -> Process:
        """The process that stores."""
        engine, tokens, time, tile = self.storing, self.tokens, START, 0
        for number, strip in enumerate(self.schedule.strips):
            before, *idle, behind = self.schedule.idle[number]
            time += before + 1
            engine.strip = number
            for coordinates, visits in zip(strip, idle, strict=True):
                while len(tokens.computed) <= tile:
                    yield BLOCKED
                begin = max(time + visits, tokens.computed[tile] + 1)
                time = begin + 1
                pieces = self.work.stores(coordinates)
                self.stored.add(pieces)
                time = yield from engine.tile(pieces, time)
                tokens.stored.append(engine.ended)
                self.shared.has_news = True
                self.activities.append(Activity("store", tile, begin, engine.ended))
                tile += 1
            time = yield from engine.end_strip(time + behind)
            tokens.strips.append(time)
            self.shared.has_news = True
            time += 1
        engine.complete = self.shared.has_news = True
        self._end = max(self._end, time + self.schedule.rest)


def _passed(times: Sequence[int], number: int) -> int:
    """The first cycle in which a token of some number is there, 0 for those before the first."""
    return times[number] + 1 if number >= 0 else 0


def _interleave(shared: Shared, *processes: Process) -> None:
    """Lets processes do their steps in the order of time, until they have ended."""
    steps, external = [BLOCKED] * len(processes), shared.external
    _settle(shared, processes, steps)
    while steps.count(ENDED) < len(steps):
        number = _first(external, steps)
        burst = steps[number][1]
        steps[number] = _next(processes[number], NOTHING if burst is None else external.serve(burst))
        _settle(shared, processes, steps)


def _settle(shared: Shared, processes: Sequence[Process], steps: list[Step]) -> None:
    """Lets all go on that can: one may give another what it waits for, and then get something back."""
    while shared.has_news:
        shared.has_news = False
        for number, process in enumerate(processes):
            if steps[number] is BLOCKED:
                steps[number] = _next(process)


def _next(process: Process, answer: Answer | None = None) -> Step:
    """The next step of a process, which is given the answer to the one before."""
    try:
        return next(process) if answer is None else process.send(answer)
    except StopIteration:
        return ENDED


def _first(external: External, steps: Sequence[Step]) -> int:
    """Which step comes first; where two bursts are offered at once, reads and writes take turns."""
    found, earliest, free = 0, ENDED[0], external.free
    for number, (offered, burst) in enumerate(steps):
        time = free if burst is not None and offered < free else offered
        if time < earliest or (time == earliest and burst is not None and burst.is_write is not external.wrote):
            found, earliest = number, time
    return found
