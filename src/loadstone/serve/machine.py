"""Panes on the machine: cycles over time, what the hardware takes, the process network, and a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import prod

from loadstone.circuit_trials import predict_system
from loadstone.dram.timing import preset
from loadstone.emit.hdl.description import statement_times
from loadstone.errors import refused
from loadstone.networks.description import network_info
from loadstone.options import RunOptions
from loadstone.pipeline import channel_sizes
from loadstone.reporting.network_picture import network_svg
from loadstone.rtl.memory import Memory
from loadstone.rtl.module import Module
from loadstone.serve.subject import Json, Subject
from loadstone.simulate.hardware.system import SystemRun
from loadstone.simulate.hardware.timeline import activities_svg
from loadstone.simulate.memory import extents_of, initial_memory
from loadstone.trials import run_program

MOST_ACTIVITIES = 900
MOST_ELEMENTS, MOST_CYCLES, MOST_RECORDED = 1 << 20, 10_000, 16 << 20
"""What a waveform is recorded for: elements of arrays, cycles, bytes."""


def timeline_pane(subject: Subject) -> Json:
    """Load, compute and store over time, predicted at the level of bursts."""
    outcome = predict_system(subject.circuit, preset(subject.request.memory))
    shown = outcome.activities[:MOST_ACTIVITIES]
    return {
        **outcome.as_json(),
        "shown": len({each.tile for each in shown}),
        "all": len({each.tile for each in outcome.activities}),
        "svg": activities_svg(shown),
    }


def resources_pane(subject: Subject) -> Json:
    """Registers, memories and operators of the accelerator, and the pipelines of its statements."""
    design = subject.circuit.design
    modules = _modules(subject.top)
    operators = Counter[str]()
    for name in statement_modules(design.kernel.name, tuple(statement_times(design)), modules):
        for instance in modules[name][0].instances:
            operators[instance.module.name] += modules[name][1]
    return {
        "modules": sum(number for _, number in modules.values()),
        "register_bits": sum(_register_bits(module) * number for module, number in modules.values()),
        "memories": [_memory(module, memory) for module, _ in modules.values() for memory in _memories(module)],
        "operators": dict(sorted(operators.items())),
        "statements": statement_times(design),
        "bus": {"protocol": design.bus.protocol, "width": design.bus.data_width, "burst": design.bus.burst},
        "lanes": design.lanes.count,
    }


def statement_modules(kernel: str, statements: tuple[str, ...], names: Mapping[str, object]) -> list[str]:
    """The modules that are the datapaths of statements."""
    return [name for each in statements if (name := f"{kernel}_{each}") in names]


def _modules(top: Module) -> dict[str, tuple[Module, int]]:
    """The modules in a hierarchy by name, and how often each is there."""
    found: dict[str, tuple[Module, int]] = {}

    def visit(module: Module) -> None:
        found[module.name] = (module, found.get(module.name, (module, 0))[1] + 1)
        for instance in module.instances:
            visit(instance.module)

    visit(top)
    return found


def _register_bits(module: Module) -> int:
    return sum(signal.bits.width for signal in module.of_kind("register"))


def _memories(module: Module) -> list[Memory]:
    return [item for item in module.items if isinstance(item, Memory)]


def _memory(module: Module, memory: Memory) -> Json:
    words, width = memory.depth, memory.type.width
    return {"name": f"{module.name}.{memory.name}", "words": words, "width": width, "bits": words * width}


def network_pane(subject: Subject) -> Json:
    """The process network with its channels, sized for parameters that are small enough."""
    network, values = subject.program.network, subject.small_values
    info = network_info(network, channel_sizes(network, values))
    return {**info, "parameters": values, "smaller": values != subject.values, "svg": network_svg(network)}


def waveform_pane(subject: Subject) -> Json:
    """All signals of the accelerator on its memory as VCD, from the first cycles of a run on generated inputs.

    The hardware runs in Python: no compiler is called. Scalars that leave the kernel have no place in such a run.
    """
    circuit, values = subject.circuit, subject.values
    kernel = circuit.accelerator.kernel
    if sum(prod(extents_of(array, values)) for array in kernel.arrays.values()) > MOST_ELEMENTS:
        raise refused(f"arrays of more than {MOST_ELEMENTS} elements", None, "give smaller parameters")
    memory = initial_memory(kernel, values)
    run = SystemRun(circuit.design, preset(subject.request.memory), values, memory, {})
    found = run.record(MOST_CYCLES, MOST_RECORDED)
    return {"name": kernel.name, "vcd": found.vcd, "cycles": found.cycles, "finished": found.finished}


def run_pane(subject: Subject) -> Json:
    """The generated C, executed against the original."""
    return run_program(subject.program, RunOptions(checked=True)).as_json()
