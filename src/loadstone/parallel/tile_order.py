"""The order of the loops of a tile: a legal one in which instances stall the least.

A sum of floating-point numbers takes some cycles, so instances that follow each other should update different
elements, and statements should not wait for what the one before has just computed, nor for memory ports that it uses,
and loops should not visit what has no instance. Orders are tried in which each statement has some inner loops of its
own, and those in which one dimension of the tiling becomes the innermost or the outermost loop of a tile; then those of
the best one, as long as one is better. Plan, buffers and the order of tiles stay what they are, and so do results:
instances keep their order where they touch an element that one of them writes. What an order costs is counted on
instances of a sample of tiles, as predictions count it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from loadstone.loops.accelerator import Accelerator, time_names
from loadstone.loops.compiled_walk import IDLE, Run
from loadstone.loops.ranges import Ranges
from loadstone.parallel.groups import Grouping, in_old_order
from loadstone.parallel.kept_order import swapped_arrays
from loadstone.parallel.lanes import Lanes, TileOrder
from loadstone.parallel.pipelines import Pipelines, Use, tile_times
from loadstone.parallel.walks import compute_walk, tile_order
from loadstone.poly.limits import LimitReached, operation_limit

STATEMENTS = "statements"
"""What stands for the statements among the loops of a tile."""
_Loops = tuple[tuple[int, ...], int, int]
"""The order, the split and the whole loops of groups."""
SMALL = 1.05
"""The cycles over those without any stall or idle visit up to which no other order is looked for."""
MOST_STRIPS, MOST_INSTANCES = 5, 2048
"""The strips of which a tile is in the sample, and the instances, or groups, of a tile that are counted."""
LEGALITY_LIMIT, LOOPS_LIMIT = 1_000_000, 4_000_000
"""The most isl operations to find out whether two accesses keep their order, and for the loops of an order."""


def with_best_order(accelerator: Accelerator, ranges: Ranges, lanes: Lanes, pipelines: Pipelines) -> Lanes:
    """Lanes with the order of loops in which instances stall the least; the same lanes if that is the one they have."""
    if len(pipelines) == 1 and not any(pipeline.waits for pipeline in pipelines.values()):
        return lanes
    trial = _Trial(accelerator, ranges, pipelines, tuple(_sample(accelerator, ranges)))
    found, old = lanes, trial.count(lanes)
    best, enough = old, SMALL * trial.least(lanes)
    tried = set[_Loops]()
    while best.cycles > enough:
        start = found
        for other in _orders(start.grouping or in_old_order(accelerator.plan.tiles), tried):
            turned = replace(lanes, grouping=other)
            counted = trial.attempted(turned)
            if counted is not None and counted.cycles < best.cycles:
                best, found = counted, turned
            if best.cycles <= enough:
                break
        if found is start:
            break
    if found is lanes:
        return lanes
    assert found.grouping is not None
    loops = _loops(found.grouping, time_names(accelerator.plan.tiles))
    return replace(found, order=TileOrder(loops, best.instances, best.cycles, old.cycles))


def _loops(grouping: Grouping, names: Sequence[str]) -> tuple[str, ...]:
    """The names of loops in their order, with the place of statements where it is not inside of all."""
    loops = [names[position] for position in grouping.order]
    if grouping.split < len(loops):
        loops[grouping.split : grouping.split] = [STATEMENTS, *grouping.whole_names[: grouping.whole]]
    return tuple(loops)


def _orders(old: Grouping, tried: set[_Loops]) -> Iterator[Grouping]:
    """Groups with other loops around each statement alone; and with one dimension inside of all others, or around them.

    Inner ones come first. Loops that are no dimensions of the tiling are inside of all, or around those of a statement.
    """
    whole, statements = len(old.whole_names), len(old.tiles.kernel.statements)
    tried.add((old.order, old.split, old.whole))
    for loops in (*_splits(old, whole, statements), *_moves(old)):
        if loops not in tried:
            tried.add(loops)
            order, split, inside = loops
            yield replace(old, order=order, split=split, whole=inside)


def _splits(old: Grouping, whole: int, statements: int) -> Iterator[_Loops]:
    """The same order of dimensions, with others around each statement alone."""
    for inside in sorted({whole, 0}, reverse=True):
        if inside or statements > 1:
            yield from ((old.order, split, inside) for split in reversed(range(len(old.order))))


def _moves(old: Grouping) -> Iterator[_Loops]:
    """One dimension inside of all others, or around them."""
    for position in reversed(old.order):
        others = tuple(each for each in old.order if each != position)
        for order in ((*others, position), (position, *others)):
            yield order, old.split, old.whole


def _sample(accelerator: Accelerator, ranges: Ranges) -> Iterator[tuple[int, ...]]:
    """The middle tiles of some strips, for the greatest parameters."""
    strips, tiles = tile_order(accelerator, {name: high for name, (_, high) in ranges.limits.items()})
    rows = [run for run in strips if run.name != IDLE]
    for number in range(min(MOST_STRIPS, len(rows))):
        strip = _middle(rows[(2 * number + 1) * len(rows) // (2 * min(MOST_STRIPS, len(rows)))])
        inside = [run for run in tiles(strip) if run.name != IDLE]
        if inside:
            yield (*strip, *_middle(inside[len(inside) // 2]))


def _middle(run: Run) -> tuple[int, ...]:
    """The middle one of what a run visits."""
    return tuple(first + step * (run.length // 2) for first, step in zip(run.arguments, run.steps, strict=True))


@dataclass(frozen=True, slots=True)
class _Count:
    """The cycles of some instances."""

    instances: int
    cycles: int


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """Orders of loops that are tried on a sample of tiles."""

    accelerator: Accelerator
    ranges: Ranges
    pipelines: Pipelines
    sample: Sequence[tuple[int, ...]]

    def count(self, lanes: Lanes) -> _Count:
        """The cycles in the order of lanes."""
        tiles = self._tiles(lanes)
        instances = sum(run.length for runs in tiles for run in runs if run.name != IDLE)
        return _Count(instances, sum(tile_times(runs, self.pipelines).cycles for runs in tiles))

    def least(self, lanes: Lanes) -> int:
        """The cycles if no instance waited for another, statements had ports of their own, and no visit was idle."""
        free = {name: replace(each, waits=(), uses=_own(name, each.uses)) for name, each in self.pipelines.items()}
        tiles = [[run for run in runs if run.name != IDLE] for runs in self._tiles(lanes)]
        return sum(tile_times(runs, free).cycles for runs in tiles)

    def attempted(self, lanes: Lanes) -> _Count | None:
        """The cycles in the order of lanes; None where it is not legal, or has no loops within limits."""
        if lanes.grouping is None or not _is_legal(lanes.grouping):
            return None
        try:
            with operation_limit(LOOPS_LIMIT):
                return self.count(lanes)
        except LimitReached:
            return None

    def _tiles(self, lanes: Lanes) -> list[list[Run]]:
        """The runs of the tiles of the sample."""
        names = tuple(self.ranges.limits)
        walk = compute_walk(self.accelerator, lanes, names, tuple(self.pipelines.items()))
        values = [high for _, high in self.ranges.limits.values()]
        return [list(_first_instances(walk(*values, *tile))) for tile in self.sample]


def _own(name: str, uses: Sequence[Use]) -> tuple[Use, ...]:
    """The uses of ports that only one statement has."""
    return tuple(Use((f"{name} {use.port[0]}", use.port[1]), use.cycle) for use in uses)


def _is_legal(grouping: Grouping) -> bool:
    """Whether what depends on each other keeps its order."""
    return next(swapped_arrays(grouping, LEGALITY_LIMIT), None) is None


def _first_instances(runs: Sequence[Run]) -> Iterator[Run]:
    """The runs of the first instances of a tile."""
    left = MOST_INSTANCES
    for run in runs:
        if run.name == IDLE:
            yield run
        else:
            yield run._replace(length=min(left, run.length))
            left -= min(left, run.length)
        if not left:
            return
