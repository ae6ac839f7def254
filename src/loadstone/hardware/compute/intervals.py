"""The initiation interval of a statement: how many cycles lie between instances that follow each other in its loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import islpy as isl

from loadstone.hardware.compute.unit import ComputeUnit, Hazard
from loadstone.loops.facts import attempted
from loadstone.model.kernel import Access, Statement
from loadstone.parallel.hazards import following
from loadstone.poly.spaces import Dim, least_step_in


@dataclass(frozen=True, slots=True)
class Interval:
    """The cycles between two instances, and why there are not fewer; no reason where there is one."""

    cycles: int
    reason: str = ""


def interval(compute: ComputeUnit, name: str, known: isl.Set) -> Interval:
    """The least interval between instances in the innermost loop of a statement, for known parameters.

    Other statements of the loop take their own cycles, and may make an instance wait for longer.
    """
    found = [Interval(1), *_port_intervals(compute, name)]
    for hazard in compute.hazards:
        if hazard.writer == hazard.statement == name:
            found.extend(_recurrence(compute, hazard, known))
    return max(found, key=lambda each: each.cycles)


def _port_intervals(compute: ComputeUnit, name: str) -> Iterator[Interval]:
    table, ports = compute.times[name], compute.memories.read_ports
    arrays = [slot.array for slot in table.slots.values() if compute.stores[slot.array].depth]
    for array in sorted(set(arrays)):
        count = arrays.count(array)
        yield Interval(-(-count // ports), f"it reads {count} words of {array} through {ports} port{'s' * (ports > 1)}")


def _recurrence(compute: ComputeUnit, hazard: Hazard, known: isl.Set) -> Iterator[Interval]:
    """The interval by which a statement stays behind its own writes."""
    access, apart = compute.access(hazard.statement, hazard.position), hazard.probe.window + 1
    if access.subscripts and not hazard.probe.addressed:
        yield Interval(apart, f"it does not know in time which word of {access.array} it touches")
        return
    statement = compute.statements[hazard.statement]
    distance = attempted(lambda: _distance(known, statement, access))
    if distance is not None:
        when = "1 iteration" if distance == 1 else f"{distance} iterations"
        what = f"a word of {access.array}" if access.subscripts else access.array
        reason = f"{what} is read {when} after it is written, and takes {apart} cycles"
        yield Interval(-(-apart // distance), reason)


def _distance(known: isl.Set, statement: Statement, access: Access) -> int | None:
    """The least number of iterations of the innermost loop after which an element is touched that was written."""
    pairs = following(known, statement, statement, access)
    return least_step_in(pairs, statement.schedule.intersect_domain(statement.domain), _innermost(statement))


def _innermost(statement: Statement) -> int:
    """The dimension of the innermost loop in dates of the form 2d + 1."""
    return statement.schedule.dim(Dim.out) - 2
