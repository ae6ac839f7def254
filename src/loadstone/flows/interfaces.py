"""The interfaces of an accelerator: ports of its top module by the signals of clock, reset, buses and interrupt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from loadstone.bus.lite import PREFIXES
from loadstone.bus.masters import AVALON_READ, AVALON_WRITE, AXI
from loadstone.emit.hdl.accelerator import AcceleratorFolder
from loadstone.rtl.expressions import Signal
from loadstone.rtl.types import Bits, bit

Kind = Literal["clock", "reset", "axi", "registers of axi", "avalon", "registers of avalon", "interrupt"]
IRQ = "irq"
CONTROL = "S_AXI_CONTROL"
"""The registers on AXI4-Lite, under the name that XRT wants [UG1700, Packaging the RTL Code as a Vitis XO]."""


@dataclass(frozen=True, slots=True)
class Port:
    """A port of a top module."""

    name: str
    direction: Literal["input", "output"]
    type: Bits


@dataclass(frozen=True, slots=True)
class Interface:
    """Ports that belong together, by the names of signals in its standard, in lower case."""

    name: str
    kind: Kind
    ports: Mapping[str, Port]


def ports_of(folder: AcceleratorFolder) -> tuple[Port, ...]:
    """All ports of the top module; clock and reset come first."""
    clocking = folder.top.clocking
    first = (Port(name, "input", bit) for name in (clocking.clock, clocking.reset))
    return (*first, *(_port(signal) for signal in folder.top.of_kind("input", "output")))


def _port(signal: Signal) -> Port:
    return Port(signal.name, "input" if signal.kind == "input" else "output", signal.bits)


def interfaces_of(folder: AcceleratorFolder) -> tuple[Interface, ...]:
    """The interfaces of an accelerator: together they have all of its ports."""
    return tuple(_interfaces(folder))


def _interfaces(folder: AcceleratorFolder) -> Iterator[Interface]:
    ports = {port.name: port for port in ports_of(folder)}
    clocking = folder.top.clocking
    yield Interface(clocking.clock, "clock", {"clk": ports[clocking.clock]})
    yield Interface(clocking.reset, "reset", {"rst": ports[clocking.reset]})
    if folder.control == "axi":
        yield Interface(CONTROL, "registers of axi", _starting(ports, PREFIXES["axi"]))
    else:
        yield Interface("registers", "registers of avalon", _starting(ports, PREFIXES["avalon"]))
    if folder.design.bus.protocol == "axi":
        yield Interface("axi", "axi", _starting(ports, AXI))
    else:
        yield Interface("avalon_read", "avalon", _starting(ports, AVALON_READ))
        yield Interface("avalon_write", "avalon", _starting(ports, AVALON_WRITE))
    yield Interface(IRQ, "interrupt", {"irq": ports[IRQ]})


def _starting(ports: Mapping[str, Port], prefix: str) -> dict[str, Port]:
    return {name.removeprefix(prefix): port for name, port in ports.items() if name.startswith(prefix)}
