"""Generated programs, compiled and called on the same memories as the original program."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.emit.c.of_accelerator import allocated_program, fixed_program
from loadstone.emit.c.of_network import network_program
from loadstone.emit.c.program import Program
from loadstone.emit.c.targets import emit_library
from loadstone.loops.accelerator import Accelerator
from loadstone.networks.model import Network
from loadstone.networks.sizes import ChannelSize
from loadstone.options import Flavour
from loadstone.parallel.beats import NO_BEATS, Beats
from loadstone.parallel.lanes import NO_LANES, Lanes
from loadstone.simulate.programs.compiled import CompiledKernel, Sources

STRICT_CPP = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Isim")
STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror")


def compile_c(accelerator: Accelerator, *, checked: bool = False, sequential: bool = False) -> CompiledKernel:
    """The accelerator in C; `checked` stops where a cell holds another element, `sequential` runs in one thread."""
    program = allocated_program(accelerator, checked=checked)
    return compile_program(program, "sequential" if sequential else program.way)


def compile_hls(
    accelerator: Accelerator,
    flavour: Flavour,
    parameters: Mapping[str, int],
    lanes: Lanes = NO_LANES,
    beats: Beats = NO_BEATS,
) -> CompiledKernel:
    """The accelerator in HLS C++, its processes as threads; buffers are large enough for the parameters."""
    return compile_program(fixed_program(accelerator, parameters, lanes, flavour, beats), "accelerator", flavour)


def compile_network(
    network: Network,
    sizes: Mapping[str, ChannelSize],
    parameters: Mapping[str, int],
    flavour: Flavour | None = None,
) -> CompiledKernel:
    """The network in C or HLS C++, a thread for each process; runs with these parameters only."""
    return compile_program(network_program(network, sizes, parameters), "network", flavour)


def compile_program(program: Program, way: str, flavour: Flavour | None = None) -> CompiledKernel:
    """A program that runs in one of its ways: in C, or in a flavour of HLS C++."""
    files = emit_library(program, flavour)
    compiled = [path for path in files if path.endswith((".c", ".cpp"))]
    return CompiledKernel(program.kernel, Sources(files, compiled, STRICT_CPP if flavour else STRICT), way)
