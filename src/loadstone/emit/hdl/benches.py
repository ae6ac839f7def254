"""What testbenches of accelerators behind registers need to know, in any language.

They fill external memory from a file, write the registers over the bus of the slave, wait until the run is done, and
compare memory and registers with what is expected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loadstone.bus.lite import PREFIXES, slave_ports
from loadstone.bus.ports import BusPort, Protocol
from loadstone.emit.hdl.image import Trial
from loadstone.hardware.accelerator import registers as names
from loadstone.hardware.accelerator.registers import RegisterMap
from loadstone.hardware.design import AcceleratorDesign
from loadstone.rtl.module import Module

_OFFSETS = {
    "control": names.CONTROL,
    "status": names.STATUS,
    "cycles": names.CYCLES,
    "error": names.ERROR_KIND,
    "error_address": names.FIRST_ADDRESS,
}


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """What a testbench is made for: an accelerator with memory, its registers, its run, and how long that may take."""

    module: Module
    design: AcceleratorDesign
    protocol: Protocol
    registers: RegisterMap
    trial: Trial
    limit: int

    @property
    def ports(self) -> tuple[BusPort, ...]:
        """The signals of the slave, by the names that they have at the module."""
        prefix, width = PREFIXES[self.protocol], self.registers.address_width
        return tuple(BusPort(prefix + port.name, port.type, port.driver) for port in slave_ports(self.protocol, width))

    def offsets(self, shown: Callable[[int], object]) -> dict[str, object]:
        """The offsets of the registers that every design has, as a language shows them."""
        return {title: shown(self.registers.by_name[name].offset) for title, name in _OFFSETS.items()}

    def filled(self, template: str, tasks: str, offset: Callable[[int], str], port: str, **parts: str) -> str:
        """A testbench with memory in hardware; `tasks` drive the bus of the slave, `port` connects a port."""
        high = self.registers.address_width - 1
        connected = ("clk", "rst", *(each.name for each in self.module.of_kind("input", "output")))
        return template.format(
            top=self.module.name,
            error_high=self.module["bus_error"].width - 1,
            depth=self.trial.depth,
            high=self.design.bus.data_width - 1,
            limit=self.limit,
            ports=",\n".join(port.format(name=name) for name in connected),
            tasks=tasks.format(offset_high=high),
            offset_high=high,
            start=names.START | names.ENABLE,
            done=names.DONE,
            **self.offsets(offset),
            **parts,
        )
