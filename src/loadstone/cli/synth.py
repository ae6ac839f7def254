"""`loadstone synth`: area and clock frequency of a kernel's hardware, by open tools."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from loadstone.cli.circuits import hardware_choices
from loadstone.cli.console import console, table
from loadstone.cli.kernels import parameter_values, read_kernel
from loadstone.rtl.synthesis import Resources, synthesize
from loadstone.targets import make_hardware


def run(arguments: argparse.Namespace) -> int:
    """Synthesize the kernel with its arrays on the chip, and show what it takes."""
    kernel = read_kernel(arguments)
    design = make_hardware(kernel, parameter_values(arguments, kernel), *hardware_choices(arguments))
    with console().status(f"synthesis for {arguments.device}"):
        found = synthesize(design.module, arguments.device)
    if arguments.json:
        print(json.dumps({"kernel": kernel.name, **asdict(found)}))
    else:
        _show(kernel.name, found)
    return 0


def _show(name: str, found: Resources) -> None:
    frequency = "not known" if found.fmax_mhz is None else f"{found.fmax_mhz:.1f}"
    cells = {"LUT": found.lut, "FF": found.ff, "BRAM": found.bram, "DSP": found.dsp}
    print(f"{name} on {found.device}")
    console().print(table([f">{each}" for each in (*cells, "MHz")], [[*map(str, cells.values()), frequency]]))
