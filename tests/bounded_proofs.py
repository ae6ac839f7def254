"""Bounded proofs by the solver of Yosys: that outputs of a module stay 0, whatever its inputs are."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from loadstone.errors import ToolError
from loadstone.rtl.module import Module
from loadstone.rtl.programs import yosys
from loadstone.rtl.programs.command import write_files
from loadstone.rtl.verilog import verilog_files

_DISPROVED = "proof did fail"


def disproved(module: Module, output: str, steps: int, *, with_reset: bool = False) -> bool:
    """Whether some inputs make an output of a module other than 0 within so many cycles from its initial state.

    Unless there may be resets, `rst` stays 0. Every sequence of inputs of that length is covered.
    """
    quiet = "" if with_reset or not module.has_reset else "-set rst 0"
    files = verilog_files(module)
    script = (
        *(f"read_verilog -sv {file}" for file in files),
        f"hierarchy -top {module.name}",
        "proc",
        "flatten",
        "memory",
        "opt -full",
        f"sat -verify -set-def-inputs {quiet} -prove {output} 0 -seq {steps} {module.name}",
    )
    with TemporaryDirectory() as folder:
        write_files(Path(folder), files)
        try:
            yosys.execute(script, Path(folder))
        except ToolError as failure:
            if _DISPROVED in str(failure):
                return True
            raise
    return False
