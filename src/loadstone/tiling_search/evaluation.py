"""What a tiling really takes: its plan and its buffers, as they are built."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loadstone.poly.isolated import isolated
from loadstone.poly.limits import DEFAULT_LIMIT, LimitReached
from loadstone.storage.buffers import make_buffers
from loadstone.storage.handover import Mode, handover
from loadstone.transfer.plan import Plan
from loadstone.transfer.volumes import count
from loadstone.transform.tiling import TiledKernel

PLAN_SECONDS = 10
PlanMaker = Callable[[TiledKernel], Plan]


@dataclass(frozen=True, slots=True)
class Measured:
    """The words of a tiling and the cells of one copy of each buffer; `whole` are as large as their arrays.

    `doubled` are the arrays with two copies where strips overlap; None where they cannot. `split`: whether a buffer has
    parts.
    """

    words: int
    cells: Mapping[str, int]
    whole: tuple[str, ...]
    doubled: tuple[str, ...] | None
    split: bool

    def all_cells(self, strips: Mode) -> int:
        """The cells of all buffers and their copies."""
        twice = self.doubled or () if strips == "overlap" else ()
        return sum((2 if array in twice else 1) * cells for array, cells in self.cells.items())


def measure(
    tiles: TiledKernel,
    parameters: Mapping[str, int],
    make_plan: PlanMaker,
    depth: int,
    *,
    power_of_two: bool | None,
    split: bool,
) -> Measured | None:
    """The words and cells of a tiling for given parameters; None where its plan takes too long."""
    try:
        text = isolated(
            lambda: _measured_text(make_plan(tiles), parameters, depth, power_of_two, split),
            DEFAULT_LIMIT,
            PLAN_SECONDS,
        )
    except LimitReached:
        return None
    words, cells, whole, doubled, parts = json.loads(text)
    return Measured(words, cells, tuple(whole), None if doubled is None else tuple(doubled), parts)


def _measured_text(
    plan: Plan, parameters: Mapping[str, int], depth: int, power_of_two: bool | None, split: bool
) -> str:
    parts = plan.arrays.values()
    words = sum(count(moved, parameters) for part in parts for moved in (part.strip_to_loaded, part.strip_to_stored))
    buffers = make_buffers(plan, depth, power_of_two=power_of_two, split=split)
    cells = {name: max(1, buffer.cells(parameters)) for name, buffer in buffers.items()}
    whole = [name for name, buffer in buffers.items() if buffer.is_whole]
    follow = handover(plan, depth)
    parts = any(buffer.parts for buffer in buffers.values())
    return json.dumps([words, cells, whole, follow.doubled if follow.mode == "overlap" else None, parts])
