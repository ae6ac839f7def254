"""How testbenches and other programs call an accelerator in HLS C++."""

from __future__ import annotations

from loadstone.emit.c.accelerator import C, entry_parameters, top_arguments
from loadstone.emit.c.printer import INDENT
from loadstone.emit.c.processes import Processes
from loadstone.emit.c.reference import entry_head
from loadstone.emit.c.testbench import Call
from loadstone.loops.accelerator import Accelerator

_LINKAGE = 'extern "C" '


def hls_call(accelerator: Accelerator) -> Call:
    """How a testbench calls the top function, with its arrays in `memory`."""
    name = accelerator.kernel.name
    declared = ("long loaded_words = 0, stored_words = 0;",)
    ways = (("accelerator", f"{_call(accelerator, '&loaded_words', '&stored_words')};"),)
    return Call(f"{name}.hpp", ways, ("loaded_words", "stored_words"), declared, _LINKAGE)


def emit_hls_entry(accelerator: Accelerator) -> str:
    """An entry that calls the top function with its arrays in `memory`."""
    processes = Processes(accelerator, C)
    body = [*entry_parameters(processes), f"{_call(accelerator, '&words[0]', '&words[1]')};"]
    head = f"{_LINKAGE}{entry_head('accelerator')}"
    lines = [f'#include "{accelerator.kernel.name}.hpp"', "", head, "{", *(INDENT + line for line in body), "}", ""]
    return "\n".join(lines)


def _call(accelerator: Accelerator, *words: str) -> str:
    arguments = [*top_arguments(Processes(accelerator, C)), *words]
    return f"{accelerator.kernel.name}_top({', '.join(arguments)})"
