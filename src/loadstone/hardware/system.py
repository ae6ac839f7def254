"""An accelerator with its external memory, for simulation."""

from __future__ import annotations

from loadstone.bus.axi import axi_channels, axi_ports
from loadstone.bus.monitor import make_axi_monitor
from loadstone.bus.ports import attach, declare_wires, prefixed
from loadstone.dram.memory import make_memory
from loadstone.dram.timing import Timing
from loadstone.hardware.accelerator import AcceleratorDesign
from loadstone.rtl.module import Module
from loadstone.rtl.names import fresh

STATISTICS = ("row_hits", "row_changes", "busy_cycles", "words_read", "words_written")
"""What the memory counts."""
WORDS = "memory.words"
"""The words of the external memory, as a path."""


def make_system(design: AcceleratorDesign, timing: Timing, depth: int) -> Module:
    """The accelerator on a memory of `depth` words of its bus; all other ports are its own, and what memory counts."""
    inner = design.module
    m = Module(fresh(f"{inner.name}_system", ()), f"{inner.name} with its external memory.")
    wires = declare_wires(m, axi_ports(axi_channels(design.bus)), "wire_")
    bus = prefixed(wires, "axi_")
    own = {port.name: m.input(port.name, port.bits) for port in inner.of_kind("input") if port.name not in bus}
    instance = attach(m, "accelerator", inner, bus, own)
    memory = attach(m, "memory", make_memory(timing, design.bus, depth), wires, {})
    watch = attach(m, "watch", make_axi_monitor(design.bus), wires, {})
    for port in inner.of_kind("output"):
        if port.name not in bus:
            m.output(port.name, instance[port.name])
    for name in STATISTICS:
        m.output(name, memory[name])
    m.output("bus_error", watch["error"], "the number of a rule that was broken, or 0")
    return m
