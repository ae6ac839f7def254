"""Generated hardware as files, with testbenches that expect what the original program leaves in memory."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.emit.hdl.accelerator import accelerator_project
from loadstone.emit.hdl.on_chip import hardware_project
from loadstone.emit.hdl.vectors import Vectors
from loadstone.emit.project import Project
from loadstone.hardware.layout import ArrayLayouts, memory_words
from loadstone.simulate.memory import Memory, live_out_arrays
from loadstone.trials import trial


def build_on_chip(compilation: CircuitCompilation, targets: Sequence[str]) -> Project:
    """The kernel with its arrays on the chip."""
    kernel, values, design = compilation.kernel, compilation.values, compilation.on_chip
    ended, start = trial(kernel, values)
    layouts, arrays = design.compute.stores, tuple(design.compute.kernel.arrays)
    given, expected = _words(layouts, start, arrays), _words(layouts, ended, live_out_arrays(kernel))
    return hardware_project(design, targets, Vectors(values, given, expected))


def build_accelerator(compilation: CircuitCompilation, targets: Sequence[str]) -> Project:
    """The accelerator on its bus, behind registers."""
    kernel, values, design = compilation.tiles.kernel, compilation.values, compilation.design
    ended, start = trial(kernel, values)
    given = _words(design.external, start, tuple(kernel.arrays))
    vectors = Vectors(values, given, _words(design.external, ended, live_out_arrays(kernel)))
    memory, protocol = preset("paper"), design.bus.protocol
    return accelerator_project(compilation.accelerator, design, targets, vectors, memory, protocol)


def _words(layouts: ArrayLayouts, memory: Memory, arrays: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """The words of the memories of some arrays."""
    return {name: memory_words(layouts[name], memory[name].extents, memory[name].cells) for name in arrays}
