"""What testbenches of accelerators behind registers need to know, in any language.

They fill external memory from a file, write the registers over the bus of the slave, wait until the run is done, and
compare memory and registers with what is expected.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.bus.lite import PREFIXES, slave_ports
from loadstone.bus.ports import BusPort, Protocol
from loadstone.emit.hdl.image import Trial
from loadstone.hardware.accelerator.registers import RegisterMap
from loadstone.hardware.design import AcceleratorDesign
from loadstone.rtl.module import Module


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

    @property
    def connected(self) -> tuple[str, ...]:
        """The ports of the module, which signals of the same names meet."""
        return ("clk", "rst", *(port.name for port in self.module.of_kind("input", "output")))

    def offset(self, name: str) -> int:
        """The offset of a register."""
        return self.registers.by_name[name].offset
