"""What the processes of an accelerator were doing when: the source of timelines, predicted or measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Process = Literal["load", "compute", "store"]
PROCESSES: tuple[Process, ...] = ("load", "compute", "store")


@dataclass(frozen=True, slots=True)
class Activity:
    """The cycles from `begin` up to, but not including, `end` that a process spends on a tile, by its number.

    Tiles are numbered in the order of execution over all strips. A load ends when all elements are in their cells, a
    store when all have left them. The load of a tile may begin while elements of the one before are still on their way,
    so that activities of a process overlap.
    """

    process: Process
    tile: int
    begin: int
    end: int


def busy_cycles(activities: Iterable[Activity], process: Process) -> int:
    """The cycles in which a process is at work on some tile.

    >>> busy_cycles([Activity("load", 0, 0, 5), Activity("load", 1, 3, 8), Activity("store", 0, 9, 12)], "load")
    8
    """
    total, reached = 0, 0
    for activity in sorted((each for each in activities if each.process == process), key=lambda each: each.begin):
        total += max(0, activity.end - max(reached, activity.begin))
        reached = max(reached, activity.end)
    return total
