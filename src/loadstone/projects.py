"""Generated programs as files."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.emit.c.targets import build_network_project, build_project
from loadstone.emit.project import Project
from loadstone.exercise import exercised, exercising_values
from loadstone.flows.figures import figures_of
from loadstone.flows.vitis import VitisFlow
from loadstone.flows.vitis_ports import runs_of
from loadstone.flows.vitis_versions import NEWEST
from loadstone.options import NO_FLOWS, Flavour, FlowOptions
from loadstone.parallel.beats import NO_BEATS
from loadstone.parallel.lanes import NO_LANES
from loadstone.pipeline import Compilation


def build_programs(
    compilation: Compilation, targets: Sequence[str], flavour: Flavour = "vitis", flows: FlowOptions = NO_FLOWS
) -> Project:
    """The accelerator as C or HLS C++; memories whose sizes depend on parameters are large enough for the values."""
    known = {**compilation.kernel.defaults, **compilation.given}
    values = exercising_values(compilation.kernel, compilation.given, compilation.tiles)
    made, package = compilation.accelerator, None
    lanes, beats = compilation.widened(flavour, values) if "hls" in targets else (NO_LANES, NO_BEATS)
    if "vitis" in flows.flows:
        figures = figures_of(made, values, lanes.banking)
        package = VitisFlow(flows.vitis or NEWEST, flows.flows, values, runs_of(made), figures)
    return build_project(made, targets, known, values, flavour=flavour, package=package, lanes=lanes, beats=beats)


def build_network(
    compilation: Compilation, targets: Sequence[str], flavour: Flavour = "vitis", flows: FlowOptions = NO_FLOWS
) -> Project:
    """The process network as C or HLS C++, for the values of the parameters."""
    ready = exercised(compilation, lambda: compilation.network_tiles)
    package = VitisFlow(flows.vitis or NEWEST, flows.flows, ready.values, {}, None) if "vitis" in flows.flows else None
    sizes = ready.channel_sizes
    return build_network_project(ready.network, sizes, targets, ready.values, flavour=flavour, package=package)
