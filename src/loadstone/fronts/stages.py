"""Compilations that share their stages: what several designs have in common is computed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from loadstone.circuits import CircuitCompilation
from loadstone.fronts.space import Design
from loadstone.model.kernel import Kernel
from loadstone.options import Choices, HardwareOptions

_OF_KERNEL = ("selecting", "substituted", "values", "limits")
_OF_TILING = (*_OF_KERNEL, "tiles", "decision", "transfers")
_OF_CHOICES = (*_OF_TILING, "plan", "accelerator", "network", "channel_sizes")
_ON_BUS = ("bus", "burst", "address_width", "outstanding")


@dataclass(frozen=True, eq=False)
class Subject:
    """What is explored: a kernel, values of its parameters, and a limit on isl's operations."""

    kernel: Kernel
    values: Mapping[str, int]
    limit: int | None = None

    def compilation(self, design: Design) -> CircuitCompilation:
        """The way of the kernel to a design."""
        return CircuitCompilation(self.kernel, design.choices, self.values, limit=self.limit, hardware=design.hardware)


@dataclass(eq=False)
class Stages:
    """The compilations of a subject: all share what follows from the kernel alone."""

    subject: Subject

    @cached_property
    def _of_kernel(self) -> Mapping[str, Any]:
        first = CircuitCompilation(self.subject.kernel, given=self.subject.values, limit=self.subject.limit)
        return {name: getattr(first, name) for name in _OF_KERNEL}

    @property
    def substituted(self) -> Kernel:
        """The kernel without temporaries, which has the fewest statements."""
        return self._of_kernel["substituted"]

    def compilation(self, design: Design) -> CircuitCompilation:
        """The way of the kernel to a design."""
        return self.subject.compilation(design).with_stages(self._of_kernel)


@dataclass(eq=False)
class TilingStages:
    """The compilations of one tiling, which share transfers, plans and compute units where these are the same."""

    stages: Stages
    made: dict[tuple[Choices, HardwareOptions], CircuitCompilation] = field(
        default_factory=dict[tuple[Choices, HardwareOptions], CircuitCompilation]
    )

    def compilation(self, design: Design) -> CircuitCompilation:
        """The way of the kernel to a design of the tiling."""
        key = (design.choices, design.hardware)
        if key not in self.made:
            made = self.stages.compilation(design)
            for other in self.made.values():
                made = made.with_stages(dict(_common(made, other)))
            self.made[key] = made
        return self.made[key]


def _common(made: CircuitCompilation, other: CircuitCompilation) -> Iterator[tuple[str, Any]]:
    """The stages of another compilation with the same tiling that are those of this one, too."""
    known, same = vars(other), made.choices == other.choices
    yield from ((name, known[name]) for name in (_OF_CHOICES if same else _OF_TILING) if name in known)
    if same and "outline" in known and _computing(made.hardware) == _computing(other.hardware):
        yield "outline", replace(other.outline, bus=made.with_stages({"accelerator": other.accelerator}).bus)


def _computing(hardware: HardwareOptions) -> HardwareOptions:
    """The options without those of the bus on which nothing but its master depends: a width decides on banks."""
    return replace(hardware, **dict.fromkeys(_ON_BUS))
