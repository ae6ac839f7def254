"""Which tiles of a run are gone through: all, or some of each shape, which stand for the others.

Strips and tiles come in runs. A long run is cut into parts of one shape by halving it, so that it costs little: a part
counts as alike if its first two, its middle and its last members are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.loops.compiled_walk import IDLE, Run
from loadstone.parallel.walks import Coordinates, Tiles

FIRST_TILES = 8
"""How many tiles of one shape that follow each other are gone through; the latter half tells their length."""
MOST_TILES = 100_000
"""The most tiles that a sample may have."""

Shape = Callable[[Coordinates], Hashable]
"""What tells tiles apart that do not move and compute alike."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The tiles that are gone through, strip by strip, and how many each of them stands for.

    `strips_like` and `tiles_like` say how many are left out that last as long as the one of a number. `idle` are the
    visits without a tile by strip: before it, before each of its tiles, and behind the last; `rest` are those behind
    all strips.
    """

    strips: Sequence[Sequence[Coordinates]]
    weights: Sequence[int]
    strips_like: Counter[int]
    tiles_like: Counter[int]
    idle: Sequence[Sequence[int]]
    rest: int = 0


def all_tiles(strips: Iterable[Run], tiles: Tiles) -> Schedule:
    """All tiles of all strips."""
    places, (*before, rest) = _visited(strips)
    walked = [_visited(tiles(strip)) for strip in places]
    found = [[(*strip, *tile) for tile in inside] for strip, (inside, _) in zip(places, walked, strict=True)]
    idle = [[first, *inside] for first, (_, inside) in zip(before, walked, strict=True)]
    return Schedule(found, [1] * sum(map(len, found)), Counter(), Counter(), idle, rest)


def are_more(strips: Iterable[Run], tiles: Tiles, limit: int) -> bool:
    """Whether there are more tiles than some number, at a cost that does not grow with what is beyond it."""
    total = 0
    for strip in _points(strips):
        total += sum(run.length for run in _instances(tiles(strip)))
        if total > limit:
            return True
    return False


def some_tiles(strips: Iterable[Run], tiles: Tiles, shape: Shape, first_strips: int) -> Schedule:
    """The first strips of each shape, and in these the first tiles of one shape that follow each other.

    Visits without a tile are left out.
    """
    sample, shapes = _Sample(first_strips), _Shapes(tiles, shape)
    for row in _rows(strips):
        for counts, alike in _parts(row, shapes.of_strip):
            sample.add(counts, alike, tiles)
    idle = [[0] * (len(strip) + 2) for strip in sample.strips]
    return Schedule(sample.strips, sample.weights, sample.strips_like, sample.tiles_like, idle)


Counts = tuple[tuple[Hashable, int], ...]
"""The shape of a strip: the shapes of its tiles, and how many of each follow each other."""


class _Shapes:
    """The shapes of tiles and strips, each found once."""

    def __init__(self, tiles: Tiles, shape: Shape) -> None:
        self._tiles, self._shape = tiles, shape
        self._numbers: dict[Hashable, int] = {}
        self._counts: dict[Hashable, Counts] = {}
        self._of_tile = cache(self._numbered)
        self.of_strip = cache(self._counted)

    def _numbered(self, tile: Coordinates) -> int:
        """A number for the shape of a tile."""
        return self._numbers.setdefault(self._shape(tile), len(self._numbers))

    def _counted(self, strip: Coordinates) -> Counts:
        """The shape of a strip; strips are alike if some tiles of each row are."""
        runs = _rows(self._tiles(strip))

        def of_tile(tile: Coordinates) -> int:
            return self._of_tile((*strip, *tile))

        key = tuple((run.length, *(of_tile(_place(run, number)) for number in _probed(run.length))) for run in runs)
        if key not in self._counts:
            pieces = [(shape, piece.length) for run in runs for shape, piece in _parts(run, of_tile)]
            groups = groupby(pieces, key=lambda piece: piece[0])
            self._counts[key] = tuple((shape, sum(length for _, length in group)) for shape, group in groups)
        return self._counts[key]


class _Kind:
    """Strips that differ only in how many tiles are left out of them.

    `strips` are the numbers of those that are gone through, `tiles` the numbers of tiles in the last of them, for each
    part of one shape.
    """

    def __init__(self) -> None:
        self.strips: list[int] = []
        self.tiles: list[range] = []


class _Sample:
    """What is gone through so far, and what is left out."""

    def __init__(self, first_strips: int) -> None:
        self._first_strips = first_strips
        self._kinds: dict[Hashable, _Kind] = {}
        self.strips: list[list[Coordinates]] = []
        self.weights: list[int] = []
        self.strips_like, self.tiles_like = Counter[int](), Counter[int]()

    def add(self, counts: Counts, alike: Run, tiles: Tiles) -> None:
        """Goes through strips of one shape, or leaves them out."""
        kind = self._kinds.setdefault(tuple((shape, min(count, FIRST_TILES)) for shape, count in counts), _Kind())
        few = min(alike.length, self._first_strips - len(kind.strips))
        for number in range(few):
            strip = _place(alike, number)
            self._go_through(kind, counts, [(strip, run) for run in _instances(tiles(strip))])
        if alike.length > few:
            self._leave_out(kind, counts, alike.length - few)

    def _go_through(self, kind: _Kind, counts: Counts, strip: Sequence[tuple[Coordinates, Run]]) -> None:
        """Goes through the first tiles of each part of a strip."""
        kind.strips.append(len(self.strips))
        kind.tiles, begin, tiles = [], 0, list[Coordinates]()
        for _, count in counts:
            few = min(count, FIRST_TILES)
            tiles += [_tile(strip, begin + number) for number in range(few)]
            kind.tiles.append(range(len(self.weights), len(self.weights) + few))
            self.weights += [1] * few
            self._leave_out_tiles(kind.tiles[-1], count - few)
            begin += count
        self.strips.append(tiles)
        if len(self.weights) > MOST_TILES:
            hint = "larger tiles, or smaller parameters"
            raise UnsupportedError(Diagnostic("there are too many different tiles for a prediction", None, hint))

    def _leave_out(self, kind: _Kind, counts: Counts, strips: int) -> None:
        """Leaves out strips that are like the last one of their kind, but for tiles that are left out of them."""
        self.strips_like[kind.strips[-1]] += strips
        for (_, count), known in zip(counts, kind.tiles, strict=True):
            for tile in known:
                self.weights[tile] += strips
            self._leave_out_tiles(known, strips * (count - len(known)))

    def _leave_out_tiles(self, known: range, count: int) -> None:
        """Leaves out tiles that are like the last known one."""
        if count:
            self.weights[known[-1]] += count
            self.tiles_like[known[-1]] += count


def _instances(runs: Iterable[Run]) -> Iterator[Run]:
    """Runs without idle visits."""
    return (run for run in runs if run.name != IDLE)


def _rows(runs: Iterable[Run]) -> list[Run]:
    """Runs without idle visits, with those in one that go on in the same steps."""
    rows: list[Run] = []
    for run in _instances(runs):
        steps = _common_steps(rows[-1], run) if rows else None
        if steps is None:
            rows.append(run)
        else:
            rows[-1] = Run(run.name, rows[-1].length + run.length, rows[-1].arguments, steps)
    return rows


def _common_steps(one: Run, other: Run) -> Coordinates | None:
    """What the arguments of two runs that follow each other grow by; None if that is not all the same."""
    last = _place(one, one.length - 1)
    steps = tuple(value - before for value, before in zip(other.arguments, last, strict=True))
    return steps if all(run.length == 1 or run.steps == steps for run in (one, other)) else None


def _visited(runs: Iterable[Run]) -> tuple[list[Coordinates], list[int]]:
    """The arguments of all instances of some runs; the idle visits before each, and behind the last."""
    places, idle = list[Coordinates](), [0]
    for run in runs:
        if run.name == IDLE:
            idle[-1] += run.length
            continue
        places += _points([run])
        idle += [0] * run.length
    return places, idle


def _points(runs: Iterable[Run]) -> Iterator[Coordinates]:
    """The arguments of all instances of some runs."""
    return (_place(run, number) for run in _instances(runs) for number in range(run.length))


def _place(run: Run, number: int) -> Coordinates:
    """The arguments of an instance of a run."""
    return tuple(value + number * step for value, step in zip(run.arguments, run.steps, strict=True))


def _tile(strip: Sequence[tuple[Coordinates, Run]], number: int) -> Coordinates:
    """The coordinates of a tile of a strip by its number, of the rows of tiles in the strip."""
    for outer, run in strip:
        if number < run.length:
            return (*outer, *_place(run, number))
        number -= run.length
    raise AssertionError("a strip has fewer tiles than were counted")


def _probed(length: int) -> tuple[int, ...]:
    """The numbers of members of a run that are looked at: first two, middle and last."""
    return tuple(range(length)) if length <= 3 else (0, 1, length // 2, length - 1)


def _parts(run: Run, shape: Callable[[Coordinates], Hashable]) -> Iterator[tuple[Any, Run]]:
    """Pieces of a run with their shape, which is that of the members that are looked at."""
    found, *others = (shape(_place(run, number)) for number in _probed(run.length))
    if all(other == found for other in others):
        yield found, run
        return
    half = run.length // 2
    yield from _parts(run._replace(length=half), shape)
    yield from _parts(Run(run.name, run.length - half, _place(run, half), run.steps), shape)
