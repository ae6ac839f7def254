"""The C of a transformed program."""

from __future__ import annotations

from loadstone.emit.c.printer import emit_kernel
from loadstone.loops.transformed import Style, program_loops
from loadstone.transform.program import Program


def emit_transformed(program: Program, style: Style = "compact") -> str:
    """A C function that executes a transformed program: compact with conditions, or separated without."""
    return emit_kernel(program.kernel, program_loops(program, style), program.base.name)
