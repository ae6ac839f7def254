"""Hardware that the command line names."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from loadstone.bus.ports import PAGE_BYTES, Bus
from loadstone.cli.kernels import accelerator_of, complete_network
from loadstone.dram.litedram import BUS
from loadstone.dram.timing import preset
from loadstone.errors import Diagnostic, InputError
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.timing import Memories
from loadstone.hardware.design import AcceleratorDesign, bus_for, element_bytes
from loadstone.loops.accelerator import Accelerator
from loadstone.model.kernel import Kernel
from loadstone.report.activity_picture import activity_lines
from loadstone.simulate.hardware.on_chip import Simulator
from loadstone.simulate.hardware.system import ExternalMemory
from loadstone.systems import make_external_hardware, predict_system, run_network_system, run_system
from loadstone.targets import make_hardware, run_hardware


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
    simulator = arguments.simulator or "verilator"
    if arguments.target != "verilog" or simulator not in ("verilator", "transactions"):
        hint = "use --target verilog and --simulator verilator or transactions with --memory"
        raise InputError(Diagnostic("external memories are simulated in Verilator, or predicted", None, hint))
    if arguments.network:
        return _run_network(arguments, kernel, parameters, simulator)
    memories, operations = hardware_choices(arguments)
    accelerator = accelerator_of(arguments, kernel, parameters, for_hardware=True)
    if simulator == "transactions":
        return _with_timeline(arguments, _predicted(arguments, accelerator, parameters))
    result = run_system(
        accelerator,
        parameters,
        _memory(arguments),
        memories=memories,
        operations=operations,
        bus=_bus(arguments, element_bytes(accelerator)),
        seed=arguments.seed,
        vcd=Path(arguments.vcd) if arguments.vcd else None,
        unroll=arguments.unroll,
        baseline=not arguments.no_baseline,
    )
    return _with_timeline(arguments, result)


def _run_network(
    arguments: argparse.Namespace, kernel: Kernel, parameters: dict[str, int], simulator: str
) -> dict[str, Any]:
    """The outcome of a process network with external memory."""
    for option, is_asked in (
        ("--unroll", arguments.unroll > 1),
        ("--timeline", arguments.timeline),
        ("--simulator transactions", simulator == "transactions"),
    ):
        if is_asked:
            raise InputError(Diagnostic(f"{option} is not for process networks"))
    sizes = {array.name: array.type.storage.bits // 8 for array in kernel.arrays.values() if array.rank}
    return run_network_system(
        complete_network(arguments, kernel),
        parameters,
        _memory(arguments),
        operations=hardware_choices(arguments)[1],
        bus=_bus(arguments, sizes),
        seed=arguments.seed,
        vcd=Path(arguments.vcd) if arguments.vcd else None,
    )


def _predicted(arguments: argparse.Namespace, accelerator: Accelerator, parameters: dict[str, int]) -> dict[str, Any]:
    """What the model at the level of bursts says."""
    timing = _memory(arguments)
    if isinstance(timing, str):
        raise InputError(Diagnostic("LiteDRAM is no model", None, "use ddr3-1600, which was calibrated against it"))
    memories, operations = hardware_choices(arguments)
    return predict_system(
        accelerator,
        parameters,
        timing,
        memories=memories,
        operations=operations,
        bus=_bus(arguments, element_bytes(accelerator)),
        unroll=arguments.unroll,
    )


def _with_timeline(arguments: argparse.Namespace, result: dict[str, Any]) -> dict[str, Any]:
    """The outcome with what the processes did when: for programs, or drawn; without it unless it is asked for."""
    activities = result.pop("activities")
    if not arguments.timeline:
        return result
    if arguments.json:
        return {**result, "timeline": [asdict(activity) for activity in activities]}
    return {**result, "drawn": activity_lines(activities, get_terminal_size().columns - 2)}


def external_design(
    arguments: argparse.Namespace, accelerator: Accelerator, parameters: dict[str, int]
) -> AcceleratorDesign:
    """The whole accelerator on the bus that the options of `options.external` ask for."""
    memories, operations = hardware_choices(arguments)
    bus = _bus(arguments, element_bytes(accelerator))
    return make_external_hardware(accelerator, parameters, bus, memories, operations, unroll=arguments.unroll)


def check_external(arguments: argparse.Namespace) -> None:
    """Refuses options that only whole accelerators have."""
    if arguments.bus_width or arguments.burst or arguments.unroll > 1:
        asked = "--bus-width" if arguments.bus_width else "--burst" if arguments.burst else "--unroll"
        hint = "add --bus axi or --bus avalon"
        raise InputError(Diagnostic(f"{asked} is for accelerators with external memory", None, hint))


def _memory(arguments: argparse.Namespace) -> ExternalMemory:
    """The external memory that is asked for."""
    if arguments.memory != "litedram":
        return preset(arguments.memory)
    if arguments.bus == "avalon" or arguments.bus_width or arguments.burst:
        raise InputError(Diagnostic(f"LiteDRAM has a bus of its own: axi, {BUS.data_width} bits"))
    return "litedram"


def _bus(arguments: argparse.Namespace, sizes: Mapping[str, int]) -> Bus:
    """The bus of the options; by default as wide as the widest elements, whose bytes are given."""
    least = bus_for(sizes)
    width, burst = arguments.bus_width or least.data_width, arguments.burst or least.burst
    if burst * width // 8 > PAGE_BYTES:
        raise InputError(Diagnostic(f"a burst of {burst} beats of {width} bits is longer than {PAGE_BYTES} bytes"))
    return replace(least, protocol=arguments.bus or "axi", data_width=width, burst=burst)


def _simulator(arguments: argparse.Namespace) -> Simulator:
    """The simulator that is asked for, or the usual one of the target."""
    asked, target = arguments.simulator, arguments.target
    if asked == "transactions":
        hint = "name one with --memory"
        raise InputError(Diagnostic("only runs with an external memory are predicted", None, hint))
    if asked is not None and (asked == "ghdl") != (target == "vhdl"):
        hint = "verilator and icarus simulate verilog, ghdl simulates vhdl"
        raise InputError(Diagnostic(f"{asked} does not simulate {target}", None, hint))
    return asked or ("ghdl" if target == "vhdl" else "verilator")
