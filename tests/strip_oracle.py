"""Strips and tiles by enumeration, to hold load/store plans against: who reads and writes what, and a replay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

import islpy as isl

from loadstone.model.kernel import Access, Kernel
from loadstone.model.types import Number
from loadstone.poly import fixed, pairs
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import parameters_to_inputs
from loadstone.simulate.interpreter import Instance, instances_in_order, run_instance
from loadstone.simulate.memory import Buffer, Element, Memory, copied
from loadstone.transfer import Plan, make_plan
from loadstone.transfer.coarse import coarse_arrays
from loadstone.transfer.strips import in_memory
from loadstone.transform.tiling import TiledKernel
from oracle import traced

Cell = tuple[str, Element]
Coordinates = tuple[int, ...]
Moves = Mapping[Coordinates, frozenset[Cell]]


@dataclass(frozen=True, slots=True)
class Touches:
    """What one instance reads, may write, and surely writes."""

    reads: set[Cell] = field(default_factory=set[Cell])
    over: set[Cell] = field(default_factory=set[Cell])
    under: set[Cell] = field(default_factory=set[Cell])


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile: its coordinates, its instances in order, and In, Out over- and under-approximated."""

    coordinates: Coordinates
    instances: tuple[Instance, ...]
    reads: frozenset[Cell]
    over: frozenset[Cell]
    under: frozenset[Cell]


Strip = tuple[Tile, ...]


def strips_of(tiles: TiledKernel, parameters: Mapping[str, int]) -> list[Strip]:
    """The strips in the order of execution, each with the tiles that exist."""
    touches = touches_of_instances(tiles.kernel, parameters)
    depth = len(tiles.outer)
    found = [
        _tile(coordinates, tuple(instance for _, instance in group), touches)
        for coordinates, group in groupby(tiled_order(tiles, parameters), key=lambda pair: pair[0])
    ]
    return [tuple(group) for _, group in groupby(found, key=lambda tile: tile.coordinates[:depth])]


def tiled_order(tiles: TiledKernel, parameters: Mapping[str, int]) -> list[tuple[Coordinates, Instance]]:
    """All instances with their tile, ordered by tile, then theta, then textual position, then original order."""
    rank = {instance: k for k, instance in enumerate(instances_in_order(tiles.kernel, parameters))}
    keyed: list[tuple[Coordinates, Coordinates, int, int, Instance]] = []
    for position, statement in enumerate(tiles.kernel.statements):
        for point, date in pairs(fixed(tiles.theta[statement.name], parameters)):
            tile = tuple(value // size for value, size in zip(date, tiles.sizes, strict=True))
            instance = (statement.name, point)
            keyed.append((tile, date, position, rank[instance], instance))
    assert len(keyed) == len(rank), "every instance is in exactly one tile"
    return [(tile, instance) for tile, *_, instance in sorted(keyed)]


def touches_of_instances(kernel: Kernel, parameters: Mapping[str, int]) -> Mapping[Instance, Touches]:
    """What the instances touch in memory: from the trace if it cannot depend on data, else from the relations."""
    return _from_trace(kernel, parameters) if kernel.exact else _from_relations(kernel, parameters)


def _from_trace(kernel: Kernel, parameters: Mapping[str, int]) -> Mapping[Instance, Touches]:
    found: defaultdict[Instance, Touches] = defaultdict(Touches)
    for event in traced(kernel, parameters):
        if in_memory(kernel.arrays[event.array]):
            touches = found[event.statement, event.instance]
            for cells in (touches.over, touches.under) if event.is_write else (touches.reads,):
                cells.add((event.array, event.element))
    return found


def _from_relations(kernel: Kernel, parameters: Mapping[str, int]) -> Mapping[Instance, Touches]:
    found: defaultdict[Instance, Touches] = defaultdict(Touches)

    def add(statement: str, access: Access, kind: str) -> None:
        if in_memory(kernel.arrays[access.array]):
            for point, element in pairs(fixed(access.relation, parameters)):
                getattr(found[statement, point], kind).add((access.array, element))

    for statement in kernel.statements:
        for read in statement.reads:
            add(statement.name, read, "reads")
        add(statement.name, statement.write, "over")
        if statement.write.exact:
            add(statement.name, statement.write, "under")
    return found


def _tile(coordinates: Coordinates, instances: tuple[Instance, ...], touches: Mapping[Instance, Touches]) -> Tile:
    reads: set[Cell] = set()
    over: set[Cell] = set()
    under: set[Cell] = set()
    for instance in instances:
        touched = touches.get(instance, Touches())
        reads |= touched.reads - under
        over |= touched.over
        under |= touched.under
    return Tile(coordinates, instances, frozenset(reads), frozenset(over), frozenset(under))


def needed_cells(strips: list[Strip], kernel: Kernel) -> list[frozenset[Cell]]:
    """For each strip the cells that it may write and whose value may be read later, or be seen at the end."""
    seen = {(name, None) for name, array in kernel.arrays.items() if array.live_out}
    live: set[Cell] = set()
    settled: set[Cell] = set()
    found: list[frozenset[Cell]] = []
    for strip in reversed(strips):
        over = frozenset[Cell]().union(*(tile.over for tile in strip))
        found.append(frozenset(c for c in over if c in live or (c not in settled and (c[0], None) in seen)))
        for tile in reversed(strip):
            live = (live - tile.under) | tile.reads
            settled |= tile.under
    return found[::-1]


def moves(relation: isl.Map, tiles: TiledKernel, parameters: Mapping[str, int]) -> dict[Coordinates, set[Cell]]:
    """Tiles, by all their coordinates, to the cells that a load or store map moves."""
    found: defaultdict[Coordinates, set[Cell]] = defaultdict(set)
    name = relation.get_tuple_name(isl.dim_type.out)
    for tile, element in pairs(fixed(parameters_to_inputs(relation, tiles.outer), parameters)):
        found[tile].add((name, element))
    return found


@dataclass(slots=True)
class LocalBuffer(Buffer):
    """Local memory: only what was loaded or written before can be read."""

    present: dict[Element, Number] = field(default_factory=dict[Element, Number])

    def __getitem__(self, element: Element) -> Number:
        assert element in self.present, f"{self.name}{list(element)} is read, but neither loaded nor written"
        return self.present[element]

    def __setitem__(self, element: Element, value: Number) -> None:
        self.address(element)
        self.present[element] = value


def replayed(
    tiles: TiledKernel, strips: list[Strip], parameters: Mapping[str, int], start: Memory, load: Moves, store: Moves
) -> Memory:
    """The memory after all tiles ran on local memories: load before a tile, store behind it, forget at strip ends."""
    memory = copied(start)
    statements = {statement.name: statement for statement in tiles.kernel.statements}
    nothing: frozenset[Cell] = frozenset()
    for strip in strips:
        local = {
            name: LocalBuffer(b.name, b.type, b.extents, []) if in_memory(tiles.kernel.arrays[name]) else b
            for name, b in memory.items()
        }
        for tile in strip:
            for name, element in load.get(tile.coordinates, nothing):
                local[name][element] = memory[name][element]
            for name, point in tile.instances:
                run_instance(statements[name], point, parameters, local)
            for name, element in store.get(tile.coordinates, nothing):
                memory[name][element] = local[name][element]
    return memory


def plan_within_limit(tiles: TiledKernel, limit: int) -> Plan:
    try:
        with operation_limit(limit):
            return make_plan(tiles)
    except LimitReached:
        return Plan(tiles, coarse_arrays(tiles), False, "limit")
