"""The whole compiler, top to bottom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loadstone.emit.c import emit_kernel
from loadstone.kernel.model import Kernel
from loadstone.loops import generate
from loadstone.simulate import execute, initial_memory, mismatches
from loadstone.simulate.compiled import compile_emitted, compile_original
from loadstone.simulate.memory import copied, live_out_arrays


def printed_again(kernel: Kernel, name: str) -> str:
    """The kernel as C made from the model, in its original order."""
    return emit_kernel(kernel, generate(kernel.schedule, kernel.context), name)


def compare_executions(kernel: Kernel, parameters: Mapping[str, int], seed: int = 0) -> dict[str, Any]:
    """The outcome of running a kernel as its own C, as the model, and as C printed from the model."""
    start = initial_memory(kernel, parameters, seed)
    outputs = live_out_arrays(kernel)
    interpreted = copied(start)
    trace = execute(kernel, parameters, interpreted)
    ways: dict[str, int] = {}
    for way, program in (
        ("original C", compile_original(kernel)),
        ("printed C", compile_emitted(kernel, printed_again(kernel, "printed"), "printed")),
    ):
        memory = copied(start)
        program.run(parameters, memory)
        ways[way] = len(mismatches(interpreted, memory, outputs))
    return {
        "kernel": kernel.name,
        "parameters": dict(parameters),
        "instances": len({event.time for event in trace}),
        "match": not any(ways.values()),
        "mismatches": sum(ways.values()),
        "ways": ways,
        "outputs": {name: len(start[name].cells) for name in outputs},
    }
