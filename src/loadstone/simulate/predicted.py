"""A model of whole accelerators at the level of bursts: the cycles of a run, without simulating them one by one.

It goes through strips and tiles as the hardware does. Load and store are walks over elements, joined to requests, cut
into bursts, and served by a `TransactionMemory` in the order in which they come; tiles are computed in the cycles that
`tile_times` counts. Tokens, queues, the room of buffers, and ports of local memories at which datapaths come first make
them wait for each other. Times are cycles after the start.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import groupby
from typing import NamedTuple

from loadstone.bus.ports import Bus
from loadstone.dram.timing import Timing
from loadstone.dram.transactions import Answer
from loadstone.hardware.accelerator import AcceleratorDesign
from loadstone.hardware.lanes import NO_LANES, Lanes, lane_loops
from loadstone.hardware.placement import placed
from loadstone.hardware.tile_loops import move_loops
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.model import Instance, Node, with_instances
from loadstone.loops.walks import IDLE, Run, Walk, compiled_shape, compiled_walk
from loadstone.model.expression import Expression, binary, integer, substituted
from loadstone.simulate.activity import Activity
from loadstone.simulate.engines import (
    BLOCKED,
    ENDED,
    NOTHING,
    External,
    Loading,
    Piece,
    Process,
    Shared,
    Step,
    Storing,
    Window,
    shared_by,
)
from loadstone.simulate.pipelines import Pipelines, TileTimes, pipelines_of, tile_times

FIRST_STRIPS, FIRST_TILES = 2, 8
"""How many strips and tiles of one shape are gone through where only some are; the latter half tells their length."""


@dataclass(frozen=True, slots=True)
class Placed:
    """An array in external memory: its byte address, the bytes of an element, and elements from one row to the next."""

    base: int
    element_bytes: int
    strides: tuple[int, ...]

    def address(self, subscripts: Sequence[Expression]) -> Expression:
        """The byte address of an element."""
        factors = (integer(self.element_bytes * stride) for stride in self.strides)
        terms = (binary("*", factor, each) for factor, each in zip(factors, subscripts, strict=True))
        return reduce(lambda total, term: binary("+", total, term), terms, integer(self.base))


@dataclass(frozen=True, slots=True)
class Prediction:
    """The cycles of a run, the elements that move, what the memory counts, and what is done when."""

    cycles: int
    loaded: int
    stored: int
    row_hits: int
    row_changes: int
    busy_cycles: int
    words_read: int
    words_written: int
    activities: tuple[Activity, ...]


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

    With lanes, a group of instances goes in each cycle. Where tiles or strips of one shape follow each other,
    `sampled` leaves out all but the first ones, and takes the others to be as long as these: it costs less, and is no
    longer exact.
    """
    work = _Work(accelerator, lane_loops(accelerator, lanes), parameters, pipelines, arrays, bus.burst)
    schedule = _sampled(work.strips(), work.shape) if sampled else _complete(work.strips())
    shared = shared_by(timing, bus, {name: each.element_bytes for name, each in arrays.items()})
    return _Run(accelerator, work, schedule, shared).prediction()


def predict_design(
    accelerator: Accelerator,
    design: AcceleratorDesign,
    parameters: Mapping[str, int],
    timing: Timing,
    bases: Mapping[str, int] | None = None,
    *,
    sampled: bool = False,
) -> Prediction:
    """What a run of a design would take; arrays lie as in `SystemRun`."""
    arrays, pipelines = placed_arrays(design, bases), pipelines_of(design.compute)
    lanes = design.lanes
    return predict(accelerator, parameters, timing, design.bus, pipelines, arrays, lanes=lanes, sampled=sampled)


def placed_arrays(design: AcceleratorDesign, bases: Mapping[str, int] | None = None) -> dict[str, Placed]:
    """The arrays of a design in external memory: where bases say, or where `placed` puts them."""
    return {
        name: Placed(base, design.element_bytes[name], design.outside[name].strides)
        for name, base in placed(design, bases).items()
    }


class _Tile(NamedTuple):
    """A tile by its coordinates, and how many tiles it stands for."""

    coordinates: tuple[int, ...]
    weight: int


class _Gap(NamedTuple):
    """Tiles, or whole strips, that are left out behind one of some number: how many."""

    of_strips: bool
    after: int
    left_out: int


@dataclass(frozen=True, slots=True)
class _Schedule:
    """The tiles of strips that are gone through, and what is left out."""

    strips: tuple[tuple[_Tile, ...], ...]
    gaps: tuple[_Gap, ...] = ()


Strips = Iterable[tuple[tuple[int, ...], ...]]
"""The coordinates of the tiles of each strip."""


def _complete(strips: Strips) -> _Schedule:
    """All tiles of all strips."""
    return _Schedule(tuple(tuple(_Tile(tile, 1) for tile in strip) for strip in strips))


def _sampled(strips: Strips, shape: Callable[[tuple[int, ...]], Hashable]) -> _Schedule:
    """The first tiles and strips of those that have one shape and follow each other."""
    kept: list[tuple[_Tile, ...]] = []
    gaps: list[_Gap] = []
    shaped = [(strip, tuple(map(shape, strip))) for strip in strips]
    for shapes, group in groupby(shaped, key=lambda each: each[1]):
        alike = [strip for strip, _ in group]
        few, left_out = alike[:FIRST_STRIPS], max(0, len(alike) - FIRST_STRIPS)
        for strip in few:
            weight = 1 + left_out if strip is few[-1] else 1
            tiles, own = _sampled_tiles(strip, shapes, weight, sum(map(len, kept)))
            kept.append(tiles)
            gaps += own
        if left_out:
            gaps.append(_Gap(True, len(kept) - 1, left_out))
    return _Schedule(tuple(kept), tuple(gaps))


def _sampled_tiles(
    strip: Sequence[tuple[int, ...]], shapes: Sequence[Hashable], weight: int, number: int
) -> tuple[tuple[_Tile, ...], list[_Gap]]:
    """The first tiles of those of one shape, in a strip that stands for some; its first tile has a number."""
    tiles: list[_Tile] = []
    gaps: list[_Gap] = []
    for _, group in groupby(zip(shapes, strip, strict=True), key=lambda each: each[0]):
        alike = [tile for _, tile in group]
        few, left_out = alike[:FIRST_TILES], max(0, len(alike) - FIRST_TILES)
        tiles += [_Tile(tile, weight) for tile in few[:-1]]
        tiles.append(_Tile(few[-1], weight * (1 + left_out)))
        if left_out:
            gaps.append(_Gap(False, number + len(tiles) - 1, weight * left_out))
    return tuple(tiles), gaps


@dataclass(slots=True, eq=False)
class _Tokens:
    """When tiles were loaded, computed and stored, and strips stored, in order."""

    loaded: list[int]
    computed: list[int]
    stored: list[int]
    strips: list[int]


@dataclass(slots=True)
class _Moved:
    """The elements that tiles move: those of all tiles, and of the ones that are gone through."""

    total: int = 0
    walked: int = 0

    def add(self, piece: Piece, tile: _Tile) -> None:
        """Counts the elements of a piece, if it has any, for all tiles for which one stands."""
        if piece.array:
            self.total += piece.length * tile.weight
            self.walked += piece.length

    def scaled(self, words: int) -> int:
        """The words of all tiles, for those of the tiles that are gone through."""
        return round(Fraction(words * self.total, max(1, self.walked)))


class _Run:
    """A run of an accelerator."""

    def __init__(self, accelerator: Accelerator, work: _Work, schedule: _Schedule, shared: Shared) -> None:
        self.work, self.schedule, self.shared = work, schedule, shared
        self.tokens, self.storing = _Tokens([], [], [], []), Storing(shared)
        self.depth = accelerator.depth
        self.overlap = int(accelerator.handover.mode == "overlap")
        self.loaded, self.stored = _Moved(), _Moved()
        self.activities: list[Activity] = []
        self._computes_from, self._end = 0, 0

    def prediction(self) -> Prediction:
        """What the run takes; what is left out of it is as it was before."""
        _interleave(self.shared.external, self._store(), self.storing.write(), self._load())
        counted = self.shared.external.counters
        loaded, stored = self.loaded, self.stored
        more = Fraction(loaded.total + stored.total, max(1, loaded.walked + stored.walked))
        return Prediction(
            max(self._end, self._computes_from) + round(sum(map(self._left_out, self.schedule.gaps))),
            loaded.total,
            stored.total,
            round(more * counted.row_hits),
            round(more * counted.row_changes),
            round(more * counted.busy_cycles),
            loaded.scaled(counted.words_read),
            stored.scaled(counted.words_written),
            tuple(self.activities),
        )

    def _left_out(self, gap: _Gap) -> Fraction:
        """The cycles of what is left out: as many as before it, for each tile or strip."""
        times = self.tokens.strips if gap.of_strips else self.tokens.stored
        before = (FIRST_STRIPS if gap.of_strips else FIRST_TILES) // 2
        return Fraction(gap.left_out * (times[gap.after] - times[gap.after - before]), before)

    def _load(self) -> Process:
        """The process that loads; it computes a tile as soon as its elements are known to have arrived."""
        engine, tokens, time, tile = Loading(self.shared), self.tokens, 0, 0
        for number, strip in enumerate(self.schedule.strips):
            while len(tokens.strips) < number - self.overlap:
                yield BLOCKED
            time = max(time, _passed(tokens.strips, number - 1 - self.overlap)) + 1
            self._computes_from += 1
            for each in strip:
                while len(tokens.stored) <= tile - self.depth:
                    yield BLOCKED
                begin = max(time, _passed(tokens.stored, tile - self.depth))
                time = begin + 1
                for piece in self.work.loads(each.coordinates):
                    time = (yield from engine.visit(piece, time)) if piece.array else time + piece.length
                    self.loaded.add(piece, each)
                time = yield from engine.end_tile(time)
                tokens.loaded.append(engine.arrived)
                self.activities.append(Activity("load", tile, begin, engine.arrived))
                self._compute(tile, each.coordinates)
                tile += 1
            time += 1
            self._computes_from += 1
        self._end = max(self._end, time)

    def _compute(self, tile: int, coordinates: Sequence[int]) -> None:
        """Computes a tile."""
        begin = max(self._computes_from, self.tokens.loaded[tile] + 1)
        times = self.work.times(coordinates)
        end = begin + times.cycles
        self.shared.windows.append(Window(begin, end, times))
        self.tokens.computed.append(end)
        self.activities.append(Activity("compute", tile, begin, end))
        self._computes_from = end + 1

    def _store(self) -> Process:
        """The process that stores."""
        engine, tokens, time, tile = self.storing, self.tokens, 0, 0
        for strip in self.schedule.strips:
            time += 1
            for each in strip:
                while len(tokens.computed) <= tile:
                    yield BLOCKED
                begin = max(time, tokens.computed[tile] + 1)
                time = begin + 1
                for piece in self.work.stores(each.coordinates):
                    time = (yield from engine.visit(piece, time)) if piece.array else time + piece.length
                    self.stored.add(piece, each)
                end = yield from engine.end_tile(time)
                tokens.stored.append(end)
                self.activities.append(Activity("store", tile, begin, end))
                time, tile = end + 1, tile + 1
            time = yield from engine.end_strip(time)
            tokens.strips.append(time)
            time += 1
        engine.complete = True
        self._end = max(self._end, time)


def _passed(times: Sequence[int], number: int) -> int:
    """The first cycle in which a token of some number is there, 0 for those before the first."""
    return times[number] + 1 if number >= 0 else 0


def _interleave(external: External, *processes: Process) -> None:
    """Lets processes do their steps in the order of time, until they have ended."""
    steps = [BLOCKED] * len(processes)
    while not all(step is ENDED for step in _settled(processes, steps)):
        number = _first(external, steps)
        burst = steps[number][1]
        answer = NOTHING if burst is None else external.serve(burst)
        steps[number] = _next(processes[number], answer)


def _settled(processes: Sequence[Process], steps: list[Step]) -> list[Step]:
    """The steps after all went on that could: one may give another what it waits for, and then get something back."""
    quiet = 0
    while quiet < 2:
        quiet += 1
        for number, process in enumerate(processes):
            if steps[number] is BLOCKED:
                steps[number] = _next(process)
                quiet = 0 if steps[number] is not BLOCKED else quiet
    return steps


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


class _Work:
    """What the processes go through: strips and their tiles, and the runs of each."""

    def __init__(
        self,
        accelerator: Accelerator,
        tree: Node,
        parameters: Mapping[str, int],
        pipelines: Pipelines,
        arrays: Mapping[str, Placed],
        longest: int,
    ) -> None:
        tiles, names = accelerator.plan.tiles, tuple(parameters)
        inside = (*names, *tiles.outer, *tiles.inner)
        compute = with_instances(tree, lambda leaf: _with_arguments(accelerator, pipelines, leaf))
        self._values = tuple(parameters.values())
        self._strips = compiled_walk(accelerator.strips, names)
        self._tiles = compiled_walk(accelerator.tiles, (*names, *tiles.outer))
        self._shape, self._compute = compiled_shape(compute, inside), compiled_walk(compute, inside)
        loads, stores = (_addressed(_move_loops(accelerator, verb), arrays) for verb in ("load", "store"))
        self._loads, self._stores = compiled_walk(loads, inside), compiled_walk(stores, inside)
        self._shapes = (self._shape, compiled_shape(loads, inside), compiled_shape(stores, inside))
        self._pipelines, self._longest = pipelines, longest
        self._sizes = {name: each.element_bytes for name, each in arrays.items()}
        self._times: dict[tuple[int, ...], TileTimes] = {}

    def strips(self) -> Iterator[tuple[tuple[int, ...], ...]]:
        """For each strip the coordinates of its tiles."""
        for strip in _points(self._strips(*self._values)):
            yield tuple((*strip, *tile) for tile in _points(self._tiles(*self._values, *strip)))

    def shape(self, tile: Sequence[int]) -> Hashable:
        """What tells tiles apart that do not move and compute alike."""
        return tuple(shape(*self._values, *tile) for shape in self._shapes)

    def loads(self, tile: Sequence[int]) -> list[Piece]:
        """What a tile loads."""
        return self._pieces(self._loads, tile)

    def stores(self, tile: Sequence[int]) -> list[Piece]:
        """What a tile stores."""
        return self._pieces(self._stores, tile)

    def times(self, tile: Sequence[int]) -> TileTimes:
        """The times of a tile; those of one shape have the same."""
        shape = self._shape(*self._values, *tile)
        if shape not in self._times:
            runs = self._compute(*self._values, *tile)
            self._times[shape] = tile_times(runs, self._pipelines)
        return self._times[shape]

    def _pieces(self, walk: Walk, tile: Sequence[int]) -> list[Piece]:
        """The elements of a walk in requests."""
        joined = _joined(walk(*self._values, *tile), self._sizes)
        return [part for piece in joined for part in _cut(piece, self._sizes, self._longest)]


@lru_cache(maxsize=16)
def _move_loops(accelerator: Accelerator, verb: str) -> Node:
    """The loops over what tiles move, kept for further predictions of the same accelerator."""
    return move_loops(accelerator, verb)


def _points(runs: Iterable[Run]) -> Iterator[tuple[int, ...]]:
    """The arguments of all instances of some runs."""
    for name, count, arguments, steps in runs:
        for k in range(count if name != IDLE else 0):
            yield tuple(value + k * step for value, step in zip(arguments, steps, strict=True))


def _with_arguments(accelerator: Accelerator, pipelines: Pipelines, leaf: Instance) -> Instance:
    """An instance with the arguments of its pipeline in place of its iterators; with none where nothing waits."""
    statement, pipeline = accelerator.kernel.statement(leaf.statement), pipelines[leaf.statement]
    if not any(each.waits for each in pipelines.values()):
        return Instance(leaf.statement, ())
    values = dict(zip((*statement.iterators, *pipeline.masks), leaf.arguments, strict=True))
    return Instance(leaf.statement, tuple(substituted(each, values) for each in pipeline.arguments))


def _addressed(tree: Node, arrays: Mapping[str, Placed]) -> Node:
    """The loops over elements with byte addresses in place of subscripts."""
    return with_instances(
        tree, lambda leaf: Instance(leaf.statement, (arrays[leaf.statement].address(leaf.arguments),))
    )


def _joined(runs: Iterable[Run], sizes: Mapping[str, int]) -> list[Piece]:
    """The elements of runs in pieces, with all that are neighbours in one."""
    pieces, following = [Piece(IDLE, -1, 0)], -2
    for piece in _pieces_of(runs, sizes):
        name, address, length = piece
        last, size = pieces[-1], sizes.get(name, 0)
        if address == following and size == sizes[last.array]:
            pieces[-1] = Piece(name, last.address, last.length + length)
        else:
            pieces.append(piece)
        following = address + length * size if size else -2
    return pieces[1:]


def _pieces_of(runs: Iterable[Run], sizes: Mapping[str, int]) -> Iterator[Piece]:
    """The elements of each run, in one piece where they are neighbours."""
    for name, length, arguments, steps in runs:
        if name == IDLE:
            yield Piece(IDLE, -1, length)
        elif length == 1 or steps[0] == sizes[name]:
            yield Piece(name, arguments[0], length)
        else:
            yield from (Piece(name, arguments[0] + k * steps[0], 1) for k in range(length))


def _cut(piece: Piece, sizes: Mapping[str, int], longest: int) -> Iterable[Piece]:
    """A piece in requests that are no longer than the longest."""
    name, address, count = piece
    if count <= longest or name == IDLE:
        return (piece,)
    starts = range(0, count, longest)
    return (Piece(name, address + done * sizes[name], min(longest, count - done)) for done in starts)
