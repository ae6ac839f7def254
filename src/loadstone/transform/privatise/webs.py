"""Webs: the accesses of a temporary that are connected by flow of values.

Accesses of different webs share nothing but the name, so that each web gets an array of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import islpy as isl

from loadstone.analysis.dataflow import flow_by, unwritten_by
from loadstone.model.free_name import free_name
from loadstone.model.kernel import WRITE, Access, Kernel, Statement
from loadstone.poly.limits import if_affordable
from loadstone.poly.spaces import Dim, maps_of

Ref = tuple[str, int]
"""An access: the name of its statement and its position among the reads, or WRITE."""


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """Values on their way: from the writing instances of a statement to the instances that read them at a position."""

    source: str
    target: Ref
    relation: isl.Map


def may_have_temporaries(kernel: Kernel) -> bool:
    """Whether something is written that nobody sees after the kernel."""
    return any(not kernel.arrays[statement.write.array].live_out for statement in kernel.statements)


def is_temporary(kernel: Kernel, array: str) -> bool:
    """Whether nobody sees an array after the kernel, and no read sees a value from before it."""
    if kernel.arrays[array].live_out or not any(s.write.array == array for s in kernel.statements):
        return False
    return all(unwritten_by(kernel, s, k).is_empty() for s, k in _reads_of(kernel, array))


def temporaries(kernel: Kernel) -> list[str]:
    """The temporaries of a kernel."""
    return [name for name in kernel.arrays if is_temporary(kernel, name)]


def refs_of(kernel: Kernel, array: str) -> list[Ref]:
    """The accesses of an array, in textual order."""
    return [
        (s.name, position)
        for s in kernel.statements
        for position, access in (*enumerate(s.reads), (WRITE, s.write))
        if access.array == array
    ]


def flows_of(kernel: Kernel, array: str) -> tuple[Flow, ...]:
    """The flow of values through an array, last writer to read."""
    return tuple(
        Flow(part.get_tuple_name(Dim.in_), (statement.name, position), part)
        for statement, position in _reads_of(kernel, array)
        for part in maps_of(flow_by(kernel, statement, position))
        if not part.is_empty()
    )


def _reads_of(kernel: Kernel, array: str) -> Iterator[tuple[Statement, int]]:
    for statement in kernel.statements:
        for position, read in enumerate(statement.reads):
            if read.array == array:
                yield statement, position


def webs_of(kernel: Kernel, array: str) -> list[frozenset[Ref]]:
    """The accesses of an array in classes that exchange values, in textual order; reads that never run join any."""
    order = refs_of(kernel, array)
    webs = {ref: frozenset({ref}) for ref in order}
    flows = flows_of(kernel, array)
    written = next(name for name, position in order if position == WRITE)
    idle = {ref for ref in order if ref[1] != WRITE} - {flow.target for flow in flows}
    for source, target in (*((flow.source, flow.target) for flow in flows), *((written, ref) for ref in idle)):
        joined = webs[source, WRITE] | webs[target]
        webs.update(dict.fromkeys(joined, joined))
    return sorted(set(webs.values()), key=lambda web: min(map(order.index, web)))


def with_webs(kernel: Kernel) -> Kernel:
    """The kernel with an array for each web of each temporary; as it is where these take too long to find."""
    return if_affordable(lambda: _with_webs(kernel)) or kernel


def _with_webs(kernel: Kernel) -> Kernel:
    for array in temporaries(kernel):
        _, *others = webs_of(kernel, array)
        for web in others:
            kernel = _renamed(kernel, array, web)
    return kernel


def _renamed(kernel: Kernel, array: str, web: Iterable[Ref]) -> Kernel:
    """The kernel with an array of its own for one web of an array."""
    name = free_name(array, {*kernel.arrays, *kernel.parameters}, "_")
    changed = with_accesses(kernel, web, lambda _, access: replace(access, array=name, relation=_named(access, name)))
    return replace(changed, arrays={**kernel.arrays, name: replace(kernel.arrays[array], name=name, local=True)})


def _named(access: Access, name: str) -> isl.Map:
    return access.relation.set_tuple_name(Dim.out, name)


def with_accesses(kernel: Kernel, refs: Iterable[Ref], change: Callable[[Ref, Access], Access]) -> Kernel:
    """The kernel with some of its accesses changed."""
    chosen = frozenset(refs)

    def access(statement: Statement, position: int, old: Access) -> Access:
        ref = (statement.name, position)
        return change(ref, old) if ref in chosen else old

    statements = tuple(
        replace(s, reads=tuple(access(s, k, a) for k, a in enumerate(s.reads)), write=access(s, WRITE, s.write))
        for s in kernel.statements
    )
    return replace(kernel, statements=statements)
