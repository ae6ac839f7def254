"""`loadstone synth`: area and clock frequency of a kernel's hardware, by open tools."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from loadstone.circuits import CircuitCompilation
from loadstone.cli.shared.compilations import compiled_as
from loadstone.cli.shared.console import console, shown, table
from loadstone.cli.shared.parser import check_modes
from loadstone.options import Mode
from loadstone.rtl.programs.synthesis import Resources, synthesize

MODES: dict[Mode, str] = {"on-chip": "hardware on chip, without --bus", "accelerator": "--bus"}


def run(arguments: argparse.Namespace) -> int:
    """Synthesize the accelerator behind its registers, or the kernel with its arrays on chip; show what it takes."""
    on_bus = arguments.bus is not None
    check_modes(arguments, ["accelerator" if on_bus else "on-chip"], MODES)
    compilation = compiled_as(CircuitCompilation, arguments)
    module = compilation.controlled if on_bus else compilation.on_chip.module
    with console().status(f"synthesis for {arguments.device}"):
        found = synthesize(module, arguments.device)
    name = compilation.kernel.name
    return shown(arguments, lambda: {"kernel": name, **asdict(found)}, lambda: _show(name, found))


def _show(name: str, found: Resources) -> None:
    frequency = "not known" if found.fmax_mhz is None else f"{found.fmax_mhz:.1f}"
    cells = {"LUT": found.lut, "FF": found.ff, "BRAM": found.bram, "DSP": found.dsp}
    print(f"{name} on {found.device}")
    console().print(table([f">{each}" for each in (*cells, "MHz")], [[*map(str, cells.values()), frequency]]))
