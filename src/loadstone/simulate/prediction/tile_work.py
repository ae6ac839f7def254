"""What load, compute and store do in a tile of an accelerator: requests, and the cycles of datapaths."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial, reduce

from loadstone.loops.accelerator import Accelerator
from loadstone.loops.compiled_walk import IDLE, Run, Walk, compiled_shape, compiled_walk
from loadstone.loops.model import Instance, Node, with_instances
from loadstone.loops.slices import is_row
from loadstone.loops.tile_loops import move_loops, sliced_moves, with_registers
from loadstone.model.expression import Expression, binary, integer
from loadstone.parallel.lanes import Lanes, lane_loops
from loadstone.parallel.pipelines import Pipeline, Pipelines, TileTimes, tile_times
from loadstone.parallel.walks import KEPT, compute_walk
from loadstone.simulate.prediction.pieces import Piece, Stretch, joined
from loadstone.simulate.prediction.samples import Shape

KEPT_WORK, MOST_PIECES = 4, 100_000
"""How much work is kept for further predictions, and how many pieces of each."""


@dataclass(frozen=True, slots=True)
class Placed:
    """An array in external memory: its byte address, the bytes of an element, and elements from one row to the next.

    It has rows if these strides follow parameters. So many elements of a row as a slice has move in a cycle.
    """

    base: int
    element_bytes: int
    strides: tuple[int, ...]
    has_rows: bool = False
    slice_size: int = 1

    def address(self, subscripts: Sequence[Expression]) -> Expression:
        """The byte address of an element."""
        factors = (integer(self.element_bytes * stride) for stride in self.strides)
        terms = (binary("*", factor, each) for factor, each in zip(factors, subscripts, strict=True))
        return reduce(lambda total, term: binary("+", total, term), terms, integer(self.base))


class TileWork:
    """What is done in tiles, by their coordinates."""

    def __init__(
        self,
        accelerator: Accelerator,
        lanes: Lanes,
        parameters: Mapping[str, int],
        pipelines: Pipelines,
        arrays: Mapping[str, Placed],
        longest: int,
    ) -> None:
        names, self._values = tuple(parameters), tuple(parameters.values())
        self._moving = partial(_move_walks, accelerator, names, tuple(arrays.items()))
        self._compute = compute_walk(accelerator, lanes, names, tuple(pipelines.items()))
        sizes = tuple((name, each.slice_size) for name, each in arrays.items() if each.slice_size > 1)
        self._shape_of = partial(_shape, accelerator, lanes, names, sizes)
        self._shape = self._shape_of("compute")
        self._pipelines, self._longest = pipelines, longest
        self._arrays = arrays
        self._awaited = _awaited(pipelines)
        self._times: dict[Hashable, TileTimes] = {}
        self._pieces: dict[tuple[int, tuple[int, ...]], list[Piece]] = {}
        self._room = MOST_PIECES

    @cached_property
    def _moves(self) -> tuple[Walk, Walk]:
        """The walks over what a tile loads and stores: not needed where only computation counts."""
        return self._moving()

    def shapes(self) -> Shape:
        """A function that tells tiles apart that do not move and compute alike."""
        shapes, values = [self._shape, self._shape_of("load"), self._shape_of("store")], self._values
        return lambda tile: tuple(shape(*values, *tile) for shape in shapes)

    def loads(self, tile: Sequence[int]) -> list[Piece]:
        """What a tile loads."""
        return self._moved(0, tuple(tile))

    def stores(self, tile: Sequence[int]) -> list[Piece]:
        """What a tile stores."""
        return self._moved(1, tuple(tile))

    def _moved(self, way: int, tile: tuple[int, ...]) -> list[Piece]:
        """What a tile moves in one way; kept for the next prediction while there is room."""
        known = self._pieces.get((way, tile))
        if known is not None:
            return known
        found = _requests(self._moves[way](*self._values, *tile), self._arrays, self._longest)
        if len(found) <= self._room:
            self._room -= len(found)
            self._pieces[way, tile] = found
        return found

    def times(self, tile: Sequence[int]) -> TileTimes:
        """The times of a tile; those of one shape have the same, unless instances wait for some of the others."""
        if not self._awaited:
            shape: Hashable = self._shape(*self._values, *tile)
            if shape not in self._times:
                self._times[shape] = tile_times(self._compute(*self._values, *tile), self._pipelines)
            return self._times[shape]
        runs = self._compute(*self._values, *tile)
        key = _compared(runs, self._awaited)
        if key not in self._times:
            self._times[key] = tile_times(runs, self._pipelines)
        return self._times[key]


def _awaited(pipelines: Pipelines) -> dict[str, tuple[tuple[int, int], ...]]:
    """The positions of arguments by which instances find whom they wait for, with the numbers of groups to compare."""
    links = [
        ((name, wait.mine), (wait.writer, wait.theirs))
        for name, each in pipelines.items()
        for wait in each.waits
        if wait.mine is not None and wait.theirs is not None
    ]
    groups: dict[tuple[str, int], int] = {}
    for number, pair in enumerate(links):
        joined_groups = {groups[place] for place in pair if place in groups}
        groups = {place: number if group in joined_groups else group for place, group in groups.items()}
        groups |= dict.fromkeys(pair, number)
    return {
        name: tuple((place, group) for (owner, place), group in groups.items() if owner == name)
        for name in pipelines
        if any(owner == name for owner, _ in groups)
    }


def _compared(runs: Sequence[Run], awaited: Mapping[str, tuple[tuple[int, int], ...]]) -> Hashable:
    """Runs with the differences between arguments that are compared: those of equal ones take equal times."""
    origins: dict[int, int] = {}
    found: list[tuple[str, int, tuple[int, ...]]] = []
    for name, length, arguments, steps in runs:
        places = awaited.get(name, ())
        values = (arguments[place] - origins.setdefault(group, arguments[place]) for place, group in places)
        found.append((name, length, (*values, *(steps[place] for place, _ in places))))
    return tuple(found)


@lru_cache(maxsize=KEPT_WORK)
def _kept_work(
    accelerator: Accelerator,
    lanes: Lanes,
    parameters: tuple[tuple[str, int], ...],
    pipelines: tuple[tuple[str, Pipeline], ...],
    arrays: tuple[tuple[str, Placed], ...],
    longest: int,
) -> TileWork:
    return TileWork(accelerator, lanes, dict(parameters), dict(pipelines), dict(arrays), longest)


def tile_work(
    accelerator: Accelerator,
    lanes: Lanes,
    parameters: Mapping[str, int],
    pipelines: Pipelines,
    arrays: Mapping[str, Placed],
    longest: int,
) -> TileWork:
    """What is done in the tiles of an accelerator; predictions for other memories share it."""
    known = tuple(parameters.items()), tuple(pipelines.items()), tuple(arrays.items())
    return _kept_work(accelerator, lanes, *known, longest)


@lru_cache(maxsize=KEPT)
def _move_walks(
    accelerator: Accelerator, names: tuple[str, ...], arrays: tuple[tuple[str, Placed], ...]
) -> tuple[Walk, Walk]:
    """Walks over the addresses of what a tile loads and stores."""
    inside, places = (*names, *accelerator.plan.tiles.coordinates), dict(arrays)
    trees = (with_registers(move_loops(accelerator, verb)) for verb in ("load", "store"))
    loads, stores = (_addressed(tree, places) for tree in trees)
    return compiled_walk(loads, inside), compiled_walk(stores, inside)


@lru_cache(maxsize=KEPT)
def _shape(
    accelerator: Accelerator, lanes: Lanes, names: tuple[str, ...], sizes: tuple[tuple[str, int], ...], part: str
) -> Callable[..., tuple[int, ...]]:
    """The shape of what a tile computes, loads or stores, in slices of some sizes."""
    tree = lane_loops(accelerator, lanes) if part == "compute" else sliced_moves(accelerator, part, dict(sizes))
    return compiled_shape(tree, (*names, *accelerator.plan.tiles.coordinates))


def _addressed(tree: Node, arrays: Mapping[str, Placed]) -> Node:
    """The loops over elements with byte addresses before their subscripts."""
    return with_instances(
        tree, lambda leaf: Instance(leaf.statement, (arrays[leaf.statement].address(leaf.arguments), *leaf.arguments))
    )


def _requests(runs: Iterable[Run], arrays: Mapping[str, Placed], longest: int) -> list[Piece]:
    """The elements of runs, with all neighbours in one piece up to the longest, and the idle visits between them."""
    pieces: list[Piece] = []
    last, start, end, width, stretches = IDLE, 0, 0, 1, list[Stretch]()
    for array, length, arguments, steps in runs:
        if array == IDLE:
            pieces += joined(last, start, width, stretches, longest)
            pieces.append(Piece(IDLE, -1, length, length))
            stretches = []
            continue
        size, first, step = arrays[array].element_bytes, arguments[0], steps[0]
        is_whole = length == 1 or step == size
        stretch = _stretch(arrays[array], length if is_whole else 1, arguments, steps)
        for address in (first,) if is_whole else range(first, first + length * step, step):
            if address != end or size != width or not stretches:
                pieces += joined(last, start, width, stretches, longest)
                start, end, width, stretches = address, address, size, []
            stretches.append(stretch)
            end += stretch.length * size
            last = array
    pieces += joined(last, start, width, stretches, longest)
    return pieces


def _stretch(array: Placed, length: int, arguments: Sequence[int], steps: tuple[int, ...]) -> Stretch:
    """The elements of a run: slices where it goes along a row, else one by one."""
    if array.slice_size == 1 or not is_row(steps[1:]):
        return Stretch(length)
    return Stretch(length, arguments[-1] % array.slice_size, array.slice_size)
