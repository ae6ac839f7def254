"""An accelerator with its external memory, for simulation."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.bus.axi import axi_channels, axi_ports
from loadstone.bus.faults import make_axi_faults
from loadstone.bus.masters import as_axi, master_ports
from loadstone.bus.monitor import make_axi_monitor
from loadstone.bus.ports import attach, declare_wires, prefixed
from loadstone.bus.stalls import make_axi_stalls
from loadstone.dram.memory import make_memory
from loadstone.dram.timing import Timing
from loadstone.hardware.design import BusDesign
from loadstone.hardware.harness.fence import fenced
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Module
from loadstone.rtl.names import fresh
from loadstone.rtl.types import unsigned

STATISTICS = ("row_hits", "row_changes", "busy_cycles", "words_read", "words_written")
"""What the memory counts."""
WORDS = "memory.words"
"""The words of the external memory, as a path."""
CHANCE = "stall_chance"
"""The input that says how often channels stop, in 256 cycles."""
FAULT_INPUTS = ("read_chance", "write_chance", "forget")
FAULT_OUTPUTS = ("read_fault", "read_fault_address", "write_fault", "write_fault_address")
"""The ports of a system whose bus fails, those of `make_axi_faults`."""


def make_system(design: BusDesign, timing: Timing, depth: int, *, stalls: bool = False, faults: bool = False) -> Module:
    """The accelerator on a memory of `depth` words of its bus; all other ports are its own, and what memory counts.

    With stalls, the channels of the memory stop at random; with faults, responses are errors at random.
    """
    m = Module(fresh(f"{design.module.name}_system", ()), f"{design.module.name} with its external memory.")
    wires = add_accelerator(m, design)
    watch = attach(m, "watch", make_axi_monitor(design.bus), wires, {})
    broken = fenced(m, design.bus, wires, depth, watch["error"])
    if faults:
        wires = _failing(m, design, wires)
    if stalls:
        wires = _stalled(m, design, wires)
    memory = attach(m, "memory", make_memory(timing, design.bus, depth), wires, {})
    for name in STATISTICS:
        m.output(name, memory[name])
    m.output("bus_error", broken, "the number of a rule that was broken, or 0")
    m.output("bus_quiet", watch["quiet"], "no burst is open")
    return m


def add_accelerator(m: Module, design: BusDesign, given: Mapping[str, Value] | None = None) -> dict[str, Signal]:
    """Adds an accelerator, whose other ports become those of the module; the signals of its bus, as one of AXI."""
    inner, known = design.module, given or {}
    bus = declare_wires(m, master_ports(design.bus), "wire_")
    others = [port for port in inner.of_kind("input") if port.name not in bus and port.name not in known]
    own = {port.name: m.input(port.name, port.bits) for port in others}
    instance = attach(m, "accelerator", inner, bus, {**own, **known})
    for port in inner.of_kind("output"):
        if port.name not in bus:
            m.output(port.name, instance[port.name])
    return as_axi(m, design.bus, bus)


def _failing(m: Module, design: BusDesign, wires: dict[str, Signal]) -> dict[str, Signal]:
    """The bus behind a piece whose responses are errors at random."""
    behind = declare_wires(m, axi_ports(axi_channels(design.bus)), "failing_")
    module = make_axi_faults(design.bus)
    sides = {**prefixed(wires, "s_"), **prefixed(behind, "m_")}
    own = {name: m.input(name, module[name].bits) for name in FAULT_INPUTS}
    faults = attach(m, "faults", module, sides, own)
    for name in FAULT_OUTPUTS:
        m.output(name, faults[name])
    return behind


def _stalled(m: Module, design: BusDesign, wires: dict[str, Signal]) -> dict[str, Signal]:
    """The bus behind a piece whose channels stop at random."""
    behind = declare_wires(m, axi_ports(axi_channels(design.bus)), "stalled_")
    sides = {**prefixed(wires, "s_"), **prefixed(behind, "m_")}
    attach(m, "stalls", make_axi_stalls(design.bus), sides, {"chance": m.input(CHANCE, unsigned(8))})
    return behind
