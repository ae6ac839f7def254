"""The panes of the explorer, and which of them are computed one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from loadstone.serve.designs import front_pane
from loadstone.serve.machine import network_pane, resources_pane, run_pane, timeline_pane, waveform_pane
from loadstone.serve.movement import buffers_pane, curve_pane, reuse_pane, tiles_pane, traffic_pane
from loadstone.serve.sources import c_pane, hls_pane, project_pane, verilog_pane, vhdl_pane
from loadstone.serve.subject import Json, Subject
from loadstone.serve.understanding import dependences_pane, kernel_pane, tiling_pane

TRUNK: Mapping[str, Callable[[Subject], Json]] = {
    "kernel": kernel_pane,
    "dependences": dependences_pane,
    "tiling": tiling_pane,
}
"""What comes first, and what all other panes build on."""
BRANCHES: tuple[Mapping[str, Callable[[Subject], Json]], ...] = (
    {"traffic": traffic_pane, "tiles": tiles_pane, "buffers": buffers_pane, "c": c_pane, "hls": hls_pane},
    {"timeline": timeline_pane, "resources": resources_pane, "verilog": verilog_pane, "vhdl": vhdl_pane},
    {"network": network_pane, "reuse": reuse_pane},
    {"run": run_pane},
    {"project": project_pane},
    {"waveform": waveform_pane},
)
"""What is computed beside each other."""
LIVE: Mapping[str, Callable[[Subject], Iterator[Json]]] = {"curve": curve_pane, "front": front_pane}
"""What fills while it is computed."""
NAMES = (*TRUNK, *(name for branch in BRANCHES for name in branch), *LIVE)
RUNNING = frozenset({"run"})
"""What needs permission to run C."""


def answers(subject: Subject, name: str) -> Iterator[Json]:
    """The contents of a pane, as they come."""
    if name in LIVE:
        return LIVE[name](subject)
    make = next(branch[name] for branch in (TRUNK, *BRANCHES) if name in branch)
    return iter([make(subject)])


def branches(names: tuple[str, ...]) -> list[list[str]]:
    """The panes that do not come first, in the groups that are computed beside each other."""
    groups = [[name for name in branch if name in names] for branch in (*BRANCHES, LIVE)]
    return [group for group in groups if group]
