"""A fence around a memory for simulation: addresses outside of it are noticed, though the memory would wrap around."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.bus.ports import Bus
from loadstone.hardware.harness.placement import far
from loadstone.rtl.conditions import any_of, mux
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Module
from loadstone.rtl.types import bit

ASTRAY = 31
"""What is said of an address outside of the memory, beside the rules of a monitor."""


def fenced(m: Module, bus: Bus, wires: Mapping[str, Signal], depth: int, error: Signal) -> Value:
    """The first rule that a master broke on an AXI bus: one that a monitor saw, or an address beside the memory."""
    inside = bus.beat_shift + (depth - 1).bit_length()
    beyond = far(bus) >> inside
    strays = (wires[f"{name}valid"] & (wires[f"{name}addr"][inside:] != beyond) for name in ("ar", "aw"))
    astray = m.register("astray", bit, reset=0, comment="an address was outside of the memory")
    with m.clocked(), m.when(any_of(*strays)):
        m.assign(astray, 1)
    return mux((error == 0) & astray, ASTRAY, error)
