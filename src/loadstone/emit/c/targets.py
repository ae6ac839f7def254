"""What is generated for each target: sources, testbench, Makefile, and the plan or the network."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from loadstone.emit.c.comparison.reference import emit_reference, reference_suffix
from loadstone.emit.c.comparison.testbench import Callee, emit_entry, emit_testbench
from loadstone.emit.c.intel import emit_intel
from loadstone.emit.c.of_accelerator import allocated_program, fixed_program
from loadstone.emit.c.of_network import network_program
from loadstone.emit.c.program import Program
from loadstone.emit.c.shim import HLS_H, HLS_STREAM_H, HLS_VECTOR_H
from loadstone.emit.c.threads import emit_c
from loadstone.emit.c.vitis import DEFAULT_STYLE, VitisStyle, emit_vitis, has_beats
from loadstone.emit.project import Project
from loadstone.loops.accelerator import Accelerator, predicted_words
from loadstone.loops.description import accelerator_info
from loadstone.model.kernel import Kernel
from loadstone.networks.description import network_info
from loadstone.networks.instances import network_words
from loadstone.networks.model import Network
from loadstone.networks.sizes import ChannelSize
from loadstone.options import Flavour
from loadstone.parallel.beats import NO_BEATS, Beats
from loadstone.parallel.lanes import NO_LANES, Lanes
from loadstone.texts import text_of

_SEQUENTIAL = """
sequential: testbench
	./testbench sequential $(PARAMETERS)
"""
_C_MAKEFILE = text_of(__name__, "c.mk")


_HLS_MAKEFILE = text_of(__name__, "hls.mk")


@dataclass(frozen=True, slots=True)
class Packaged:
    """What a flow makes of a program for Vitis: how it is printed, and further files of its folder."""

    style: VitisStyle = DEFAULT_STYLE
    files: Mapping[str, str] = field(default_factory=dict[str, str])


Package = Callable[[Program], Packaged]


def build_project(
    accelerator: Accelerator,
    targets: Sequence[str],
    parameters: Mapping[str, int],
    exercised: Mapping[str, int],
    *,
    flavour: Flavour = "vitis",
    package: Package | None = None,
    lanes: Lanes = NO_LANES,
    beats: Beats = NO_BEATS,
) -> Project:
    """The files for some targets, each in a folder of its own, and the plan.

    `parameters` may lack values. `exercised` has all of them, for testbenches, which check the words moved against the
    prediction. Programs for Vitis have `lanes` and `beats`, and go through `package`.
    """
    known = parameters if set(accelerator.kernel.parameters) <= set(parameters) else None
    predicted = predicted_words(accelerator, exercised)
    files = {"plan.json": json.dumps(accelerator_info(accelerator, known), indent=2) + "\n"}
    for target in targets:
        is_hls = target == "hls"
        program = fixed_program(accelerator, known, lanes, flavour, beats) if is_hls else allocated_program(accelerator)
        files.update(_folder(target, Callee(program, flavour if is_hls else None), exercised, predicted, package))
    return Project(files)


def build_network_project(
    network: Network,
    sizes: Mapping[str, ChannelSize],
    targets: Sequence[str],
    parameters: Mapping[str, int],
    *,
    flavour: Flavour = "vitis",
    package: Package | None = None,
) -> Project:
    """The files for some targets, each in a folder of its own, and the network.

    `sizes` are those of all channels for the parameters, which must be complete. Programs for Vitis go through
    `package`.
    """
    values = {name: size.values for name, size in sizes.items()}
    files = {"network.json": json.dumps(network_info(network, values), indent=2) + "\n"}
    program, predicted = network_program(network, sizes, parameters), network_words(network, parameters)
    for target in targets:
        callee = Callee(program, flavour if target == "hls" else None)
        files.update(_folder(target, callee, parameters, predicted, package))
    return Project(files)


def _folder(
    target: str,
    callee: Callee,
    parameters: Mapping[str, int],
    predicted: tuple[int, int],
    package: Package | None,
) -> Iterator[tuple[str, str]]:
    """The files of a program with testbench, original and Makefile, by their paths."""
    program = callee.program
    packaged = package(program) if package and callee.flavour == "vitis" else Packaged()
    files = {
        **_sources(callee, packaged.style),
        f"testbench.{callee.suffix}": emit_testbench(callee, parameters, predicted),
        f"reference.{reference_suffix(program.kernel)}": emit_reference(program.kernel, "reference"),
        "Makefile": _hls_makefile(program) if callee.flavour else _c_makefile(program),
        **packaged.files,
    }
    return ((f"{target}/{path}", text) for path, text in files.items())


def emit_library(program: Program, flavour: Flavour | None) -> dict[str, str]:
    """The files of a program in C, or in a flavour of HLS C++, and an entry for each way to run it, by their paths."""
    callee = Callee(program, flavour)
    return {**_sources(callee), f"entry.{callee.suffix}": emit_entry(callee)}


def _sources(callee: Callee, style: VitisStyle = DEFAULT_STYLE) -> dict[str, str]:
    """The files of a program; for HLS: interface, program, and a header for simulation in `sim`."""
    program = callee.program
    match callee.flavour:
        case None:
            return emit_c(program)
        case "vitis":
            vectors = {"sim/hls_vector.h": HLS_VECTOR_H} if has_beats(program) else {}
            (header, source), shim = emit_vitis(program, style), {"sim/hls_stream.h": HLS_STREAM_H, **vectors}
        case "intel":
            (header, source), shim = emit_intel(program), {"sim/HLS/hls.h": HLS_H}
        case _:
            assert_never(callee.flavour)
    return {f"{program.name}.hpp": header, f"{program.name}.cpp": source, **shim}


def _c_makefile(program: Program) -> str:
    """The Makefile for a program in C, which may run in one thread as well."""
    alone = program.sequential is not None
    return _C_MAKEFILE.format(
        name=program.name,
        order=_order(program.kernel),
        about="\n# make sequential  the same, tile by tile in one thread" if alone else "",
        phony=" sequential" if alone else "",
        sequential=_SEQUENTIAL if alone else "",
        reference=reference_rule(program.kernel),
        libraries="-lstdc++ -lm -lpthread" if reference_suffix(program.kernel) == "cpp" else "-lm -lpthread",
    )


def reference_rule(kernel: Kernel) -> str:
    """The rule that compiles the original."""
    suffix = reference_suffix(kernel)
    compiler = "$(CXX) -std=gnu++17" if suffix == "cpp" else "$(CC) -std=gnu11"
    return f"reference.o: reference.{suffix}\n\t{compiler} -O2 -w -fwrapv -ffp-contract=off -c $< -o $@\n"


def _hls_makefile(program: Program) -> str:
    """The Makefile for a program in HLS C++."""
    return _HLS_MAKEFILE.format(
        name=program.name,
        order=_order(program.kernel),
        reference=reference_rule(program.kernel),
        libraries="-lm -lpthread",
    )


def _order(kernel: Kernel) -> str:
    return " ".join(kernel.parameters) or "(none)"
