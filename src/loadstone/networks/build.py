"""The process network of a tiled kernel, before any channel is split [RR-9131, 2.3].

One process per statement; a load process for each array of which values from before the kernel are read; a store
process for each array of which somebody sees what the kernel wrote. One channel per producer and read reference.

All dates are in one space:

    (tile, theta, textual position, original order, stage, number of the array, subscripts)

The stage is 0 for loads, 1 for statements, 2 for stores: a load of an element stands just before the first instance
that reads it, a store just behind the instance that writes it last. The number of the array and the subscripts (zero
for statements) order the loads that stand before the same instance, so that no two instances of the network have the
same date.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain

import islpy as isl

from loadstone.analysis import flow_of_reads, output
from loadstone.analysis.dataflow import unwritten_reads
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.model.kernel import Access, Array, Kernel, Statement
from loadstone.networks.model import Channel, Kind, Network, Process
from loadstone.networks.patterns import classified
from loadstone.poly import coalesced, map_from_values
from loadstone.poly.dimensions import padded
from loadstone.poly.extrema import least
from loadstone.poly.spaces import Dim, constant, dimension, range_product
from loadstone.transform.legality import maps_of
from loadstone.transform.tiling import TiledKernel

STAGES: Mapping[Kind, int] = {"load": 0, "compute": 1, "store": 2}


@dataclass(frozen=True, slots=True, eq=False)
class _Flow:
    """What will be a channel: the values that one read (or store) of a consumer gets from a producer."""

    producer: str
    consumer: str
    array: str
    read: int
    relation: isl.Map


def make_network(tiles: TiledKernel, blocks: int | None = None) -> Network:
    """The network of a legal tiling, channels whole; raises `UnsupportedError` if accesses depend on data.

    With `blocks`, elements are loaded before the first tile that reads them, and stored behind the one that writes them
    last, in the order of addresses.
    """
    _check_exact(tiles.kernel)
    loads, stores = tuple(_load_flows(tiles.kernel)), tuple(_store_flows(tiles.kernel))
    movers = chain(_loaders(tiles, loads, blocks), _computers(tiles), _storers(tiles, stores, blocks))
    processes = {process.name: process for process in movers}
    flows = chain(loads, _compute_flows(tiles.kernel), stores)
    channels = tuple(_channel(f"c{number}", flow, processes) for number, flow in enumerate(flows, 1))
    return Network(tiles, processes, channels, blocks)


def _channel(name: str, flow: _Flow, processes: Mapping[str, Process]) -> Channel:
    channel = Channel(name, flow.producer, flow.consumer, flow.array, flow.read, flow.relation, "reorder-register")
    found = classified(flow.relation, processes[flow.producer].dates, processes[flow.consumer].dates)
    return replace(channel, pattern=found.pattern, note=found.note)


def _check_exact(kernel: Kernel) -> None:
    problems = [
        Diagnostic(
            f"whether or where statement {statement.name} accesses '{access.array}' depends on data",
            access.span or statement.span,
            "a process network needs to know which value each read gets: make the access unconditional and affine",
        )
        for statement in kernel.statements
        for access in (*statement.reads, statement.write)
        if not access.exact
    ]
    if problems:
        raise UnsupportedError(*dict.fromkeys(problems))


def _load_flows(kernel: Kernel) -> Iterator[_Flow]:
    """For each read, the elements whose value from before the kernel it gets; scalars nobody writes are arguments."""
    unwritten = unwritten_reads(kernel)
    written = {statement.write.array for statement in kernel.statements}
    for statement in kernel.statements:
        for position, read in enumerate(statement.reads):
            if kernel.arrays[read.array].rank > 0 or read.array in written:
                elements = coalesced(unwritten.intersect(_known(kernel, read).to_union_map()))
                for part in maps_of(elements):
                    relation = part.reverse().set_tuple_name(Dim.in_, _loader(read.array))
                    yield _Flow(_loader(read.array), statement.name, read.array, position, relation)


def _compute_flows(kernel: Kernel) -> Iterator[_Flow]:
    flows = flow_of_reads(kernel)
    for statement in kernel.statements:
        for position, read in enumerate(statement.reads):
            parts = {part.get_tuple_name(Dim.in_): part for part in maps_of(flows[statement.name, position])}
            for producer in kernel.statements:
                if producer.name in parts:
                    yield _Flow(producer.name, statement.name, read.array, position, parts[producer.name])


def _store_flows(kernel: Kernel) -> Iterator[_Flow]:
    """For each statement that writes an array that is seen at the end, the instances that no later write follows."""
    overwritten = output(kernel).domain()
    for array in kernel.arrays.values():
        for statement in kernel.statements:
            if array.live_out and statement.write.array == array.name:
                final = coalesced(_known(kernel, statement.write).to_union_map().subtract_domain(overwritten))
                for part in maps_of(final):
                    relation = part.set_tuple_name(Dim.out, _storer(array.name))
                    yield _Flow(statement.name, _storer(array.name), array.name, 0, relation)


def _loader(array: str) -> str:
    return f"load_{array}"


def _storer(array: str) -> str:
    return f"store_{array}"


def _known(kernel: Kernel, access: Access) -> isl.Map:
    return access.relation.intersect_params(kernel.context)


def _computers(tiles: TiledKernel) -> Iterator[Process]:
    for statement in tiles.kernel.statements:
        dates = range_product((tiles.instance_to_order(statement.name), _statement_place(tiles.kernel, statement)))
        dates = dates.intersect_domain(statement.domain).intersect_params(tiles.kernel.context)
        yield Process(statement.name, "compute", dates.domain(), dates)


def _order(tiles: TiledKernel, statement: str, edge: int | None) -> isl.Map:
    """Instances to their places in the order; with an edge, to the dates before (0) or behind (1) their whole tile."""
    if edge is None:
        return tiles.instance_to_order(statement)
    tile, whole = tiles.instance_to_tile(statement), tiles.instance_to_order(statement)
    count, sizes = len(tiles.sizes), tiles.sizes
    names = [f"t{k}" for k in range(count)]
    ends = (f"{sizes[0]} * t0 - 1", f"{sizes[0]} * t0 + {sizes[0]}")
    rest = ["0"] * (whole.dim(Dim.out) - count - 1)
    return tile.apply_range(isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join((*names, ends[edge], *rest))}] }}"))


def _loaders(tiles: TiledKernel, flows: Sequence[_Flow], blocks: int | None) -> Iterator[Process]:
    edge = None if blocks is None else 0
    for array, mine in _by_array(tiles.kernel, flows):
        uses = (flow.relation.apply_range(_order(tiles, flow.consumer, edge)) for flow in mine)
        yield _mover(tiles.kernel, array, "load", least(coalesced(_union(uses))))


def _storers(tiles: TiledKernel, flows: Sequence[_Flow], blocks: int | None) -> Iterator[Process]:
    edge = None if blocks is None else 1
    for array, mine in _by_array(tiles.kernel, flows):
        writes = (flow.relation.reverse().apply_range(_order(tiles, flow.producer, edge)) for flow in mine)
        yield _mover(tiles.kernel, array, "store", _union(writes))


def _by_array(kernel: Kernel, flows: Sequence[_Flow]) -> Iterator[tuple[Array, list[_Flow]]]:
    """The arrays of which something flows, with what does."""
    found = ((array, [flow for flow in flows if flow.array == name]) for name, array in kernel.arrays.items())
    return ((array, mine) for array, mine in found if mine)


def _mover(kernel: Kernel, array: Array, kind: Kind, element_to_order: isl.Map) -> Process:
    """The process that moves each element of an array next to the instance with this place in the order."""
    order = coalesced(element_to_order)
    elements = coalesced(order.domain())
    place = _element_place(kernel, array, kind, elements.get_space())
    dates = range_product((order, place))
    return Process(elements.get_tuple_name(), kind, elements, dates)


def _union(maps: Iterator[isl.Map]) -> isl.Map:
    return reduce(isl.Map.union, maps)


def _statement_place(kernel: Kernel, statement: Statement) -> isl.Map:
    """Instances to the last components of their dates."""
    space = statement.domain.get_space()
    return padded(map_from_values(space, [constant(space, STAGES["compute"])]), _place_length(kernel))


def _element_place(kernel: Kernel, array: Array, kind: Kind, space: isl.Space) -> isl.Map:
    """Elements to the last components of the dates of their loads or stores."""
    number = list(kernel.arrays).index(array.name)
    subscripts = [dimension(space, position) for position in range(array.rank)]
    values = [constant(space, STAGES[kind]), constant(space, number), *subscripts]
    return padded(map_from_values(space, values), _place_length(kernel))


def _place_length(kernel: Kernel) -> int:
    return 2 + max(array.rank for array in kernel.arrays.values())
