"""`loadstone synth`: area and clock frequency of a kernel's hardware, by open tools."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from loadstone.cli.circuits import check_external, external_design, hardware_choices
from loadstone.cli.console import console, table
from loadstone.cli.kernels import accelerator_of, parameter_values, read_kernel
from loadstone.model.kernel import Kernel
from loadstone.rtl.module import Module
from loadstone.rtl.synthesis import Resources, synthesize
from loadstone.targets import make_hardware


def run(arguments: argparse.Namespace) -> int:
    """Synthesize the whole accelerator, or the kernel with its arrays on the chip, and show what it takes."""
    kernel = read_kernel(arguments)
    module = _module(arguments, kernel)
    with console().status(f"synthesis for {arguments.device}"):
        found = synthesize(module, arguments.device)
    if arguments.json:
        print(json.dumps({"kernel": kernel.name, **asdict(found)}))
    else:
        _show(kernel.name, found)
    return 0


def _module(arguments: argparse.Namespace, kernel: Kernel) -> Module:
    """The hardware that the options ask for."""
    values = parameter_values(arguments, kernel)
    if arguments.bus is not None:
        return external_design(arguments, accelerator_of(arguments, kernel, values, for_hardware=True), values).module
    check_external(arguments)
    return make_hardware(kernel, values, *hardware_choices(arguments)).module


def _show(name: str, found: Resources) -> None:
    frequency = "not known" if found.fmax_mhz is None else f"{found.fmax_mhz:.1f}"
    cells = {"LUT": found.lut, "FF": found.ff, "BRAM": found.bram, "DSP": found.dsp}
    print(f"{name} on {found.device}")
    console().print(table([f">{each}" for each in (*cells, "MHz")], [[*map(str, cells.values()), frequency]]))
