"""Generated accelerators, compiled and called on the same memories as the original program."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.emit.c.of_accelerator import allocated_program, fixed_program
from loadstone.emit.c.program import Program
from loadstone.emit.c.targets import Flavour, emit_hls
from loadstone.emit.c.testbench import Callee, emit_entry
from loadstone.emit.c.threads import emit_c
from loadstone.loops.accelerator import Accelerator
from loadstone.simulate.programs.compiled import CompiledKernel, Sources

STRICT_CPP = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Isim")
STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror")


def compile_c(accelerator: Accelerator, *, checked: bool = False, sequential: bool = False) -> CompiledKernel:
    """The accelerator in C; `checked` stops where a cell holds another element, `sequential` runs in one thread."""
    program = allocated_program(accelerator, checked=checked)
    return compile_program(program, "sequential" if sequential else program.way)


def compile_hls(accelerator: Accelerator, flavour: Flavour, parameters: Mapping[str, int]) -> CompiledKernel:
    """The accelerator in HLS C++, its processes as threads; buffers are large enough for the parameters."""
    return compile_program(fixed_program(accelerator, parameters), "accelerator", flavour)


def compile_program(program: Program, way: str, flavour: Flavour | None = None) -> CompiledKernel:
    """A program that runs in one of its ways: in C, or in a flavour of HLS C++."""
    entry = emit_entry(Callee(program, is_hls=flavour is not None))
    if flavour is None:
        sources = Sources({**emit_c(program), "entry.c": entry}, [f"{program.name}.c", "entry.c"], STRICT)
    else:
        files = {**emit_hls(program, flavour), "entry.cpp": entry}
        sources = Sources(files, [f"{program.name}.cpp", "entry.cpp"], STRICT_CPP)
    return CompiledKernel(program.kernel, sources, way)
