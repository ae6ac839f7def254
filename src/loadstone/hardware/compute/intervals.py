"""The initiation interval of a statement: how many cycles lie between instances that follow each other in its loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import islpy as isl

from loadstone.hardware.compute.unit import ComputeUnit, Hazard
from loadstone.loops.facts import attempted
from loadstone.model.kernel import Access, Statement
from loadstone.parallel.groups import Grouping
from loadstone.parallel.hazards import following
from loadstone.poly.spaces import Dim, least_step_in, range_product


@dataclass(frozen=True, slots=True)
class Interval:
    """The cycles between two instances, and why there are not fewer; no reason where there is one."""

    cycles: int
    reason: str = ""


def interval(compute: ComputeUnit, name: str, known: isl.Set, grouping: Grouping | None = None) -> Interval:
    """The least interval between instances in the innermost loop of a statement, for known parameters.

    The loops are those of the kernel, or of groups in a tile.

    Other statements of the loop take their own cycles, and may make an instance wait for longer.
    """
    found = [Interval(1), *_port_intervals(compute, name)]
    for hazard in compute.hazards:
        if hazard.writer == hazard.statement == name:
            found.extend(_recurrence(compute, hazard, known, grouping))
    return max(found, key=lambda each: each.cycles)


def _port_intervals(compute: ComputeUnit, name: str) -> Iterator[Interval]:
    table = compute.times[name]
    arrays = [slot.array for slot in table.slots.values() if compute.stores[slot.array].depth]
    for array in sorted(set(arrays)):
        count, store = arrays.count(array), compute.stores[array]
        ports = compute.memories.ports(store, count)
        yield Interval(
            compute.memories.interval(store, count),
            f"it reads {count} words of {array} through {ports} port{'s' * (ports > 1)}",
        )


def _recurrence(compute: ComputeUnit, hazard: Hazard, known: isl.Set, grouping: Grouping | None) -> Iterator[Interval]:
    """The interval by which a statement stays behind its own writes."""
    access, apart = compute.access(hazard.statement, hazard.position), hazard.probe.window + 1
    if access.subscripts and not hazard.probe.addressed:
        yield Interval(apart, f"it does not know in time which word of {access.array} it touches")
        return
    statement = compute.statements[hazard.statement]
    distance = attempted(lambda: _distance(known, statement, access, grouping))
    if distance:
        when = "1 iteration" if distance == 1 else f"{distance} iterations"
        what = f"a word of {access.array}" if access.subscripts else access.array
        reason = f"{what} is read {when} after it is written, and takes {apart} cycles"
        yield Interval(-(-apart // distance), reason)


def _distance(known: isl.Set, statement: Statement, access: Access, grouping: Grouping | None) -> int | None:
    """The least number of instances after which an element is touched that was written.

    Without groups, those of the innermost loop alone; in a tile, those of the innermost loop that has some.
    """
    pairs = following(known, statement, statement, access)
    if grouping is None:
        dates = statement.schedule.intersect_domain(statement.domain)
        return least_step_in(pairs, dates, dates.dim(Dim.out) - 2)
    name = statement.name
    dates = range_product((grouping.tiles.instance_to_tile(name), grouping.time(name)))
    for place, inside in grouping.loops_alone(name):
        found = least_step_in(pairs, dates, len(grouping.order) + place)
        if found:
            return found * inside
    return None
