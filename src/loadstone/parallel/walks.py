"""Walks over the strips and tiles of an accelerator, and over the instances of a tile, run by run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from loadstone.loops.accelerator import Accelerator
from loadstone.loops.compiled_walk import Run, Walk, compiled_walk
from loadstone.loops.model import Instance, with_instances
from loadstone.loops.tile_loops import with_registers
from loadstone.model.expression import substituted
from loadstone.parallel.lanes import Lanes, lane_loops
from loadstone.parallel.pipelines import Pipeline, Pipelines

Coordinates = tuple[int, ...]
Tiles = Callable[[Coordinates], Iterable[Run]]
"""The tiles of a strip, by their inner coordinates."""
KEPT = 16
"""How many programs of a sort are kept for further predictions."""


def tile_order(accelerator: Accelerator, parameters: Mapping[str, int]) -> tuple[list[Run], Tiles]:
    """The strips of an accelerator, and a function that gives the tiles of each."""
    values, (strips, tiles) = tuple(parameters.values()), _order_walks(accelerator, tuple(parameters))
    return strips(*values), lambda strip: tiles(*values, *strip)


@lru_cache(maxsize=KEPT)
def _order_walks(accelerator: Accelerator, names: tuple[str, ...]) -> tuple[Walk, Walk]:
    """Walks over strips, and over the tiles of one."""
    inner = compiled_walk(accelerator.tiles, (*names, *accelerator.plan.tiles.outer))
    return compiled_walk(accelerator.strips, names), inner


@lru_cache(maxsize=KEPT)
def compute_walk(
    accelerator: Accelerator, lanes: Lanes, names: tuple[str, ...], pipelines: tuple[tuple[str, Pipeline], ...]
) -> Walk:
    """A walk over the instances of a tile."""
    known = dict(pipelines)
    tree = with_instances(lane_loops(accelerator, lanes), lambda leaf: _with_arguments(accelerator, known, leaf))
    return compiled_walk(with_registers(tree), (*names, *accelerator.plan.tiles.coordinates))


def _with_arguments(accelerator: Accelerator, pipelines: Pipelines, leaf: Instance) -> Instance:
    """An instance with the arguments of its pipeline in place of its iterators; with none where nothing waits."""
    statement, pipeline = accelerator.kernel.statement(leaf.statement), pipelines[leaf.statement]
    if not any(each.waits for each in pipelines.values()):
        return Instance(leaf.statement, ())
    values = dict(zip((*statement.iterators, *pipeline.masks), leaf.arguments, strict=True))
    return Instance(leaf.statement, tuple(substituted(each, values) for each in pipeline.arguments))
