"""The ports of a module that reads and writes over a bus: one side for both with AXI, one for each with Avalon."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import assert_never

from loadstone.bus.avalon import avalon_read_ports, avalon_write_ports, make_read_bridge, make_write_bridge
from loadstone.bus.axi import axi_channels, axi_ports
from loadstone.bus.ports import Bus, BusPort, attach, declare_wires, prefixed
from loadstone.rtl import Module, Signal

AXI, AVALON_READ, AVALON_WRITE = "axi_", "avalon_read_", "avalon_write_"


def master_ports(bus: Bus) -> tuple[BusPort, ...]:
    """The signals of a bus at a module that reads and writes: `axi_...`; `avalon_read_...` and `avalon_write_...`."""
    match bus.protocol:
        case "axi":
            return _renamed(axi_ports(axi_channels(bus)), AXI)
        case "avalon":
            return _renamed(avalon_read_ports(bus), AVALON_READ) + _renamed(avalon_write_ports(bus), AVALON_WRITE)
        case _:
            assert_never(bus.protocol)


def reading_side(bus: Bus, signals: Mapping[str, Signal]) -> dict[str, Signal]:
    """The signals that a reading master meets, by its own names."""
    return _with_prefix(signals, AXI if bus.protocol == "axi" else AVALON_READ)


def writing_side(bus: Bus, signals: Mapping[str, Signal]) -> dict[str, Signal]:
    """The signals that a writing master meets, by its own names."""
    return _with_prefix(signals, AXI if bus.protocol == "axi" else AVALON_WRITE)


def as_axi(m: Module, bus: Bus, signals: Mapping[str, Signal]) -> dict[str, Signal]:
    """The signals of an AXI bus that the master with these signals uses, by bridges if it is not one of AXI."""
    if bus.protocol == "axi":
        return _with_prefix(signals, AXI)
    wires = declare_wires(m, axi_ports(axi_channels(bus)), "bridged_")
    for name, bridge in (("read", make_read_bridge(bus)), ("write", make_write_bridge(bus))):
        side = prefixed(_with_prefix(signals, f"avalon_{name}_"), "avalon_")
        attach(m, f"{name}_bridge", bridge, {**wires, **side}, {})
    return wires


def _renamed(ports: Iterable[BusPort], prefix: str) -> tuple[BusPort, ...]:
    return tuple(replace(port, name=prefix + port.name) for port in ports)


def _with_prefix(signals: Mapping[str, Signal], prefix: str) -> dict[str, Signal]:
    return {name.removeprefix(prefix): signal for name, signal in signals.items() if name.startswith(prefix)}
