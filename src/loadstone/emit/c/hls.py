"""The accelerator as HLS C++, for Vitis or Intel compilers, together with a header that lets it run as threads."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.emit.c.accelerator import summary
from loadstone.emit.c.hls_design import Design, check_sizes
from loadstone.emit.c.hls_intel import INTEL, emit_intel_header, emit_intel_source
from loadstone.emit.c.hls_shim import HLS_H, HLS_STREAM_H
from loadstone.emit.c.hls_vitis import VITIS, emit_vitis_header, emit_vitis_source
from loadstone.emit.c.processes import Processes
from loadstone.loops.accelerator import Accelerator
from loadstone.options import Flavour


def emit_hls(accelerator: Accelerator, flavour: Flavour, parameters: Mapping[str, int] | None) -> dict[str, str]:
    """The files of the accelerator by their paths: interface, program, and a header for simulation in `sim`.

    `parameters` bound the sizes of local memory. Raises `UnsupportedError` where such a size depends on parameters that
    are not given.
    """
    check_sizes(accelerator, parameters)
    name = accelerator.kernel.name
    about = f"/* {summary(accelerator)} */\n"
    if flavour == "vitis":
        design = Design(Processes(accelerator, VITIS), parameters)
        header, source, shim = emit_vitis_header(design), emit_vitis_source(design), ("sim/hls_stream.h", HLS_STREAM_H)
    else:
        design = Design(Processes(accelerator, INTEL), parameters)
        header, source, shim = emit_intel_header(design), emit_intel_source(design), ("sim/HLS/hls.h", HLS_H)
    return {f"{name}.hpp": about + header, f"{name}.cpp": about + source, shim[0]: shim[1]}
