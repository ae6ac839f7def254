"""Finished hardware of a kernel: its top module, and which of its ports are for what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.bus.ports import Bus, Widths
from loadstone.errors import Diagnostic, InputError
from loadstone.hardware.compute.unit import ComputeUnit
from loadstone.hardware.layout import ArrayLayouts, PackedLayouts
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.ranges import Limits
from loadstone.model.kernel import Kernel
from loadstone.parallel.beats import Beats
from loadstone.parallel.lanes import Lanes
from loadstone.rtl.module import Module


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Hardware of a kernel, for parameters in ranges: its top module, and the names of its host ports.

    Other ports are `start`, `ready`, `done` and `error`.
    """

    module: Module
    kernel: Kernel
    limits: Mapping[str, Limits]
    parameters: Mapping[str, str]
    scalars_in: Mapping[str, str]
    scalars_out: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class BusDesign(Design):
    """Hardware on a bus. Further ports are those of the bus and of the supervisor, and counts of moved elements.

    `bases` name the ports for the byte addresses of variables in external memory: arrays, which lie there row by row,
    or structures that hold the elements of several, as `external` says, each element in `element_bytes` of its array.
    """

    bus: Bus
    external: ArrayLayouts
    element_bytes: Mapping[str, int]
    bases: Mapping[str, str]

    def variable(self, array: str) -> str:
        """The variable in external memory that holds the elements of an array."""
        return self.external[array].variable or array


@dataclass(frozen=True, slots=True, eq=False)
class ComputeDesign(BusDesign):
    """Hardware on a bus with one compute unit: the direct baseline."""

    compute: ComputeUnit


@dataclass(frozen=True, slots=True, eq=False)
class AcceleratorDesign(ComputeDesign):
    """The hardware of an accelerator, whose compute unit has lanes; its arrays have the strides of a run.

    `beats` are the elements that move in a cycle.
    """

    lanes: Lanes
    beats: Beats
    external: PackedLayouts


def element_bytes(accelerator: Accelerator) -> dict[str, int]:
    """The bytes of an element in external memory, by array."""
    return {array.name: array.type.storage.bits // 8 for array in accelerator.transferred}


def bus_for(sizes: Mapping[str, int], bus: Bus | None = None) -> Bus:
    """The given bus, or one as wide as the widest elements; they must fit."""
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
