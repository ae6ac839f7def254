"""What a strip as a whole must bring and take: which elements, before asking which tile moves them.

All results map strips, by their outer tile coordinates, to elements. They follow from value-based dependences alone: a
legal tiling keeps each value between its writer and its readers, and a strip runs without interruption, so that an
element was surely written earlier in the strip exactly if its last sure writer in the original order is in the strip.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import islpy as isl

from loadstone.analysis import flow_of_reads
from loadstone.model.kernel import Access, Array, Kernel, Statement
from loadstone.poly import coalesced, set_space
from loadstone.poly.dimensions import with_components
from loadstone.poly.order import later
from loadstone.poly.spaces import Dim
from loadstone.transform.legality import maps_of
from loadstone.transform.tiling import TiledKernel


@dataclass(frozen=True, slots=True, eq=False)
class StripTransfers:
    """Strips to the elements that they load and store; exact when all accesses are."""

    loaded: isl.UnionMap
    stored: isl.UnionMap


def in_memory(array: Array) -> bool:
    """Whether an array lives in external memory: scalars are registers, unless their value is seen outside."""
    return array.rank > 0 or array.live_out


def memory_arrays(kernel: Kernel) -> tuple[Array, ...]:
    """The arrays that loads and stores are about."""
    return tuple(array for array in kernel.arrays.values() if in_memory(array))


def strip_transfers(tiles: TiledKernel, *, keep_dead_stores: bool) -> StripTransfers:
    """What each strip loads and stores.

    Stored is what the strip may write, if it is needed afterwards. Loaded is what it may read without having surely
    written it before; to store something that is not surely written counts as reading it [RR-7697, Theorem 6].
    """
    sure = _strip_writes(tiles, sure=True)
    stored = _strip_writes(tiles, sure=False) if keep_dead_stores else needed_writes(tiles)
    loaded = _exposed_reads(tiles).union(stored.subtract(sure))
    known = tiles.kernel.context
    return StripTransfers(coalesced(loaded.intersect_params(known)), coalesced(stored.intersect_params(known)))


def strip_space(tiles: TiledKernel) -> isl.Space:
    """The space of the outer tile coordinates."""
    return set_space(tiles.kernel.parameters, "", tiles.outer)


def _instance_to_strip(tiles: TiledKernel, statement: str) -> isl.Map:
    return with_components(tiles.instance_to_tile(statement), range(len(tiles.outer)))


def _strip_writes(tiles: TiledKernel, *, sure: bool) -> isl.UnionMap:
    found = isl.UnionMap.empty(tiles.kernel.context.get_space())
    for statement in tiles.kernel.statements:
        chosen = (statement.write,) if statement.write.exact or not sure else ()
        found = found.union(_by_strip(tiles, statement, chosen))
    return found


def _by_strip(tiles: TiledKernel, statement: Statement, accesses: tuple[Access, ...]) -> isl.UnionMap:
    """Strips to the elements in memory that instances of a statement access there."""
    found = isl.UnionMap.empty(tiles.kernel.context.get_space())
    strip_to_instance = _instance_to_strip(tiles, statement.name).reverse()
    for access in accesses:
        if in_memory(tiles.kernel.arrays[access.array]):
            found = found.union(strip_to_instance.apply_range(access.relation).to_union_map())
    return found


def _exposed_reads(tiles: TiledKernel) -> isl.UnionMap:
    """Strips to the elements that they may read without having surely written them before."""
    found = isl.UnionMap.empty(tiles.kernel.context.get_space())
    for sink, position in reads_in_memory(tiles.kernel):
        found = found.union(_uncovered(tiles, sink, position).to_union_map())
    return found


def reads_in_memory(kernel: Kernel) -> Iterator[tuple[Statement, int]]:
    """The read references to arrays in external memory, by statement and operand position, equal ones once."""
    for statement in kernel.statements:
        seen: list[isl.Map] = []
        for position, read in enumerate(statement.reads):
            if in_memory(kernel.arrays[read.array]) and not any(map(read.relation.plain_is_equal, seen)):
                seen.append(read.relation)
                yield statement, position


def _uncovered(tiles: TiledKernel, sink: Statement, position: int) -> isl.Map:
    """Strips to the elements of a read whose last sure writer is not in the same strip."""
    read = sink.reads[position].relation.intersect_params(tiles.kernel.context)
    access_to_strip = read.domain_map().apply_range(_instance_to_strip(tiles, sink.name))
    flow = flow_through_elements if tiles.kernel.exact else _sure_flow_through_elements
    for dependence in maps_of(flow(tiles.kernel, sink, position)):
        source = dependence.get_tuple_name(Dim.in_)
        covered = dependence.reverse().apply_range(_instance_to_strip(tiles, source))
        access_to_strip = access_to_strip.subtract(covered)
    return access_to_strip.reverse().range_factor_range()


def flow_through_elements(kernel: Kernel, sink: Statement, position: int) -> isl.UnionMap:
    """The value-based flow of a read, writer to pairs of reader and element."""
    read = sink.reads[position].relation.intersect_params(kernel.context)
    by_reader = flow_of_reads(kernel)[sink.name, position].apply_range(read.domain_map().reverse().to_union_map())
    writes = kernel.accesses(lambda s: (s.write,) if s.write.array == sink.reads[position].array else ())
    by_element = writes.apply_range(read.range_map().reverse().to_union_map())
    return by_reader.intersect(by_element)


def _sure_flow_through_elements(kernel: Kernel, sink: Statement, position: int) -> isl.UnionMap:
    """The flow of a read as if only sure writes happened; a source that is not found costs a load, no more."""
    read = sink.reads[position].relation.intersect_params(kernel.context)
    info = isl.UnionAccessInfo.from_sink(read.to_union_map()).set_must_source(kernel.must_writes)
    return info.set_schedule_map(kernel.schedule).compute_flow().get_full_may_dependence()


def needed_writes(tiles: TiledKernel) -> isl.UnionMap:
    """Strips to the elements that they may write and whose value is seen later: by another strip, or at the end.

    Beyond the papers, which store all that a strip has written.
    """
    written = _strip_writes(tiles, sure=False)
    return written.intersect(_seen_later(tiles, written, _strip_writes(tiles, sure=True)))


def _seen_later(tiles: TiledKernel, written: isl.UnionMap, sure: isl.UnionMap) -> isl.UnionMap:
    overwritten = later(strip_space(tiles)).to_union_map().apply_range(sure)
    final = written.subtract(overwritten)
    visible = [_universe(tiles, array) for array in memory_arrays(tiles.kernel) if array.live_out]
    seen_at_end = isl.UnionSet.empty(tiles.kernel.context.get_space())
    for elements in visible:
        seen_at_end = seen_at_end.union(elements.to_union_set())
    return final.intersect_range(seen_at_end).union(_read_in_later_strips(tiles))


def _universe(tiles: TiledKernel, array: Array) -> isl.Set:
    return isl.Set.universe(set_space(tiles.kernel.parameters, array.name, [f"x{k}" for k in range(array.rank)]))


def _read_in_later_strips(tiles: TiledKernel) -> isl.UnionMap:
    """Strips to the elements whose value a later strip reads."""
    found = isl.UnionMap.empty(tiles.kernel.context.get_space())
    for sink, position in reads_in_memory(tiles.kernel):
        for dependence in maps_of(flow_through_elements(tiles.kernel, sink, position)):
            found = found.union(_handed_on(tiles, dependence, sink).to_union_map())
    return found


def _handed_on(tiles: TiledKernel, dependence: isl.Map, sink: Statement) -> isl.Map:
    """Strips to the elements that carry a flow, writer to pairs of reader and element, into a later strip."""
    source = dependence.get_tuple_name(Dim.in_)
    read_to_strip = dependence.reverse().apply_range(_instance_to_strip(tiles, source)).curry()
    by_reader = read_to_strip.apply_domain(_instance_to_strip(tiles, sink.name)).reverse().curry()
    increasing = later(strip_space(tiles)).wrap()
    return by_reader.intersect_range(increasing).range_factor_domain().reverse()
