"""Exact dependences between statement instances.

`flow` is value-based: from the last writer of an element to each read of the value [Feautrier, Dataflow analysis of
array and scalar references]. `anti` and `output` are memory-based: every pair of accesses of one element in order.
Writes that may not happen never hide an earlier one, so that with inexact accesses `flow` over-approximates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial

import islpy as isl

from loadstone.model.kernel import Access, Kernel, Statement
from loadstone.poly import coalesced
from loadstone.poly.dimensions import padded
from loadstone.poly.flow import Accesses, Order, ordered_pairs, union_of_all, value_flow
from loadstone.poly.spaces import Dim


@dataclass(frozen=True, slots=True, eq=False)
class Dependences:
    """The dependences of a kernel, source to target."""

    flow: isl.UnionMap
    anti: isl.UnionMap
    output: isl.UnionMap

    @property
    def all(self) -> isl.UnionMap:
        """Everything that a schedule must respect."""
        return self.flow.union(self.anti).union(self.output)


@dataclass(frozen=True, eq=False)
class _Memory(Accesses):
    """The accesses of one array: its writes, the order of the statements concerned, and its reads."""

    reads: isl.UnionMap

    @property
    def writes(self) -> isl.UnionMap:
        """Instances to the elements that they may write."""
        return self.must.union(self.may)


@dataclass(frozen=True, slots=True, eq=False)
class _ReadFlow:
    """Where the values of one read reference come from: writers (last writer to read), or from before the kernel."""

    statement: str
    position: int
    writers: isl.UnionMap
    unwritten: isl.UnionMap


@lru_cache(maxsize=4)
def dependences(kernel: Kernel) -> Dependences:
    """All dependences of a kernel in its original order."""
    return Dependences(flow(kernel), anti(kernel), output(kernel))


def flow(kernel: Kernel) -> isl.UnionMap:
    """Value-based flow dependences, last writer to read."""
    return coalesced(_union(kernel, (read.writers for read in _read_flows(kernel))))


@lru_cache(maxsize=2)
def flow_of_reads(kernel: Kernel) -> dict[tuple[str, int], isl.UnionMap]:
    """Value-based flow dependences for each read reference, named by statement and operand position."""
    return {(read.statement, read.position): coalesced(read.writers) for read in _read_flows(kernel)}


def flow_through(kernel: Kernel, array: str) -> dict[tuple[str, int], isl.UnionMap]:
    """Value-based flow dependences through one array, for each reference that reads it."""
    found = (
        _read_flow(kernel, statement, position)
        for statement in kernel.statements
        for position, read in enumerate(statement.reads)
        if read.array == array
    )
    return {(read.statement, read.position): coalesced(read.writers) for read in found}


def unwritten_reads(kernel: Kernel) -> isl.UnionMap:
    """Reads, instance to element, that may see a value from before the kernel."""
    return _union(kernel, (read.unwritten for read in _read_flows(kernel)))


def unwritten_by(kernel: Kernel, statement: Statement, position: int) -> isl.UnionMap:
    """What one read reference may see from before the kernel, instance to element."""
    return _read_flow(kernel, statement, position).unwritten


def flow_by(kernel: Kernel, statement: Statement, position: int) -> isl.UnionMap:
    """The value-based flow dependences of one read reference."""
    return _read_flow(kernel, statement, position).writers


def dependences_through(kernel: Kernel, array: str) -> Dependences:
    """The dependences of a kernel through one array."""
    memory = _memories(kernel)(array)
    reads = ((s, k) for s in kernel.statements for k, read in enumerate(s.reads) if read.array == array)
    return Dependences(
        _union(kernel, (flow_by(kernel, statement, position) for statement, position in reads)),
        ordered_pairs(memory.reads, memory.writes, memory.order),
        ordered_pairs(memory.writes, memory.writes, memory.order),
    )


def anti(kernel: Kernel) -> isl.UnionMap:
    """Memory-based anti dependences: a read before a write of the same element."""
    memories = map(_memories(kernel), kernel.arrays)
    return coalesced(_union(kernel, (ordered_pairs(m.reads, m.writes, m.order) for m in memories)))


def output(kernel: Kernel) -> isl.UnionMap:
    """Memory-based output dependences: a write before a write of the same element."""
    memories = map(_memories(kernel), kernel.arrays)
    return coalesced(_union(kernel, (ordered_pairs(m.writes, m.writes, m.order) for m in memories)))


def memory_flow(kernel: Kernel, arrays: Iterable[str]) -> isl.UnionMap:
    """Memory-based flow dependences through some arrays: every write before a read of the same element."""
    chosen = map(_memories(kernel), arrays)
    return coalesced(_union(kernel, (ordered_pairs(m.writes, m.reads, m.order) for m in chosen)))


@lru_cache(maxsize=2)
def _read_flows(kernel: Kernel) -> tuple[_ReadFlow, ...]:
    """The flow of each read reference; one reference at a time is much faster than all together."""
    return tuple(flow for statement in kernel.statements for flow in _flows_to(kernel, statement))


def _flows_to(kernel: Kernel, statement: Statement) -> list[_ReadFlow]:
    """The flow of each read reference of a statement; elements that are read twice have it found once."""
    found: list[_ReadFlow] = []
    for position, read in enumerate(statement.reads):
        same = (k for k in range(position) if statement.reads[k].relation.plain_is_equal(read.relation))
        earlier = next(same, None)
        if earlier is None:
            found.append(_read_flow(kernel, statement, position))
        else:
            found.append(replace(found[earlier], position=position))
    return found


@lru_cache(maxsize=64)
def _read_flow(kernel: Kernel, statement: Statement, position: int) -> _ReadFlow:
    """The flow of one read reference."""
    read = statement.reads[position]
    writers, unwritten = value_flow(_known(kernel, read), _memories(kernel)(read.array))
    return _ReadFlow(statement.name, position, writers, unwritten)


@lru_cache(maxsize=2)
def _memories(kernel: Kernel) -> Callable[[str], _Memory]:
    """The accesses of each array, found when they are first used."""
    length = max((s.schedule.dim(Dim.out) for s in kernel.statements), default=1)
    return cache(partial(_memory, kernel, length))


def _memory(kernel: Kernel, length: int, array: str) -> _Memory:
    writers = [s for s in kernel.statements if s.write.array == array]
    reads = [read for s in kernel.statements for read in s.reads if read.array == array]
    concerned = (s for s in kernel.statements if array in (s.write.array, *(read.array for read in s.reads)))
    dates = (padded(s.schedule, length).intersect_domain(s.domain).to_union_map() for s in concerned)
    return _Memory(
        _union(kernel, (_known(kernel, s.write) for s in writers if s.write.exact)),
        _union(kernel, (_known(kernel, s.write) for s in writers if not s.write.exact)),
        Order(_union(kernel, dates)),
        _union(kernel, (_known(kernel, read) for read in reads)),
    )


def _known(kernel: Kernel, access: Access) -> isl.UnionMap:
    return access.relation.intersect_params(kernel.context).to_union_map()


def _union(kernel: Kernel, maps: Iterable[isl.UnionMap]) -> isl.UnionMap:
    return union_of_all(list(maps), kernel.context.get_space())
