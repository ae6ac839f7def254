"""What all hardware on a bus has: whole accelerators, direct implementations, process networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from loadstone.bus.ports import Bus, Widths
from loadstone.errors import Diagnostic, InputError
from loadstone.hardware.compute.unit import ComputeUnit
from loadstone.hardware.layout import ArrayLayouts
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.ranges import Limits
from loadstone.parallel.lanes import Lanes
from loadstone.rtl.module import Module


class BusDesign(Protocol):
    """Hardware on a bus: its top module, and which of its ports are for what.

    Other ports are `start`, `ready`, `done`, those of the bus and of the supervisor, and counts of elements that were
    moved. Arrays lie in external memory as `external` says, each element in `element_bytes` of its array.
    """

    @property
    def module(self) -> Module:
        """The top module."""
        ...

    @property
    def bus(self) -> Bus:
        """The bus."""
        ...

    @property
    def limits(self) -> Mapping[str, Limits]:
        """The ranges of parameters for which it is made."""
        ...

    @property
    def external(self) -> ArrayLayouts:
        """How arrays lie in external memory."""
        ...

    @property
    def element_bytes(self) -> Mapping[str, int]:
        """The bytes of an element, by array."""
        ...

    @property
    def parameters(self) -> Mapping[str, str]:
        """The ports for parameters."""
        ...

    @property
    def scalars_in(self) -> Mapping[str, str]:
        """The ports for scalars before a run."""
        ...

    @property
    def scalars_out(self) -> Mapping[str, str]:
        """The ports for scalars after a run."""
        ...

    @property
    def bases(self) -> Mapping[str, str]:
        """The ports for the byte addresses of arrays."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class AcceleratorDesign:
    """The hardware of an accelerator: its top module, and which of its ports are for what.

    `bases` name the ports for the byte addresses of arrays in external memory, in which they lie row by row as
    `external` says, each element in `element_bytes` of its array.
    """

    module: Module
    compute: ComputeUnit
    lanes: Lanes
    limits: Mapping[str, Limits]
    bus: Bus
    external: ArrayLayouts
    element_bytes: Mapping[str, int]
    parameters: Mapping[str, str]
    scalars_in: Mapping[str, str]
    scalars_out: Mapping[str, str]
    bases: Mapping[str, str]


def element_bytes(accelerator: Accelerator) -> dict[str, int]:
    """The bytes of an element in external memory, by array."""
    return {array.name: array.type.storage.bits // 8 for array in accelerator.transferred}


def bus_for(sizes: Mapping[str, int], bus: Bus | None = None) -> Bus:
    """The bus that is asked for, or one of the width of the widest elements; they must fit."""
    widest = widths_moved(sizes).widest
    if bus is None:
        return Bus(data_width=max(32, widest))
    if widest > bus.data_width:
        hint = f"use a bus of {widest} bits at least"
        raise InputError(Diagnostic(f"elements of {widest} bits do not fit a bus of {bus.data_width}", None, hint))
    return bus


def widths_moved(element_bytes: Mapping[str, int]) -> Widths:
    """The widths of elements of some bytes."""
    bits = [8 * count for count in element_bytes.values()] or [32]
    return Widths(min(bits), max(bits))
