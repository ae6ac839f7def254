"""What modules take on FPGAs: cells by Yosys, and the frequency of the clock by nextpnr."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loadstone.errors import Diagnostic, InputError
from loadstone.rtl.module import Module
from loadstone.rtl.programs import nextpnr, yosys
from loadstone.rtl.programs.cache import kept
from loadstone.rtl.programs.command import write_files
from loadstone.rtl.verilog import verilog_files


@dataclass(frozen=True, slots=True)
class Resources:
    """What a module takes on a device, and the highest frequency of its clock; None where it is not known.

    LUT, FF, BRAM and DSP are look-up tables, registers, block memories and multipliers, counted as `docs/synthesis.md`
    says.
    """

    device: str
    lut: int
    ff: int
    bram: int
    dsp: int
    fmax_mhz: float | None


@dataclass(frozen=True, slots=True)
class _Family:
    """What the cells of a family count for: a number for each of their types."""

    lut: Mapping[str, int]
    ff: Mapping[str, int]
    bram: Mapping[str, int]
    dsp: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Device:
    """A device: its family, the command of Yosys for it, and its size for nextpnr, if that knows it."""

    family: _Family
    command: str
    size: str | None = None


@dataclass(frozen=True, slots=True)
class _Result:
    """What is kept of a synthesis."""

    cells: dict[str, int]
    frequency: float | None


def _each(*names: str, count: int = 1) -> dict[str, int]:
    return dict.fromkeys(names, count)


_ECP5 = _Family(
    lut={"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
    ff=_each("TRELLIS_FF"),
    bram=_each("DP16KD", "PDPW16KD"),
    dsp=_each("MULT18X18D"),
)
_XILINX = _Family(
    lut={
        **_each("INV", "LUT1", "LUT2", "LUT3", "LUT4", "LUT5", "LUT6", "SRL16E", "SRLC32E", "RAM32X1S", "RAM64X1S"),
        **_each("RAM32X1D", "RAM64X1D", "RAM128X1S", count=2),
        **_each("RAM32M", "RAM64M", "RAM128X1D", "RAM256X1S", count=4),
        **_each("RAM32M16", "RAM64M8", "RAM64X8SW", "RAM32X16DR8", "RAM256X1D", "RAM512X1S", count=8),
    },
    ff=_each(*(f"FD{kind}E{edge}" for kind in "RSCP" for edge in ("", "_1"))),
    bram={"RAMB18E1": 1, "RAMB18E2": 1, "RAMB36E1": 2, "RAMB36E2": 2},
    dsp=_each("DSP48E1", "DSP48E2"),
)
_CYCLONE = _Family(
    lut=_each("MISTRAL_NOT", "MISTRAL_ALUT_ARITH", "MISTRAL_MLAB", *(f"MISTRAL_ALUT{k}" for k in range(2, 7))),
    ff=_each("MISTRAL_FF"),
    bram=_each("MISTRAL_M10K"),
    dsp=_each("MISTRAL_MUL9X9", "MISTRAL_MUL18X18", "MISTRAL_MUL27X27"),
)
_DEVICES = {
    "ecp5-25k": _Device(_ECP5, "synth_ecp5", "25k"),
    "ecp5-85k": _Device(_ECP5, "synth_ecp5", "85k"),
    "xc7": _Device(_XILINX, "synth_xilinx -family xc7 -noiopad -noclkbuf"),
    "xcup": _Device(_XILINX, "synth_xilinx -family xcup -noiopad -noclkbuf"),
    "cyclonev": _Device(_CYCLONE, "synth_intel_alm -family cyclonev -noiopad -noclkbuf"),
}
DEVICES = tuple(_DEVICES)
"""The names of the devices."""

_NETLIST, _RESULT = "netlist.json", "result.json"


def synthesize(module: Module, device: str, *, clock: bool = True) -> Resources:
    """What a module takes on a device, all modules in it together.

    The clock is that of the module with a register before each input and behind each output, which are not counted; it
    is known for ECP5, and left out without `clock`. Results are kept in the user's cache folder.
    """
    found = _device(device)
    result = _synthesized(module, found, found.size if clock else None)

    def total(weights: Mapping[str, int]) -> int:
        return sum(weights.get(name, 0) * count for name, count in result.cells.items())

    family = found.family
    return Resources(
        device, total(family.lut), total(family.ff), total(family.bram), total(family.dsp), result.frequency
    )


def cells(module: Module, device: str | None = None) -> dict[str, int]:
    """How many cells of each type a module has on a device; without one, its operators as Yosys reads them (`$mul`)."""
    if device is not None:
        return _synthesized(module, _device(device), None).cells
    script = (*_opening(module), "proc", "flatten", "opt", "memory_collect", yosys.COUNT)
    return _kept(module, module.name, script, None).cells


def between_registers(module: Module) -> Module:
    """A module with a register before each input of another, and behind each of its outputs."""
    m = Module(f"{module.name}_between_registers", f"Registers at all ports of {module.name}.")
    ports = {port.name: m.input(port.name, port.bits) for port in module.of_kind("input")}
    with m.clocked():
        inputs = {name: m.stored(m.fresh(f"{name}_before"), port) for name, port in ports.items()}
    inner = m.instance(m.fresh("inner"), module, inputs)
    outputs = [port.name for port in module.of_kind("output")]
    with m.clocked():
        results = {name: m.stored(m.fresh(f"{name}_after"), inner[name]) for name in outputs}
    for name, value in results.items():
        m.output(name, value)
    return m


def _device(name: str) -> _Device:
    if name not in _DEVICES:
        raise InputError(Diagnostic(f"there is no device '{name}'", hint=f"devices are {', '.join(DEVICES)}"))
    return _DEVICES[name]


def _synthesized(module: Module, device: _Device, size: str | None) -> _Result:
    """The cells of a module on a device, and the frequency of its clock on an ECP5 of a size."""
    outer = between_registers(module)
    script = (
        *_opening(outer),
        f"setattr -mod -set keep_hierarchy 1 {module.name}",
        "flatten",
        f"{device.command} -top {outer.name}",
        yosys.COUNT,
        f"setattr -mod -unset keep_hierarchy {module.name}",
        "flatten",
        f"write_json {_NETLIST}",
    )
    return _kept(outer, module.name, script, size)


def _opening(top: Module) -> tuple[str, ...]:
    return (*(f"read_verilog -sv {file}" for file in verilog_files(top)), f"hierarchy -top {top.name}")


def _kept(top: Module, counted: str, script: tuple[str, ...], size: str | None) -> _Result:
    """What a script gives for the counted module below a top, from the cache folder if it is there."""
    files = verilog_files(top)
    programs = [yosys.version(), *([nextpnr.version(), *nextpnr.SETTINGS, size] if size else [])]

    def build(folder: Path) -> Path:
        write_files(folder, files)
        cells = yosys.run(counted, script, folder)[counted]
        frequency = nextpnr.clock_frequency(_NETLIST, size, folder) if size else None
        (folder / _RESULT).write_text(json.dumps({"cells": cells, "frequency": frequency}))
        return folder / _RESULT

    result = kept(_RESULT, [*programs, *script, *(part for item in files.items() for part in item)], build)
    return _Result(**json.loads(result.read_text()))
