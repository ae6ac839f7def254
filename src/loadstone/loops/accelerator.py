"""The accelerator as loops: what its load, compute and store processes execute, tile by tile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import islpy as isl

from loadstone.loops.generation import generate
from loadstone.loops.model import Node
from loadstone.loops.scan import Scan, scan
from loadstone.model.free_name import free_name
from loadstone.model.kernel import Array, Kernel, Statement, union_of_maps
from loadstone.poly import renamed_dims
from loadstone.poly.dimensions import compared
from loadstone.poly.spaces import Dim, inputs_to_parameters, with_outer_parameters
from loadstone.storage.buffers import Buffer
from loadstone.storage.handover import Handover
from loadstone.storage.local_plan import LocalPlan
from loadstone.storage.strip_order import existing_strips
from loadstone.transfer.tile_accesses import existing_tiles
from loadstone.transfer.volumes import count
from loadstone.transform.tiling import TiledKernel

STRIP, TILE = "strip", "tile"


@dataclass(frozen=True, eq=False)
class Accelerator:
    """Load, compute and store processes of a plan, as loops that are made when they are first used."""

    plan: LocalPlan

    @property
    def kernel(self) -> Kernel:
        """The kernel that it executes."""
        return self.plan.tiles.kernel

    @property
    def depth(self) -> int:
        """How many tiles are in flight."""
        return self.plan.depth

    @property
    def handover(self) -> Handover:
        """How strips follow each other."""
        return self.plan.handover

    @cached_property
    def strips(self) -> Node:
        """Loops over the strips: instances of `STRIP`, with the outer tile coordinates."""
        tiles = self.plan.tiles
        return loops_over(existing_strips(tiles), STRIP, tiles.outer, tiles.kernel.context)

    @cached_property
    def tiles(self) -> Node:
        """Loops over the tiles of a strip: instances of `TILE`, with the inner tile coordinates."""
        return loops_over(self._existing, TILE, self.plan.tiles.inner, self._existing.params())

    @cached_property
    def compute(self) -> Node:
        """Loops over the statement instances of a tile."""
        return _compute_loops(self.plan.tiles, self._existing)

    @cached_property
    def loads(self) -> tuple[Scan, ...]:
        """Scans of the loads of a tile, arrays one after the other, arrays handed over early first."""
        order = sorted(self.plan.arrays, key=lambda name: name not in self.plan.handover.early)
        return tuple(_scans(self.plan, self._existing, [(name, self.plan[name].load) for name in order]))

    @cached_property
    def stores(self) -> tuple[Scan, ...]:
        """Scans of what a tile stores, arrays one after the other."""
        return tuple(_scans(self.plan, self._existing, [(name, part.store) for name, part in self.plan.arrays.items()]))

    @cached_property
    def _existing(self) -> isl.Set:
        return existing_tiles(self.plan.tiles)

    @cached_property
    def buffers(self) -> dict[str, Buffer]:
        """The local memories of the arrays."""
        return {name: part.buffer for name, part in self.plan.arrays.items()}

    @property
    def transferred(self) -> tuple[Array, ...]:
        """The arrays that are loaded or stored."""
        return tuple(array for array in self.kernel.arrays.values() if array.name in self.stored | self.loaded)

    @cached_property
    def loaded(self) -> frozenset[str]:
        """The arrays that are loaded."""
        return frozenset(name for name, part in self.plan.arrays.items() if not part.load.is_empty())

    @cached_property
    def stored(self) -> frozenset[str]:
        """The arrays that are stored."""
        return frozenset(name for name, part in self.plan.arrays.items() if not part.store.is_empty())

    @property
    def registers(self) -> tuple[Array, ...]:
        """The scalars that live in the compute process."""
        return tuple(array for array in self.kernel.arrays.values() if array.name not in self.buffers)


def _scans(plan: LocalPlan, existing: isl.Set, moves: Sequence[tuple[str, isl.Map]]) -> Iterator[Scan]:
    kernel = plan.tiles.kernel
    prefix = "x"
    while any(name.startswith(prefix) for name in (*kernel.parameters, *kernel.arrays)):
        prefix += "_"
    for name, relation in moves:
        if not relation.is_empty():
            named = renamed_dims(relation, plan.tiles.inner, Dim.in_)
            yield scan(named, existing, [f"{prefix}{k}" for k in range(kernel.arrays[name].rank)])


def loops_over(points: isl.Set, name: str, iterators: Sequence[str], context: isl.Set) -> Node:
    """Loops over the points of a set in lexicographic order, around one instance of a name."""
    order = points.identity().reset_tuple_id(Dim.in_).set_tuple_name(Dim.in_, name)
    return generate(order.to_union_map(), context, iterators, option="atomic")


def _compute_loops(tiles: TiledKernel, existing: isl.Set) -> Node:
    context = inputs_to_parameters(isl.Map.from_domain(existing), tiles.inner).params()
    schedule = union_of_maps(tiles.kernel, (_tile_schedule(tiles, s) for s in tiles.kernel.statements))
    return generate(schedule, context, _iterator_names(tiles))


def compute_loops(tiles: TiledKernel, schedules: Sequence[isl.Map], iterators: Sequence[str]) -> Node:
    """Loops over the instances of a tile by other schedules, whose parameters are the coordinates of the tile."""
    existing = existing_tiles(tiles)
    context = inputs_to_parameters(isl.Map.from_domain(existing), tiles.inner).params()
    length = max(schedule.dim(Dim.out) for schedule in schedules)
    taken = frozenset((*iterators, *tiles.kernel.parameters, *tiles.coordinates, *tiles.kernel.arrays))
    names = [*iterators, *(free_name(f"c{k}", taken) for k in range(len(iterators), length))]
    return generate(union_of_maps(tiles.kernel, iter(schedules)), context, names)


def time_names(tiles: TiledKernel) -> list[str]:
    """Names for the dimensions of a tiling: those of the source where a dimension is an iterator."""
    return list(_iterator_names(tiles)[: len(tiles.sizes)])


def _tile_schedule(tiles: TiledKernel, statement: Statement) -> isl.Map:
    """The instances of the tile that the coordinates, as parameters, choose, to their time in it."""
    in_tile = with_outer_parameters(tiles.instance_to_tile(statement.name), tiles.coordinates).domain()
    return tiles.instance_to_time(statement.name).intersect_domain(in_tile)


@lru_cache(maxsize=16)
def _iterator_names(tiles: TiledKernel) -> tuple[str, ...]:
    """Names for the dimensions of time inside of a tile: those of the source where a dimension is an iterator."""
    dims = max(tiles.instance_to_time(s.name).dim(Dim.out) for s in tiles.kernel.statements)
    taken = {*tiles.kernel.parameters, *tiles.coordinates, *tiles.kernel.arrays}
    names: list[str] = []
    for position in range(dims):
        known = [n for s in tiles.kernel.statements for n in _iterators_at(tiles, s, position)]
        name = next((n for n in known if n not in taken), f"c{position}")
        while name in taken:
            name += "_"
        taken.add(name)
        names.append(name)
    return tuple(names)


def _iterators_at(tiles: TiledKernel, statement: Statement, position: int) -> Iterator[str]:
    """The iterators of a statement that equal a dimension of its time."""
    time = renamed_dims(tiles.instance_to_time(statement.name), statement.iterators, Dim.in_)
    for index, name in enumerate(statement.iterators):
        if time.is_subset(compared(time, index, "=", position)):
            yield name


def predicted_words(accelerator: Accelerator, parameters: Mapping[str, int]) -> tuple[int, int]:
    """The words that all tiles load and store, for given parameters."""
    moved = words_of_arrays(accelerator, parameters).values()
    return sum(loaded for loaded, _ in moved), sum(stored for _, stored in moved)


def words_of_arrays(accelerator: Accelerator, parameters: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """The words of each array that all tiles load and store."""
    return {
        name: (count(part.strip_to_loaded, parameters), count(part.strip_to_stored, parameters))
        for name, part in accelerator.plan.arrays.items()
    }
