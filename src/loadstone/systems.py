"""Hardware with external memory, run top to bottom: accelerators, direct implementations, and process networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from loadstone.bus.ports import Bus
from loadstone.dram.litedram import BUS
from loadstone.dram.timing import Timing
from loadstone.errors import ToolError, UnsupportedError
from loadstone.hardware.accelerator.top import make_accelerator_design
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.timing import Memories
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.direct.top import make_direct_design
from loadstone.hardware.harness.cycle_limits import cycle_limit
from loadstone.hardware.network.top import NetworkDesign, make_network_design
from loadstone.loops.accelerator import Accelerator, predicted_words
from loadstone.loops.ranges import parameter_limits
from loadstone.model.kernel import Kernel
from loadstone.networks.model import Network
from loadstone.networks.sizes import sized
from loadstone.pipeline import trial
from loadstone.simulate.hardware.system import ExternalMemory, Outcome, SystemRun
from loadstone.simulate.memory import Memory, live_out_arrays, mismatches
from loadstone.simulate.prediction.model import Prediction, has_many_tiles, predict_design
from loadstone.transfer.volumes import count


def make_external_hardware(
    accelerator: Accelerator,
    parameters: Mapping[str, int],
    bus: Bus | None = None,
    memories: Memories | None = None,
    operations: Operations | None = None,
    *,
    unroll: int = 1,
) -> AcceleratorDesign:
    """The hardware of an accelerator that moves tiles over a bus, for parameters up to the given ones."""
    limits = parameter_limits(accelerator.kernel, parameters)
    return make_accelerator_design(accelerator, limits, bus, memories, operations, unroll=unroll)


def run_system(
    accelerator: Accelerator,
    parameters: Mapping[str, int],
    external: ExternalMemory,
    *,
    memories: Memories | None = None,
    operations: Operations | None = None,
    bus: Bus | None = None,
    seed: int = 0,
    vcd: Path | None = None,
    bases: Mapping[str, int] | None = None,
    unroll: int = 1,
    baseline: bool = False,
) -> dict[str, Any]:
    """The outcome of running an accelerator in hardware, with external memory, against the original program.

    With `baseline` the kernel is run without local memory, too.
    """
    kernel = accelerator.kernel
    wires = _bus(external, bus)
    design = make_external_hardware(accelerator, parameters, wires, memories, operations, unroll=unroll)
    expected, actual = trial(kernel, parameters, seed)
    run = SystemRun(design, external, parameters, actual, bases or {}).execute(vcd, cycle_limit(kernel, parameters))
    return {
        **_run_of(kernel, parameters, "verilator"),
        **_verdict(kernel, expected, actual),
        **_moved(run, predicted_words(accelerator, parameters)),
        **(_compared(kernel, parameters, external, design.bus, operations, run.cycles) if baseline else {}),
        "memory": _counted(external, run),
        **({"lanes": design.lanes.as_json()} if unroll > 1 else {}),
        "activities": run.activities,
    }


def predict_system(
    accelerator: Accelerator,
    parameters: Mapping[str, int],
    timing: Timing,
    *,
    memories: Memories | None = None,
    operations: Operations | None = None,
    bus: Bus | None = None,
    unroll: int = 1,
) -> dict[str, Any]:
    """What a run of an accelerator with external memory would take, by the model at the level of bursts.

    Where there are many tiles, it is a sample; then the elements that move are those of the plan.
    """
    design = make_external_hardware(accelerator, parameters, bus, memories, operations, unroll=unroll)
    planned, sampled = predicted_words(accelerator, parameters), has_many_tiles(accelerator, parameters)
    run = predict_design(accelerator, design, parameters, timing, sampled=sampled)
    moved = replace(run, loaded=planned[0], stored=planned[1]) if sampled else run
    return {
        **_run_of(accelerator.kernel, parameters, "transactions"),
        **_moved(moved, planned),
        **({"sampled": {"tiles": run.gone_through, "of": run.tiles}} if sampled else {}),
        "memory": _counted(timing, run),
        **({"lanes": design.lanes.as_json()} if unroll > 1 else {}),
        "activities": run.activities,
    }


def run_network_system(
    network: Network,
    parameters: Mapping[str, int],
    external: ExternalMemory,
    *,
    operations: Operations | None = None,
    bus: Bus | None = None,
    seed: int = 0,
    vcd: Path | None = None,
) -> dict[str, Any]:
    """The outcome of running a process network in hardware, with external memory, against the original program."""
    kernel = network.tiles.kernel
    limits = {name: (value, value) for name, value in parameters.items()}
    design = make_network_design(network, sized(network, parameters), limits, _bus(external, bus), operations)
    expected, actual = trial(kernel, parameters, seed)
    memory = {**actual, **_result_places(design, actual)}
    run = SystemRun(design, external, parameters, memory, {}).execute(vcd, cycle_limit(kernel, parameters))
    actual |= {name: memory[title] for name, title in design.results.items()}
    return {
        **_run_of(kernel, parameters, "verilator"),
        **_verdict(kernel, expected, actual),
        **_moved(run, _elements_moved(network, parameters)),
        "memory": _counted(external, run),
    }


def _result_places(design: NetworkDesign, memory: Memory) -> Memory:
    """Copies of arrays that are loaded and stored, for their results."""
    both = {title: memory[name] for name, title in design.results.items() if title != name}
    return {title: replace(buffer, cells=list(buffer.cells)) for title, buffer in both.items()}


def _elements_moved(network: Network, parameters: Mapping[str, int]) -> tuple[int, int]:
    """The elements of arrays that the processes of a network load and store; scalars do not go over the bus."""
    arrays = network.tiles.kernel.arrays
    moving = [each for each in network.processes.values() if each.kind != "compute" and arrays[each.array].rank]
    loaded, stored = (
        sum(count(process.domain, parameters) for process in moving if process.kind == kind)
        for kind in ("load", "store")
    )
    return loaded, stored


def _bus(external: ExternalMemory, bus: Bus | None) -> Bus | None:
    """The bus that is asked for, or the one that the memory has."""
    return BUS if external == "litedram" else bus


def _run_of(kernel: Kernel, parameters: Mapping[str, int], simulator: str) -> dict[str, Any]:
    """What is run, and by what."""
    return {"target": "verilog", "simulator": simulator, "kernel": kernel.name, "parameters": dict(parameters)} | {
        "instances": sum(count(statement.domain, parameters) for statement in kernel.statements)
    }


def _verdict(kernel: Kernel, expected: Memory, actual: Memory) -> dict[str, Any]:
    """Whether memory is what the original program leaves."""
    outputs = live_out_arrays(kernel)
    wrong = len(mismatches(expected, actual, outputs))
    cells = {name: len(expected[name].cells) for name in outputs}
    return {"match": wrong == 0, "mismatches": wrong, "outputs": cells}


def _moved(run: Outcome | Prediction, planned: tuple[int, int]) -> dict[str, Any]:
    """The elements that a run moved, those that it should move, and its cycles."""
    predicted = dict(zip(("loaded", "stored"), planned, strict=True))
    return {"loaded": run.loaded, "stored": run.stored, "predicted": predicted, "cycles": run.cycles}


def _counted(external: ExternalMemory, run: Outcome | Prediction) -> dict[str, Any]:
    """What the memory counted in a run."""
    return {
        "name": external if isinstance(external, str) else external.name.replace("_", "-"),
        "row_hits": run.row_hits,
        "row_changes": run.row_changes,
        "words_read": run.words_read,
        "words_written": run.words_written,
        "busy": None if run.busy_cycles is None else round(run.busy_cycles / max(1, run.cycles), 4),
    }


def _compared(
    kernel: Kernel,
    parameters: Mapping[str, int],
    external: ExternalMemory,
    bus: Bus,
    operations: Operations | None,
    cycles: int,
) -> dict[str, Any]:
    """The cycles of the kernel without local memory, and how many times fewer there are with it."""
    try:
        run = run_direct(kernel, parameters, external, bus=bus, operations=operations)
    except UnsupportedError as error:
        return {"baseline_cycles": None, "speedup": None, "no_baseline": error.diagnostics[0].message}
    return {"baseline_cycles": run.cycles, "speedup": round(run.cycles / max(1, cycles), 4)}


def run_direct(
    kernel: Kernel,
    parameters: Mapping[str, int],
    external: ExternalMemory,
    *,
    bus: Bus | None = None,
    operations: Operations | None = None,
    seed: int = 0,
) -> Outcome:
    """The run of a kernel that works on external memory directly; its results must be those of the original."""
    design = make_direct_design(kernel, parameter_limits(kernel, parameters), bus, operations)
    expected, actual = trial(kernel, parameters, seed)
    run = SystemRun(design, external, parameters, actual, {}).execute(limit=cycle_limit(kernel, parameters))
    wrong = len(mismatches(expected, actual, live_out_arrays(kernel)))
    if wrong:
        raise ToolError(f"error: {wrong} cells differ after the run of '{kernel.name}' without local memory")
    return run
