"""What other ways of moving data would cost, to judge a plan by."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from loadstone.analysis import upward_exposed
from loadstone.model.kernel import Kernel
from loadstone.poly.spaces import parameters_to_inputs
from loadstone.transfer.strips import memory_arrays, strip_transfers
from loadstone.transfer.tile_accesses import tile_accesses
from loadstone.transform.legality import maps_of
from loadstone.transform.tiling import TiledKernel


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """A way of moving data: its name and relations whose pairs are the words loaded and stored."""

    name: str
    loads: tuple[isl.Map | isl.Set, ...]
    stores: tuple[isl.Map | isl.Set, ...]


def baselines(tiles: TiledKernel) -> tuple[Baseline, ...]:
    """No reuse between tiles; the whole strip at once; and what no plan can avoid."""
    return (_per_tile(tiles), _per_strip(tiles), compulsory(tiles.kernel))


def _per_tile(tiles: TiledKernel) -> Baseline:
    """Each tile loads all that it reads before writing, and stores all that it writes."""
    found = tile_accesses(tiles).values()
    loads = tuple(parameters_to_inputs(part.reads, tiles.outer) for part in found)
    stores = tuple(parameters_to_inputs(part.may_writes, tiles.outer) for part in found)
    return Baseline("per tile, no reuse", loads, stores)


def _per_strip(tiles: TiledKernel) -> Baseline:
    """Each strip loads all that it needs before its first tile, and stores all that it has written after its last."""
    transfers = strip_transfers(tiles, keep_dead_stores=True)
    return Baseline("whole strip at once", tuple(maps_of(transfers.loaded)), tuple(maps_of(transfers.stored)))


def compulsory(kernel: Kernel) -> Baseline:
    """Each input once, each live-out element that is written once."""
    names = {array.name for array in memory_arrays(kernel)}
    visible = {array.name for array in memory_arrays(kernel) if array.live_out}
    loads = _sets_of(upward_exposed(kernel), names)
    stores = _sets_of(kernel.may_writes.intersect_params(kernel.context).range(), visible)
    return Baseline("compulsory", loads, stores)


def _sets_of(elements: isl.UnionSet, names: set[str]) -> tuple[isl.Set, ...]:
    found: list[isl.Set] = []
    elements.foreach_set(found.append)
    return tuple(part for part in found if part.get_tuple_name() in names)
