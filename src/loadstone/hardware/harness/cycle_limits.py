"""Cycle limits: a run of hardware that takes longer has failed."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.hardware.on_chip import OnChipDesign
from loadstone.model.kernel import Kernel
from loadstone.transfer.volumes import count

MOST_CYCLES = 1_000_000_000
"""The most cycles that a run of hardware takes; beyond, something is wrong with it."""


def cycle_limit(kernel: Kernel, parameters: Mapping[str, int]) -> int:
    """The cycle limit of hardware on a bus: a thousand cycles per access."""
    accesses = sum((1 + len(each.reads)) * count(each.domain, parameters) for each in kernel.statements)
    return min(MOST_CYCLES, 1_000_000 + 1000 * accesses)


def on_chip_cycle_limit(design: OnChipDesign, parameters: Mapping[str, int]) -> int:
    """The cycle limit of on-chip hardware: far more than if every instance stalled for the one before."""
    compute = design.compute
    taken = sum(
        count(statement.domain, parameters) * (compute.times[name].write + 1)
        for name, statement in compute.statements.items()
    )
    return min(1_000_000 + 64 * taken, 2_000_000_000)
