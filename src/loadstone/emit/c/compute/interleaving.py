"""The order of the loops of a tile in HLS C++, where recurrences keep loops from starting an iteration in each cycle.

A sum of floating-point numbers in the innermost loop starts an iteration in 4 or 5 cycles; with the loop over other
sums inside of it, in each cycle. The legal order in which instances would stall the least is that of hardware, for the
latencies of HLS compilers (`tile_order`). It is taken if the pipelined loops of some tiles take fewer cycles in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

from loadstone.emit.c.compute.recurrences import Recurrences, innermost_loops, path_latency
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.compiled_walk import IDLE, Run
from loadstone.loops.model import Block, For, If, Instance, Node
from loadstone.loops.ranges import Limits, Ranges
from loadstone.loops.tile_loops import existing_coordinates
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Call, Expression, Operand, binary, integer, walk
from loadstone.model.kernel import Access, Statement
from loadstone.parallel.group_loops import counted_lanes
from loadstone.parallel.hazards import may_follow
from loadstone.parallel.lanes import Lanes
from loadstone.parallel.pipelines import Pipeline, Wait
from loadstone.parallel.tile_order import with_best_order
from loadstone.parallel.walks import tile_order

_MEMORY = 2
"""Cycles to write a result into local memory, and to read it."""
_MOST_STATEMENTS = 6
"""The statements of a kernel whose orders are tried; each order takes loops for all of them."""
_MOST_STRIPS = 5
"""The strips of which a tile is in the sample."""
_APART = 1 << 24
"""Larger than subscripts of elements that are touched."""


@dataclass(frozen=True, slots=True, eq=False)
class _Pipelined:
    """The loops of a tile, and the intervals of the innermost ones, by their identities."""

    tree: Node
    intervals: Mapping[int, int]


def interleaved(accelerator: Accelerator, limits: Mapping[str, Limits], lanes: Lanes) -> Lanes:
    """Lanes with the order of loops in which instances wait the least for each other."""
    if len(accelerator.kernel.statements) > _MOST_STATEMENTS:
        return lanes
    ranges, old = Ranges(accelerator.kernel, limits), _pipelined(accelerator, lanes)
    if all(interval == 1 for interval in old.intervals.values()):
        return lanes
    pipelines = {each.name: _pipeline(accelerator, ranges, lanes, each) for each in accelerator.kernel.statements}
    found = with_best_order(accelerator, ranges, lanes, pipelines)
    if found is lanes:
        return lanes
    tiles = list(_sample(accelerator, {name: high for name, (_, high) in limits.items()}))
    begin = _MEMORY + max(map(_depth, accelerator.kernel.statements))
    new = _pipelined(accelerator, found)
    before, after = (sum(_cycles(each.tree, tile, each.intervals, begin) for tile in tiles) for each in (old, new))
    return found if after < before else lanes


def _pipelined(accelerator: Accelerator, lanes: Lanes) -> _Pipelined:
    grouping = lanes.grouping
    tree, loops = (accelerator.compute, {}) if grouping is None else counted_lanes(accelerator, grouping)
    statements = {each.name: each for each in accelerator.kernel.statements}
    found = Recurrences(statements, loops).of(tree, existing_coordinates(accelerator.plan.tiles))
    intervals = {id(loop): each.interval for loop, each in zip(innermost_loops(tree), found, strict=True)}
    return _Pipelined(tree, intervals)


def _sample(accelerator: Accelerator, parameters: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """The coordinates of the middle tiles of some strips, with the parameters."""
    strips, tiles = tile_order(accelerator, parameters)
    rows = [run for run in strips if run.name != IDLE]
    outer, inner = accelerator.plan.tiles.outer, accelerator.plan.tiles.inner
    for number in range(min(_MOST_STRIPS, len(rows))):
        strip = _middle(rows[(2 * number + 1) * len(rows) // (2 * min(_MOST_STRIPS, len(rows)))])
        inside = [run for run in tiles(strip) if run.name != IDLE]
        if inside:
            tile = _middle(inside[len(inside) // 2])
            yield {**parameters, **dict(zip((*outer, *inner), (*strip, *tile), strict=True))}


def _middle(run: Run) -> tuple[int, ...]:
    """What a run visits in its middle, or before it."""
    return tuple(first + step * ((run.length - 1) // 2) for first, step in zip(run.arguments, run.steps, strict=True))


def _cycles(node: Node, values: dict[str, int], intervals: Mapping[int, int], begin: int) -> int:
    """The cycles of pipelined loops, which take some to begin each time."""
    match node:
        case For() if id(node) in intervals:
            return begin + intervals[id(node)] * sum(1 for _ in _iterations(node, values))
        case For(body=body):
            return sum(_cycles(body, inner, intervals, begin) for inner in _iterations(node, values))
        case If(condition=condition, then=then, otherwise=otherwise):
            chosen = then if evaluate(condition, values, ()) else otherwise
            return 0 if chosen is None else _cycles(chosen, values, intervals, begin)
        case Block(items=items):
            return sum(_cycles(item, values, intervals, begin) for item in items)
        case Instance():
            return begin


def _iterations(loop: For, values: dict[str, int]) -> Iterator[dict[str, int]]:
    """The values in the iterations of a loop."""
    at, step = int(evaluate(loop.start, values, ())), int(evaluate(loop.step, values, ()))
    while evaluate(loop.condition, {**values, loop.iterator: at}, ()):
        yield {**values, loop.iterator: at}
        at += step


def _pipeline(accelerator: Accelerator, ranges: Ranges, lanes: Lanes, statement: Statement) -> Pipeline:
    grouping = lanes.grouping
    count = grouping.lanes(statement.name) if grouping and statement.name in grouping.steps else 0
    waits = tuple(_waits(accelerator, ranges, statement))
    places = tuple(_place(access) or integer(0) for access in (*statement.reads, statement.write))
    masks = tuple(f"mask {lane}" for lane in range(count))
    return Pipeline(_depth(statement) + _MEMORY, waits=waits, arguments=places, masks=masks)


def _waits(accelerator: Accelerator, ranges: Ranges, statement: Statement) -> Iterator[Wait]:
    """What an instance waits for: results of floating-point operations that it reads."""
    for position, access in enumerate(statement.reads):
        late = path_latency(statement.value, position) - _depth(statement)
        for writer in accelerator.kernel.statements:
            if writer.write.array != access.array or not _depth(writer):
                continue
            window = _depth(writer) + late + _MEMORY - 1
            if window > 0 and may_follow(ranges.known, writer, statement, access):
                known = access.subscripts and _place(access) and _place(writer.write)
                yield Wait(writer.name, window, *((len(writer.reads), position) if known else ()))


def _depth(statement: Statement) -> int:
    """The cycles from the first operands of a statement to its value."""
    return max((path_latency(statement.value, k) for k in range(len(statement.reads))), default=0)


def _place(access: Access) -> Expression | None:
    """A number for the element that an access touches; None if that depends on data."""
    if any(isinstance(part, Operand | Call) for each in access.subscripts for part in walk(each)):
        return None
    start: Expression = integer(0)
    return reduce(lambda found, each: binary("+", binary("*", found, integer(_APART)), each), access.subscripts, start)
