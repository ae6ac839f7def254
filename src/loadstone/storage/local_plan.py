"""The plan with its local memories: how many tiles are in flight, the buffers, and how strips follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from loadstone.storage.buffers import Buffer, make_buffers
from loadstone.storage.handover import Handover, Mode, handover
from loadstone.transfer.plan import ArrayPlan, Plan

DEFAULT_DEPTH = 2


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalArray(ArrayPlan):
    """What is loaded and stored of one array, and where it lives meanwhile."""

    buffer: Buffer


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LocalPlan(Plan):
    """A plan with `depth` tiles in flight."""

    arrays: Mapping[str, LocalArray]
    depth: int
    handover: Handover

    def __getitem__(self, array: str) -> LocalArray:
        return self.arrays[array]


def with_buffers(
    plan: Plan,
    depth: int = DEFAULT_DEPTH,
    *,
    power_of_two: bool | None = False,
    strips: Mode = "overlap",
    split: bool = False,
) -> LocalPlan:
    """The plan with local memories.

    `strips` says whether strips should overlap, where that is possible. Others are those of `make_buffers`.
    """
    follow = handover(plan, depth, strips)
    made = make_buffers(plan, depth, power_of_two=power_of_two, split=split)
    buffers = {name: replace(buffer, copies=follow.copies(name)) for name, buffer in made.items()}
    arrays = {name: _with_buffer(part, buffers[name]) for name, part in plan.arrays.items()}
    return LocalPlan(
        tiles=plan.tiles,
        arrays=arrays,
        exact=plan.exact,
        reason=plan.reason,
        depth=depth,
        handover=follow,
    )


def _with_buffer(part: ArrayPlan, buffer: Buffer) -> LocalArray:
    return LocalArray(**{field.name: getattr(part, field.name) for field in fields(ArrayPlan)}, buffer=buffer)
