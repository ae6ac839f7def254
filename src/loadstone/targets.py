"""Generated files and hardware, top to bottom; apart from the rest of the compiler, which starts faster without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loadstone.dram.timing import preset
from loadstone.emit.c.hls import Flavour
from loadstone.emit.c.targets import build_project
from loadstone.emit.hdl.accelerator import accelerator_project
from loadstone.emit.hdl.description import statement_times
from loadstone.emit.hdl.on_chip import HARDWARE_TARGETS, hardware_project
from loadstone.emit.hdl.vectors import Vectors
from loadstone.emit.project import Project
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.timing import Memories
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.layout import Stores, memory_words
from loadstone.hardware.on_chip import Design, make_on_chip
from loadstone.loops.accelerator import Accelerator, make_accelerator
from loadstone.loops.ranges import parameter_limits
from loadstone.loops.transformed import program_loops
from loadstone.model.kernel import Kernel
from loadstone.pipeline import plan, trial
from loadstone.simulate.hardware.on_chip import HardwareRun, Simulator
from loadstone.simulate.memory import Memory, live_out_arrays, mismatches
from loadstone.storage.handover import Mode
from loadstone.storage.local_plan import DEFAULT_DEPTH
from loadstone.transfer.volumes import count
from loadstone.transform.program import program_of
from loadstone.transform.temporaries import without_temporaries
from loadstone.transform.tiling import Tiling


def build(
    kernel: Kernel,
    tiling: Tiling | None = None,
    *,
    target: str | Sequence[str] = "c",
    depth: int = DEFAULT_DEPTH,
    power_of_two: bool = False,
    strips: Mode = "overlap",
    parameters: Mapping[str, int] | None = None,
    flavour: Flavour = "vitis",
    memories: Memories | None = None,
    operations: Operations | None = None,
) -> Project:
    """The accelerator of a kernel as files, for one target or several: `c`, `hls`; or hardware: `verilog`, `vhdl`.

    With parameters, memories whose sizes depend on them are made large enough for these. Hardware has all arrays in
    memories on the chip, so it needs no tiling, but values for all parameters.
    """
    targets = (target,) if isinstance(target, str) else tuple(target)
    values = {**kernel.defaults, **(parameters or {})}
    programs = [each for each in targets if each not in HARDWARE_TARGETS]
    circuits = [each for each in targets if each in HARDWARE_TARGETS]
    files: dict[str, str] = {}
    if programs:
        made = plan(kernel, tiling, depth=depth, power_of_two=power_of_two, strips=strips)
        files.update(build_project(make_accelerator(made), programs, values, flavour=flavour).files)
    if circuits:
        files.update(build_hardware(kernel, circuits, values, memories, operations).files)
    return Project(files)


def build_hardware(
    kernel: Kernel,
    targets: Sequence[str],
    parameters: Mapping[str, int],
    memories: Memories | None = None,
    operations: Operations | None = None,
) -> Project:
    """The hardware of a kernel as files, with testbenches that expect what the original program leaves in memory."""
    ended, start = trial(kernel, parameters)
    design = make_hardware(kernel, parameters, memories, operations)
    given = _words(design.compute.stores, start, tuple(design.compute.kernel.arrays))
    return hardware_project(
        design, targets, Vectors(dict(parameters), given, _words(design.compute.stores, ended, live_out_arrays(kernel)))
    )


def _words(stores: Stores, memory: Memory, arrays: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """The words of the memories of some arrays."""
    return {name: memory_words(stores[name], memory[name].extents, memory[name].cells) for name in arrays}


def make_hardware(
    kernel: Kernel,
    parameters: Mapping[str, int],
    memories: Memories | None = None,
    operations: Operations | None = None,
) -> Design:
    """The hardware of a kernel with its arrays on the chip, for parameters up to the given ones.

    Values take the place of scalars that are set and used in one iteration.
    """
    simpler, limits = without_temporaries(kernel), parameter_limits(kernel, parameters)
    return make_on_chip(simpler, program_loops(program_of(simpler)), limits, memories, operations)


def build_accelerator(
    accelerator: Accelerator, design: AcceleratorDesign, targets: Sequence[str], parameters: Mapping[str, int]
) -> Project:
    """An accelerator behind registers as files, with testbenches that expect what the original program leaves."""
    kernel = accelerator.kernel
    ended, start = trial(kernel, parameters)
    given = _words(design.outside, start, tuple(kernel.arrays))
    vectors = Vectors(dict(parameters), given, _words(design.outside, ended, live_out_arrays(kernel)))
    return accelerator_project(accelerator, design, targets, vectors, preset("paper"), design.bus.protocol)


def run_hardware(
    design: Design,
    parameters: Mapping[str, int],
    *,
    target: str = "verilog",
    simulator: Simulator = "verilator",
    seed: int = 0,
    vcd: Path | None = None,
) -> dict[str, Any]:
    """The outcome of running the hardware of a kernel against the original program on the same data."""
    kernel = design.compute.kernel
    expected, actual = trial(kernel, parameters, seed)
    cycles = HardwareRun(design, parameters, actual).execute(simulator, vcd)
    outputs = live_out_arrays(kernel)
    wrong = len(mismatches(expected, actual, outputs))
    return {
        "target": target,
        "simulator": simulator,
        "kernel": kernel.name,
        "parameters": dict(parameters),
        "match": wrong == 0,
        "mismatches": wrong,
        "outputs": {name: len(expected[name].cells) for name in outputs},
        "cycles": cycles,
        "instances": sum(count(statement.domain, parameters) for statement in kernel.statements),
        "statements": statement_times(design),
    }
