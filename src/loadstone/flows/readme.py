"""What the README of a folder says of flows: their commands, figures, and what was not run as a tool is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from loadstone.flows.figures import Figures
from loadstone.options import Flow
from loadstone.texts import markdown_table, text_of

_TITLES: Mapping[Flow, str] = {
    "vitis": "Vitis HLS",
    "vivado": "Vivado",
    "quartus": "Quartus",
    "pynq": "PYNQ",
    "xrt": "XRT",
    "litex": "LiteX",
    "fusesoc": "FuseSoC",
}
_NOT_RUN: Mapping[Flow, str] = {
    "vitis": "Vitis HLS: that it accepts the program, which initiation intervals it reaches, cosimulation",
    "vivado": "Vivado: that its catalog takes the IP, and synthesis; tests validate `component.xml` of examples",
    "quartus": "Platform Designer and Quartus: that they take the component; tests run its script with stand-ins",
    "pynq": "the script of the overlay, and a board; tests run drivers of examples on simulated hardware",
    "xrt": "`package_xo`, `v++`, and a card; tests run host programs of examples on simulated hardware",
    "litex": "a board; tests simulate SoCs of examples",
}
"""What was never run of a flow, and what the tests of Loadstone run instead."""


def emit_flow_section(kind: str, flows: Sequence[Flow], known: Mapping[str, object]) -> str:
    """The commands of some flows for a kind of folder: `hls` or `rtl`."""
    parts = (f"### {_TITLES[flow]}\n\n{text_of(__name__, f'{kind}_{flow}.md').format(**known)}" for flow in flows)
    return "## Flows\n\n" + "\n".join(parts)


def emit_figures(figures: Figures, bus_bytes: int | None = None, burst: int | None = None) -> str:
    """Bandwidth and local memory, for the parameters of the testbench; the bus is that of hardware."""
    values = ", ".join(f"{name} = {value}" for name, value in figures.parameters.items()) or "no parameters"
    moved = markdown_table(
        ("array", "bytes of an element", "loaded", "stored", "bytes moved"),
        [(each.array, each.element_bytes, each.loaded, each.stored, each.bytes) for each in figures.moved],
    )
    buffers = markdown_table(
        ("buffer", "shape", "copies", "cells", "bits"),
        [(b.array, " x ".join(map(str, b.shape)) or 1, b.copies, b.cells, b.bits) for b in figures.buffers],
    )
    bits = sum(each.bits for each in figures.buffers)
    lines = "".join(f"{line}\n" for line in _bus_lines(figures, bus_bytes, burst))
    return (
        f"## Bandwidth and local memory\n\nFor {values}, a run moves {figures.bytes} bytes:\n\n{moved}\n{lines}"
        f"Local buffers have {bits} bits in all:\n\n{buffers}"
    )


def _bus_lines(figures: Figures, bus_bytes: int | None, burst: int | None) -> Iterator[str]:
    if bus_bytes is not None:
        least = -(-figures.bytes // bus_bytes)
        yield f"The bus moves {bus_bytes} bytes per beat, at most {burst} beats per burst: {least} beats at least."
        yield ""


def emit_not_run(flows: Iterable[Flow]) -> str:
    """What was not run because a tool is missing."""
    lines = [f"- {_NOT_RUN[flow]}\n" for flow in flows if flow in _NOT_RUN]
    return (
        "## Not run\n\nThe tools of vendors were not at hand for Loadstone. Never run:\n\n" + "".join(lines)
        if lines
        else ""
    )
