"""Lanes: iterations of loops of a tile that run in lock step, and the banks that serve them all in a cycle.

A dimension of a tiling can be unrolled if its iterations that run together touch no element in common that one of them
writes, or if their order is kept anyway. As many lanes as possible are tried, along one dimension or two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from math import prod
from typing import Any

from loadstone.loops.accelerator import Accelerator, time_names
from loadstone.loops.facts import surely
from loadstone.loops.model import Node
from loadstone.loops.ranges import Limits, Ranges
from loadstone.parallel.banks import Banking, BanksOfLanes, BanksOfPlaces, Place, Touch, find_banking, possible_banks
from loadstone.parallel.group_loops import group_loops
from loadstone.parallel.groups import Axis, Grouping, in_old_order, step_along, touches_of
from loadstone.parallel.kept_order import swapped_arrays
from loadstone.transform.tiling import TiledKernel


@dataclass(frozen=True, slots=True)
class TileOrder:
    """The loops of a tile in an order in which instances stall less, the outermost first.

    `cycles` are those of some instances in a sample of tiles, `old_cycles` those in the order of the text.
    """

    loops: tuple[str, ...]
    instances: int
    cycles: int
    old_cycles: int

    @property
    def described(self) -> str:
        """The order in words."""
        cycles, old = (f"{each / self.instances:.2f}" for each in (self.cycles, self.old_cycles))
        return f"{', '.join(self.loops)} in a tile: {cycles} cycles for an instance, and {old} as it stands"

    def as_json(self) -> dict[str, Any]:
        """The order, and the cycles of an instance."""
        cycles, old = (round(each / self.instances, 4) for each in (self.cycles, self.old_cycles))
        return {"loops": list(self.loops), "cycles_per_instance": cycles, "as_it_stands": old}


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """The requested lanes and the actual ones: of which loops, and why not more.

    `grouping`: how instances run together, and in which order; None where each tile runs as it stands. `banking`: the
    banks of arrays. `banks`: the banks that lanes of accesses may touch. Both only where there are several.
    `described`: the banks in words. `order`: that of the loops of a tile, where it is not the one of the text.
    """

    asked: int
    counts: tuple[int, ...]
    dimension: str
    reason: str
    grouping: Grouping | None
    banking: Mapping[str, Banking]
    banks: BanksOfPlaces
    described: Mapping[str, str]
    order: TileOrder | None = None

    @property
    def count(self) -> int:
        """The number of lanes."""
        return prod(self.counts)

    def as_json(self) -> dict[str, Any]:
        """The lanes for a report."""
        found: dict[str, Any] = {"asked": self.asked, "count": self.count, "loop": self.dimension}
        counts = {"counts": list(self.counts)} if len(self.counts) > 1 else {}
        return {**found, **counts, "reason": self.reason, "banks": dict(self.described)}


NO_LANES = Lanes(1, (1,), "", "", None, {}, {}, {})


class _NoLanes(Exception):
    """Dimensions cannot have so many lanes, for a reason."""


def find_lanes(accelerator: Accelerator, limits: Mapping[str, Limits], asked: int | tuple[int, ...]) -> Lanes:
    """As many lanes as possible, at most the requested ones, in the dimensions that serve most statements."""
    wanted = (asked,) if isinstance(asked, int) else asked
    if prod(wanted) <= 1:
        return NO_LANES
    tiles = accelerator.plan.tiles
    names, reasons = time_names(tiles), list[str]()
    for counts in _counts(wanted):
        why = "; ".join(reasons)
        for grouping in _groupings(tiles, counts):
            name = " x ".join(names[axis.position] for axis in grouping.axes)
            try:
                found = _with_lanes(accelerator, limits, grouping)
                return replace(found, asked=prod(wanted), dimension=name, reason="" if counts == wanted else why)
            except _NoLanes as reason:
                if counts == wanted and not grouping.is_turned:
                    reasons.append(f"{name}: {reason}")
    return no_lanes(wanted, "; ".join(reasons) or "no statement has a loop of the tiling")


def no_lanes(asked: tuple[int, ...], reason: str) -> Lanes:
    """One lane, and why not as many as requested."""
    return replace(NO_LANES, asked=prod(asked), reason=reason)


def _counts(asked: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Numbers of lanes to try: the requested ones, and powers of two below, the most lanes first."""
    choices = list(product(*([one, *(1 << k for k in range(one.bit_length()) if 1 << k < one)] for one in asked)))
    several = [counts for counts in choices if prod(counts) > 1]
    return sorted(several, key=lambda counts: (counts != asked, -prod(counts), max(counts)))


def _groupings(tiles: TiledKernel, counts: tuple[int, ...]) -> Iterator[Grouping]:
    """The dimensions in which statements have lanes: first those of the most loops of statements, inner ones first."""
    wanted = tuple(count for count in counts if count > 1)
    places = permutations(range(len(tiles.sizes)), len(wanted))
    found = [_grouping(tiles, tuple(map(Axis, each, wanted))) for each in sorted(places, reverse=True)]
    useful = [grouping for grouping in found if grouping is not None]
    yield from sorted(useful, key=lambda each: (each.is_turned, -each.weight))


def _grouping(tiles: TiledKernel, axes: tuple[Axis, ...]) -> Grouping | None:
    """The groups along axes, with the statements that have lanes; None where there are none along some axis."""
    steps = {name: tuple(step_along(theta, axis.position) for axis in axes) for name, theta in tiles.theta.items()}
    some = {name: each for name, each in steps.items() if any(step is not None for step in each)}
    found = replace(in_old_order(tiles, axes), steps=some)
    kept = {name: each for name, each in some.items() if surely(lambda name=name: found.is_uniform(name))}
    is_useful = all(any(each[k] is not None for each in kept.values()) for k in range(len(axes)))
    return replace(found, steps=kept) if is_useful else None


def _with_lanes(accelerator: Accelerator, limits: Mapping[str, Limits], grouping: Grouping) -> Lanes:
    """The lanes of a grouping; raises `_NoLanes` where it cannot be."""
    for axis in grouping.axes:
        size = grouping.tiles.sizes[axis.position]
        if size < axis.count:
            raise _NoLanes(f"a tile has only {size} of its iterations")
    for array in swapped_arrays(grouping):
        raise _NoLanes(f"its iterations depend on each other through {array}")
    known = Ranges(accelerator.kernel, limits).known
    found: dict[str, Banking] = {}
    banks: dict[Place, BanksOfLanes] = {}
    for array, buffer in accelerator.buffers.items():
        touches = list(touches_of(grouping, array, known))
        banking = find_banking(buffer, [each for each in touches if each.place[0] in grouping.steps])
        if banking is None:
            raise _NoLanes(_conflict(array, touches))
        if banking.count > 1:
            found[array] = banking
            banks |= {touch.place: possible_banks(banking, buffer, touch) for touch in touches}
    words = {array: banking.described for array, banking in found.items()}
    counts = tuple(axis.count for axis in grouping.axes)
    return Lanes(1, counts, "", "", grouping, found, banks, words)


def _conflict(array: str, touches: Sequence[Touch]) -> str:
    """Why an array has no banks."""
    if any(shift is None for touch in touches for _, shift in touch.shifts):
        return f"which elements of {array} its iterations touch is not known in time"
    return f"no banks of {array} are known to serve all iterations in one cycle"


def lane_loops(accelerator: Accelerator, lanes: Lanes) -> Node:
    """The loops of a tile, over groups where there are lanes, or another order."""
    return accelerator.compute if lanes.grouping is None else group_loops(accelerator, lanes.grouping)
