"""Issue: when instances that the controller starts go into their datapaths.

An instance stalls while a write it depends on is pending, and while a memory port is booked for a cycle in which it
needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from loadstone.hardware.compute.unit import ComputeUnit, Hazard
from loadstone.hardware.control.interface import standing
from loadstone.hardware.names import Names
from loadstone.rtl.conditions import any_of
from loadstone.rtl.expressions import Signal, Value, cat, const
from loadstone.rtl.module import Instance
from loadstone.rtl.types import unsigned

Need = tuple[str, int]
"""A statement, and the cycle after its start in which it uses a port."""


def add_issue(
    names: Names,
    compute: ComputeUnit,
    control: Instance,
    hits: Callable[[Hazard], Iterable[Value]],
    going: Mapping[str, Signal],
) -> None:
    """Drives the wires that send instances into their datapaths; hazards have hits while they must wait."""
    m = names.module
    taken = _taken_ports(names, compute, going)
    for name in going:
        waits = [hit for hazard in compute.hazards if hazard.statement == name for hit in hits(hazard)]
        start = control[compute.control.port(name, "start")]
        wants = standing(names, name, start, going[name], "has been started, and may not go yet")
        m.assign(going[name], wants & ~any_of(*waits, *taken[name]))


def _taken_ports(names: Names, compute: ComputeUnit, going: Mapping[str, Signal]) -> dict[str, list[Value]]:
    """For each statement, the ports that may be booked in its cycles."""
    found: dict[str, list[Value]] = {name: [] for name in going}
    for wish, needs in _needs(compute).items():
        last = max(cycle for _, cycle in needs)
        early = [(name, cycle) for name, cycle in needs if cycle < last]
        if early:
            taken = _booked(names, wish, needs, last, going)
            for name, cycle in early:
                found[name].append(taken[cycle])
    return found


def _needs(compute: ComputeUnit) -> dict[str, list[Need]]:
    """For each port, its users and their cycles; scalars need no port."""
    found: dict[str, list[Need]] = {}
    for name, table in compute.times.items():
        found.setdefault(f"{compute.statements[name].write.array}_writes", []).append((name, table.write))
        for slot in table.slots.values():
            if compute.stores[slot.array].depth:
                found.setdefault(f"{slot.array}_reads_{slot.port}", []).append((name, slot.asked))
    return found


def _booked(names: Names, wish: str, needs: Sequence[Need], last: int, going: Mapping[str, Signal]) -> Signal:
    """A register whose bit k says that the port is booked in k cycles."""
    m = names.module
    taken = names.state(f"{wish}_taken", unsigned(last), comment="bit k: the port is taken in k cycles")
    marks = [any_of(*(going[name] for name, at in needs if at == cycle)) for cycle in range(1, last + 1)]
    rest = cat(0, taken[1:last]) if last > 1 else const(0)
    with m.clocked():
        m.assign(taken, rest | cat(*reversed(marks)))
    return taken
