"""Generated accelerators, compiled and called on the same memories as the original program."""

from __future__ import annotations

from loadstone.emit.c_accelerator import emit_c, emit_c_entry
from loadstone.loops.accelerator import Accelerator
from loadstone.simulate.compiled import CompiledKernel, Program

STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror")


def compile_c(accelerator: Accelerator, *, checked: bool = False, sequential: bool = False) -> CompiledKernel:
    """The accelerator in C; `checked` stops where a cell holds another element, `sequential` runs in one thread."""
    name = accelerator.kernel.name
    files = {**emit_c(accelerator, checked=checked), "entry.c": emit_c_entry(accelerator)}
    program = Program(files, [f"{name}.c", "entry.c"], STRICT)
    return CompiledKernel(accelerator.kernel, program, "sequential" if sequential else "accelerator")
