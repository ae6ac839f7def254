"""Generated programs as files."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.emit.c.targets import build_network_project, build_project
from loadstone.emit.project import Project
from loadstone.exercise import exercised, exercising_values
from loadstone.options import Flavour
from loadstone.pipeline import Compilation


def build_programs(compilation: Compilation, targets: Sequence[str], flavour: Flavour = "vitis") -> Project:
    """The accelerator as C or HLS C++; memories whose sizes depend on parameters are large enough for the values."""
    known = {**compilation.kernel.defaults, **compilation.given}
    values = exercising_values(compilation.kernel, compilation.given, compilation.tiles)
    return build_project(compilation.accelerator, targets, known, values, flavour=flavour)


def build_network(compilation: Compilation, targets: Sequence[str], flavour: Flavour = "vitis") -> Project:
    """The process network as C or HLS C++, for the values of the parameters."""
    ready = exercised(compilation, lambda: compilation.network_tiles)
    return build_network_project(ready.network, ready.channel_sizes, targets, ready.values, flavour=flavour)
