"""Generated hardware as files, with testbenches that expect what the original program leaves in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.emit.hdl.accelerator import accelerator_project
from loadstone.emit.hdl.on_chip import hardware_project
from loadstone.emit.hdl.vectors import Vectors
from loadstone.emit.project import Project
from loadstone.errors import refused
from loadstone.exercise import exercised
from loadstone.flows.packages import Packaging
from loadstone.hardware.datapath.functions import hardware_functions
from loadstone.hardware.layout import ArrayLayouts, memory_words
from loadstone.model.kernel import Kernel
from loadstone.options import Flow, IntegrationOptions
from loadstone.simulate.memory import Memory, live_out_arrays
from loadstone.trials import trial

FUNCTIONS = "functions.c"
"""The file with functions of the C library as hardware computes them."""


def build_on_chip(
    compilation: CircuitCompilation,
    targets: Sequence[str],
    integration: IntegrationOptions | None = None,
    command: str = "",
) -> Project:
    """The kernel with its arrays on the chip."""
    ready = exercised(compilation)
    kernel, values, design = ready.kernel, ready.values, ready.on_chip
    ended, start = _compared(kernel, values)
    layouts, arrays = design.compute.stores, tuple(design.compute.kernel.arrays)
    given, expected = _words(layouts, start, arrays), _words(layouts, ended, live_out_arrays(kernel))
    vectors = Vectors(values, given, expected)
    made = hardware_project(design, targets, vectors, integration or IntegrationOptions(), command)
    return _with_functions(made, kernel)


def build_accelerator(
    compilation: CircuitCompilation,
    targets: Sequence[str],
    integration: IntegrationOptions | None = None,
    command: str = "",
    flows: Sequence[Flow] = (),
) -> Project:
    """The accelerator on its bus, behind registers, packaged for flows of others."""
    ready = exercised(compilation, lambda: compilation.tiles)
    kernel, values, design = ready.tiles.kernel, ready.values, ready.design
    ended, start = _compared(kernel, values)
    given = _words(design.external, start, tuple(kernel.arrays))
    vectors = Vectors(values, given, _words(design.external, ended, live_out_arrays(kernel)))
    memory, protocol, chosen = preset("paper"), design.bus.protocol, integration or IntegrationOptions()
    packaging = Packaging(ready.accelerator, values, flows)
    made = accelerator_project(
        ready.accelerator, design, targets, vectors, memory, protocol, chosen, command, packaging
    )
    return _with_functions(made, kernel)


def _with_functions(project: Project, kernel: Kernel) -> Project:
    """The project with the approximate functions that hardware computes, in C."""
    functions = hardware_functions(kernel)
    return Project({**project.files, FUNCTIONS: functions}) if functions else project


def _compared(kernel: Kernel, values: Mapping[str, int]) -> tuple[Memory, Memory]:
    """Memory after and before a run of the original; refused where a testbench would have nothing to compare."""
    ended, start = trial(kernel, values, functions=hardware_functions(kernel))
    if not any(ended[name].cells for name in live_out_arrays(kernel)):
        shown = ", ".join(f"{name}={value}" for name, value in values.items()) or "no parameters"
        hint = "give larger parameters with -p" if values else "write to an array that is visible outside"
        raise refused(f"a testbench with {shown} would compare nothing: no word is live-out", None, hint)
    return ended, start


def _words(layouts: ArrayLayouts, memory: Memory, arrays: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """The words of the memories of some arrays."""
    return {name: memory_words(layouts[name], memory[name].extents, memory[name].cells) for name in arrays}
