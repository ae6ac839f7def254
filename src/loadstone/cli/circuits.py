"""Hardware that the command line names."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from loadstone.cli.kernels import accelerator_of
from loadstone.dram.timing import preset
from loadstone.errors import Diagnostic, InputError
from loadstone.hardware.operations import Operations
from loadstone.hardware.timing import Memories
from loadstone.model.kernel import Kernel
from loadstone.simulate.hardware import Simulator
from loadstone.targets import make_hardware, run_hardware, run_system


def hardware_choices(arguments: argparse.Namespace) -> tuple[Memories, Operations]:
    """How memories and operators are made, of the options that `options.hardware` defines."""
    memories = Memories(arguments.memory_latency, arguments.read_ports)
    return memories, Operations(subnormals=not arguments.flush_subnormals)


def run_circuit(arguments: argparse.Namespace, kernel: Kernel, parameters: dict[str, int]) -> dict[str, Any]:
    """The outcome of hardware that the options of `run` ask for."""
    if arguments.memory is not None:
        return _run_system(arguments, kernel, parameters)
    design = make_hardware(kernel, parameters, *hardware_choices(arguments))
    return run_hardware(
        design,
        parameters,
        target=arguments.target,
        simulator=_simulator(arguments),
        seed=arguments.seed,
        vcd=Path(arguments.vcd) if arguments.vcd else None,
    )


def _run_system(arguments: argparse.Namespace, kernel: Kernel, parameters: dict[str, int]) -> dict[str, Any]:
    """The outcome of an accelerator with external memory."""
    if arguments.target != "verilog" or _simulator(arguments) != "verilator":
        hint = "use --target verilog and Verilator with --memory"
        raise InputError(Diagnostic("external memories are simulated in Verilator", None, hint))
    memories, operations = hardware_choices(arguments)
    return run_system(
        accelerator_of(arguments, kernel, parameters),
        parameters,
        preset(arguments.memory),
        memories=memories,
        operations=operations,
        seed=arguments.seed,
        vcd=Path(arguments.vcd) if arguments.vcd else None,
    )


def _simulator(arguments: argparse.Namespace) -> Simulator:
    """The simulator that is asked for, or the usual one of the target."""
    asked, target = arguments.simulator, arguments.target
    if asked is not None and (asked == "ghdl") != (target == "vhdl"):
        hint = "verilator and icarus simulate verilog, ghdl simulates vhdl"
        raise InputError(Diagnostic(f"{asked} does not simulate {target}", None, hint))
    return asked or ("ghdl" if target == "vhdl" else "verilator")
