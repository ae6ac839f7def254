"""Generated accelerators, compiled and called on the same memories as the original program."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.emit.c.accelerator import emit_c, emit_c_entry
from loadstone.emit.c.hls import emit_hls
from loadstone.emit.c.hls_calls import emit_hls_entry
from loadstone.loops.accelerator import Accelerator
from loadstone.options import Flavour
from loadstone.simulate.programs.compiled import CompiledKernel, Program

STRICT_CPP = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Isim")
STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror")


def compile_c(accelerator: Accelerator, *, checked: bool = False, sequential: bool = False) -> CompiledKernel:
    """The accelerator in C; `checked` stops where a cell holds another element, `sequential` runs in one thread."""
    name = accelerator.kernel.name
    files = {**emit_c(accelerator, checked=checked), "entry.c": emit_c_entry(accelerator)}
    program = Program(files, [f"{name}.c", "entry.c"], STRICT)
    return CompiledKernel(accelerator.kernel, program, "sequential" if sequential else "accelerator")


def compile_hls(accelerator: Accelerator, flavour: Flavour, parameters: Mapping[str, int]) -> CompiledKernel:
    """The accelerator in HLS C++, its processes as threads; buffers are large enough for the parameters."""
    name = accelerator.kernel.name
    files = {**emit_hls(accelerator, flavour, parameters), "entry.cpp": emit_hls_entry(accelerator)}
    program = Program(files, [f"{name}.cpp", "entry.cpp"], STRICT_CPP)
    return CompiledKernel(accelerator.kernel, program, "accelerator")
