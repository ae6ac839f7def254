"""Exact dependences between statement instances.

`flow` is value-based: from the last writer of an element to each read of the value [Feautrier, Dataflow analysis of
array and scalar references]. `anti` and `output` are memory-based: every pair of accesses of one element in order.
Writes that may not happen never hide an earlier one, so that with inexact accesses `flow` over-approximates.
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from loadstone.kernel.model import Access, Kernel, Statement


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


def dependences(kernel: Kernel) -> Dependences:
    """All dependences of a kernel in its original order."""
    return Dependences(flow(kernel), anti(kernel), output(kernel))


def flow(kernel: Kernel) -> isl.UnionMap:
    """Value-based flow dependences, last writer to read."""
    return _last_writers(kernel, kernel.reads).get_may_dependence().coalesce()


def flow_of_reads(kernel: Kernel) -> dict[tuple[str, int], isl.UnionMap]:
    """Value-based flow dependences for each read reference, named by statement and operand position."""
    return {
        (statement.name, position): _flow_of_read(kernel, read)
        for statement in kernel.statements
        for position, read in enumerate(statement.reads)
    }


def _flow_of_read(kernel: Kernel, read: Access) -> isl.UnionMap:
    return _last_writers(kernel, read.relation.to_union_map()).get_may_dependence().coalesce()


def unwritten_reads(kernel: Kernel) -> isl.UnionMap:
    """Reads, instance to element, that may see a value from before the kernel."""
    return _last_writers(kernel, kernel.reads).get_may_no_source()


def _last_writers(kernel: Kernel, reads: isl.UnionMap) -> isl.UnionFlow:
    info = isl.UnionAccessInfo.from_sink(_known(kernel, reads))
    info = info.set_must_source(_known(kernel, kernel.must_writes))
    info = info.set_may_source(_known(kernel, kernel.accesses(_may_write)))
    return info.set_schedule_map(kernel.schedule).compute_flow()


def _may_write(statement: Statement) -> tuple[Access, ...]:
    return () if statement.write.exact else (statement.write,)


def anti(kernel: Kernel) -> isl.UnionMap:
    """Memory-based anti dependences: a read before a write of the same element."""
    return _ordered_pairs(kernel, kernel.reads, kernel.may_writes)


def output(kernel: Kernel) -> isl.UnionMap:
    """Memory-based output dependences: a write before a write of the same element."""
    return _ordered_pairs(kernel, kernel.may_writes, kernel.may_writes)


def _ordered_pairs(kernel: Kernel, first: isl.UnionMap, second: isl.UnionMap) -> isl.UnionMap:
    info = isl.UnionAccessInfo.from_sink(_known(kernel, second)).set_may_source(_known(kernel, first))
    return info.set_schedule_map(kernel.schedule).compute_flow().get_may_dependence().coalesce()


def _known(kernel: Kernel, accesses: isl.UnionMap) -> isl.UnionMap:
    return accesses.intersect_params(kernel.context)
