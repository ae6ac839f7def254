"""Accelerators as components of Platform Designer: a file `KERNEL_hw.tcl` [Quartus Prime User Guide, 4]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loadstone.emit.hdl.accelerator import AcceleratorFolder
from loadstone.flows.interfaces import Interface, Kind, interfaces_of
from loadstone.version import VERSION

_KINDS: Mapping[Kind, tuple[str, str]] = {
    "clock": ("clock", "end"),
    "reset": ("reset", "end"),
    "axi": ("axi4", "start"),
    "registers of axi": ("axi4lite", "end"),
    "avalon": ("avalon", "start"),
    "registers of avalon": ("avalon", "end"),
    "interrupt": ("interrupt", "end"),
}
"""The kind of an interface, and its end of a connection."""
_FILES = {"verilog": "SYSTEM_VERILOG", "vhdl": "VHDL"}
_FILESETS = {"verilog": "SIM_VERILOG", "vhdl": "SIM_VHDL"}
_POSTED_WRITES = 64
"""Responses to writes that may be outstanding where none were bounded."""


def emit_platform_designer(folder: AcceleratorFolder) -> str:
    """The description of an accelerator for Platform Designer, which lies beside the sources."""
    parts = (_module(folder), _filesets(folder), *(_interface(folder, each) for each in interfaces_of(folder)))
    return "package require -exact qsys 16.1\n\n" + "\n".join("".join(f"{line}\n" for line in part) for part in parts)


def _module(folder: AcceleratorFolder) -> Iterator[str]:
    kernel = folder.design.kernel.name
    properties = {
        "NAME": folder.name,
        "VERSION": "1.0",
        "DISPLAY_NAME": f"{{{folder.name} accelerator}}",
        "DESCRIPTION": f"{{{kernel}, an accelerator by Loadstone {VERSION}}}",
        "GROUP": "Accelerators",
        "AUTHOR": "Loadstone",
        "EDITABLE": "false",
        "INSTANTIATE_IN_SYSTEM_MODULE": "true",
    }
    for name, value in properties.items():
        yield f"set_module_property {name} {value}"
    for name in folder.design.parameters:
        macro = f"{folder.name.upper()}_{folder.registers.of('parameter', name).name}_GREATEST"
        yield f"set_module_assignment embeddedsw.CMacro.{macro} {folder.design.limits[name][1]}"


def _filesets(folder: AcceleratorFolder) -> Iterator[str]:
    for fileset in ("QUARTUS_SYNTH", _FILESETS[folder.language]):
        yield f'add_fileset {fileset} {fileset} "" ""'
        yield f"set_fileset_property {fileset} TOP_LEVEL {folder.top.name}"
        for path in folder.sources:
            last = " TOP_LEVEL_FILE" if path == folder.sources[-1] and fileset == "QUARTUS_SYNTH" else ""
            yield f"add_fileset_file {path} {_FILES[folder.language]} PATH {path}{last}"


def _interface(folder: AcceleratorFolder, interface: Interface) -> Iterator[str]:
    kind, end = _KINDS[interface.kind]
    yield f"add_interface {interface.name} {kind} {end}"
    for name, value in _properties(folder, interface):
        yield f"set_interface_property {interface.name} {name} {value}"
    for signal, port in interface.ports.items():
        direction = port.direction.capitalize()
        role = _role(folder, interface, signal)
        yield f"add_interface_port {interface.name} {port.name} {role} {direction} {port.type.width}"


def _role(folder: AcceleratorFolder, interface: Interface, signal: str) -> str:
    if interface.kind == "reset":
        return "reset_n" if folder.top.clocking.low else "reset"
    return signal


def _properties(folder: AcceleratorFolder, interface: Interface) -> Iterator[tuple[str, object]]:
    bus, clocking = folder.design.bus, folder.top.clocking
    if interface.kind != "clock":
        yield "associatedClock", clocking.clock
    if interface.kind not in ("clock", "reset"):
        yield "associatedReset", clocking.reset
    reads, writes = bus.buffered_bursts, bus.outstanding or _POSTED_WRITES
    match interface.kind:
        case "clock":
            yield "clockRate", 0
        case "reset":
            yield "synchronousEdges", "BOTH"
        case "axi":
            yield "readIssuingCapability", reads
            yield "writeIssuingCapability", writes
            yield "combinedIssuingCapability", reads + writes
        case "registers of axi":
            yield "readAcceptanceCapability", 1
            yield "writeAcceptanceCapability", 1
            yield "combinedAcceptanceCapability", 1
        case "avalon":
            yield "addressUnits", "SYMBOLS"
            yield "burstcountUnits", "WORDS"
            yield "maximumPendingReadTransactions", reads if "read" in interface.ports else 0
            yield "maximumPendingWriteTransactions", writes if "write" in interface.ports else 0
        case "registers of avalon":
            yield "addressUnits", "WORDS"
            yield "maximumPendingReadTransactions", 1
        case "interrupt":
            yield "associatedAddressablePoint", _registers(folder)


def _registers(folder: AcceleratorFolder) -> str:
    """The interface through which an interrupt is served."""
    return next(each.name for each in interfaces_of(folder) if each.kind.startswith("registers"))
