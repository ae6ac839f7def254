"""The top module of an accelerator as those expect it who integrate it: all signals of its buses, and their names.

Clock and reset are called as is usual on the bus. Attributes tell Vivado which ports form an interface.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType

from loadstone.bus.axi import AXI_IGNORED, axi_constants
from loadstone.bus.lite import LITE_IGNORED, PREFIXES
from loadstone.bus.masters import AXI
from loadstone.bus.ports import Protocol
from loadstone.hardware.accelerator.registers import make_controlled
from loadstone.hardware.design import AcceleratorDesign
from loadstone.options import Reset
from loadstone.rtl.module import hierarchy
from loadstone.rtl.names import fresh
from loadstone.rtl.shell import Attributes, Clocking, Shell
from loadstone.rtl.types import Bits

CLOCKS: MappingProxyType[Protocol, str] = MappingProxyType({"axi": "aclk", "avalon": "clk"})
RESETS: MappingProxyType[Protocol, dict[Reset, str]] = MappingProxyType(
    {"axi": {"low": "aresetn", "high": "areset"}, "avalon": {"low": "reset_n", "high": "reset"}}
)
USUAL: MappingProxyType[Protocol, Reset] = MappingProxyType({"axi": "low", "avalon": "high"})
"""The level at which a reset is active on a bus, unless it is chosen."""

_INFO, _PARAMETER = "X_INTERFACE_INFO", "X_INTERFACE_PARAMETER"


def clocking_of(protocol: Protocol, reset: Reset | None = None) -> Clocking:
    """Clock and reset by the convention of a bus.

    >>> clocking_of("axi")
    Clocking(clock='aclk', reset='aresetn', low=True)
    """
    level = reset or USUAL[protocol]
    return Clocking(CLOCKS[protocol], RESETS[protocol][level], level == "low")


def ignored_ports(protocol: Protocol, control: Protocol) -> dict[str, Bits]:
    """The inputs of a top module that have no effect, for a bus and the slave for registers."""
    of_bus = {AXI + name: type for name, type in AXI_IGNORED.items()} if protocol == "axi" else {}
    of_slave = {PREFIXES["axi"] + name: type for name, type in LITE_IGNORED.items()} if control == "axi" else {}
    return {**of_bus, **of_slave}


def make_top(design: AcceleratorDesign, control: Protocol = "axi", reset: Reset | None = None) -> Shell:
    """An accelerator behind registers, with all signals of its buses."""
    inner, protocol = make_controlled(design, control), design.bus.protocol
    name = fresh(f"{design.module.name}_top", {module.name.lower() for module in hierarchy(inner)})
    known = axi_constants().items() if protocol == "axi" else ()
    constants = {AXI + port: constant for port, constant in known}
    ignored, clocking = ignored_ports(protocol, control), clocking_of(protocol, reset)
    ports = (*(port.name for port in inner.of_kind("input", "output")), *ignored, *constants)
    return Shell(name, inner, clocking, constants, ignored, _attributes(clocking, ports))


def _attributes(clocking: Clocking, ports: Iterable[str]) -> Attributes:
    """What Vivado is told of ports: interfaces of AXI, clock, reset, and interrupt."""
    found = dict(_buses(ports))
    if not found:
        return {}
    names = ":".join(prefix.rstrip("_") for prefix in _PREFIXES if any(port.startswith(prefix) for port in found))
    clock, reset = clocking.clock, clocking.reset
    own = {
        clock: {
            _INFO: f"xilinx.com:signal:clock:1.0 {clock} CLK",
            _PARAMETER: f"ASSOCIATED_BUSIF {names}, ASSOCIATED_RESET {reset}",
        },
        reset: {
            _INFO: f"xilinx.com:signal:reset:1.0 {reset} RST",
            _PARAMETER: f"POLARITY ACTIVE_{'LOW' if clocking.low else 'HIGH'}",
        },
        "irq": {_INFO: "xilinx.com:signal:interrupt:1.0 irq INTERRUPT", _PARAMETER: "SENSITIVITY LEVEL_HIGH"},
    }
    return {**own, **found}


_PREFIXES = (AXI, PREFIXES["axi"])


def _buses(ports: Iterable[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The ports of AXI, with the interface and the signal of it that each is."""
    for port in ports:
        for prefix in _PREFIXES:
            if port.startswith(prefix):
                signal = port.removeprefix(prefix).upper()
                yield port, {_INFO: f"xilinx.com:interface:aximm:1.0 {prefix.rstrip('_')} {signal}"}
