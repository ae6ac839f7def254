"""What a trace says, to hold symbolic results against."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import islpy as isl

from loadstone.model.kernel import Kernel
from loadstone.poly import fixed, pairs
from loadstone.simulate.interpreter import Instance, Trace, execute
from loadstone.simulate.memory import Memory, initial_memory

Pairs = set[tuple[Instance, Instance]]


def traced(kernel: Kernel, parameters: Mapping[str, int], seed: int = 0) -> Trace:
    """Every access of the kernel for given parameters."""
    return execute(kernel, parameters, initial_memory(kernel, parameters, seed))


def flow_pairs(trace: Trace) -> Pairs:
    """Last writer to read."""
    last: dict[tuple[str, tuple[int, ...]], Instance] = {}
    found: Pairs = set()
    for event in trace:
        cell = (event.array, event.element)
        if event.is_write:
            last[cell] = (event.statement, event.instance)
        elif cell in last:
            found.add((last[cell], (event.statement, event.instance)))
    return found


def memory_pairs(trace: Trace, *, earlier_writes: bool) -> Pairs:
    """Pairs of different instances: an earlier access of one kind (all writes, or all reads) and a later write."""
    earlier: defaultdict[tuple[str, tuple[int, ...]], list[Instance]] = defaultdict(list)
    found: Pairs = set()
    for event in trace:
        cell = (event.array, event.element)
        instance = (event.statement, event.instance)
        if event.is_write:
            found |= {(source, instance) for source in earlier[cell] if source != instance}
        if event.is_write == earlier_writes:
            earlier[cell].append(instance)
    return found


def relation_pairs(relation: isl.UnionMap, parameters: Mapping[str, int]) -> Pairs:
    """The pairs of a union map between instances, for given parameters."""
    found: Pairs = set()

    def add(part: isl.Map) -> None:
        source = part.get_tuple_name(isl.dim_type.in_)
        target = part.get_tuple_name(isl.dim_type.out)
        found.update(((source, a), (target, b)) for a, b in pairs(part))

    fixed(relation, parameters).foreach_map(add)
    return found


__all__ = ["Memory", "flow_pairs", "memory_pairs", "relation_pairs", "traced"]
