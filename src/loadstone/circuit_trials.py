"""Hardware run against the original program: in simulators, or predicted at the level of bursts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path

from loadstone.circuits import CircuitCompilation
from loadstone.dram.litedram import BUS
from loadstone.dram.timing import Timing, preset
from loadstone.emit.hdl.description import statement_times
from loadstone.errors import Diagnostic, ToolError, UnsupportedError, refused
from loadstone.hardware.datapath.functions import hardware_functions
from loadstone.hardware.design import AcceleratorDesign, BusDesign, ComputeDesign
from loadstone.hardware.harness.cycle_limits import cycle_limit
from loadstone.hardware.network.top import NetworkDesign
from loadstone.hardware.on_chip import OnChipDesign
from loadstone.loops.accelerator import predicted_words
from loadstone.model.definitions import approximate_functions
from loadstone.model.kernel import Kernel
from loadstone.networks.instances import network_words
from loadstone.options import HardwareOptions, RunOptions
from loadstone.outcome import Baseline, Copies, MemoryUse, Outcome, Rounding, Sample, Traffic
from loadstone.processes import side_by_side
from loadstone.simulate.hardware.on_chip import HardwareRun, OnChipSimulator
from loadstone.simulate.hardware.system import ExternalMemory, SystemResult, SystemRun
from loadstone.simulate.memory import Memory, copied
from loadstone.simulate.prediction.model import Prediction, has_many_tiles, predict_design
from loadstone.transform.tiling import TiledKernel, tiling_info
from loadstone.trials import instance_count, rounding, trial, verdict


def run_circuit(compilation: CircuitCompilation, options: RunOptions) -> Outcome:
    """The outcome of hardware: on chip, an accelerator or a network with external memory, or a prediction."""
    match options.mode():
        case "on-chip":
            return run_on_chip(compilation, options)
        case "accelerator":
            return run_system(compilation, _external(options, compilation.hardware), options)
        case "prediction":
            return predict_system(compilation, _timing(options))
        case "network-hardware":
            return run_network(compilation, _external(options, compilation.hardware), options)
        case "c" | "hls" | "model" | "network-c" | "network-hls" as other:
            raise AssertionError(f"{other} is not hardware")


def circuit_for(compilation: CircuitCompilation, external: ExternalMemory) -> CircuitCompilation:
    """The compilation with the bus of a memory that has one of its own."""
    return replace(compilation, wired=BUS) if external == "litedram" else compilation


def run_on_chip(compilation: CircuitCompilation, options: RunOptions) -> Outcome:
    """The outcome of a kernel with its arrays on the chip."""
    design, values = compilation.on_chip, compilation.values
    kernel, simulator = design.compute.kernel, _simulator(options)
    expected, actual = trial(kernel, values, options.seed, hardware_functions(kernel))
    cycles = HardwareRun(design, values, actual).execute(simulator, _waveform(options))
    return Outcome(
        target=options.target,
        simulator=simulator,
        kernel=kernel.name,
        parameters=values,
        verdict=verdict(kernel, expected, actual),
        cycles=cycles,
        instances=instance_count(kernel, values),
        functions=approximate_functions(kernel),
        statements=statement_times(design),
        copies=_copies(design),
    )


def run_system(compilation: CircuitCompilation, external: ExternalMemory, options: RunOptions) -> Outcome:
    """The outcome of an accelerator with external memory, and of the direct baseline, simulated side by side."""
    compilation = circuit_for(compilation, external)
    kernel, values, design = compilation.tiles.kernel, compilation.values, compilation.design
    expected, actual = trial(kernel, values, options.seed, hardware_functions(kernel))
    beside, direct = copied(actual), None if options.no_baseline else _direct(compilation)
    runs = [_run(design, kernel, external, values, actual, _waveform(options))]
    runs += [] if direct is None or isinstance(direct, str) else [_run(direct, kernel, external, values, beside)]
    run, *others = side_by_side(runs)
    return Outcome(
        target="verilog",
        simulator="verilator",
        kernel=kernel.name,
        parameters=values,
        instances=instance_count(kernel, values),
        verdict=verdict(kernel, expected, actual),
        rounding=_rounding(compilation.kernel, compilation.tiles, values, actual, options),
        traffic=Traffic(run.loaded, run.stored, predicted_words(compilation.accelerator, values)),
        cycles=run.cycles,
        baseline=_baseline(kernel, expected, beside, others, direct),
        memory=_memory_use(external, run),
        functions=approximate_functions(kernel),
        approximated="" if compilation.accelerator.plan.exact else compilation.accelerator.plan.reason,
        lanes=design.lanes if prod(compilation.lanes) > 1 else None,
        order=design.lanes.order,
        copies=_copies(design),
        beats=design.beats,
        suggestion=compilation.suggestion,
        statements=statement_times(design),
        tiling=tiling_info(compilation.tiles),
        activities=run.activities,
    )


def _copies(design: OnChipDesign | AcceleratorDesign) -> dict[str, Copies]:
    """The memories with several read ports."""
    stores, ports = design.compute.stores, design.compute.read_ports
    return {
        array: Copies(count, stores[array].depth * stores[array].type.width)
        for array, count in ports.items()
        if count > 1
    }


def _direct(compilation: CircuitCompilation) -> ComputeDesign | str:
    """The direct baseline, or why there is none."""
    try:
        return compilation.direct
    except UnsupportedError as error:
        return error.diagnostics[0].message


def _baseline(
    kernel: Kernel, expected: Memory, actual: Memory, runs: Sequence[SystemResult], direct: ComputeDesign | str | None
) -> Baseline | None:
    """The cycles of the direct baseline, whose results must be right as well; None where it is left out."""
    if isinstance(direct, str):
        return Baseline(None, direct)
    if not runs:
        return None
    _check_baseline(kernel, expected, actual)
    return Baseline(runs[0].cycles)


def _check_baseline(kernel: Kernel, expected: Memory, actual: Memory) -> None:
    """Raises `ToolError` where a baseline leaves other memory than the original."""
    wrong = verdict(kernel, expected, actual).mismatches
    if wrong:
        raise ToolError(Diagnostic(f"{wrong} cells differ after the run of the baseline of '{kernel.name}'"))


def predict_system(compilation: CircuitCompilation, timing: Timing) -> Outcome:
    """The cycles of an accelerator with external memory, predicted at the level of bursts.

    Where there are many tiles, a sample is simulated; then the elements that move are those of the plan.
    """
    accelerator, values, design = compilation.accelerator, compilation.values, compilation.design
    planned, sampled = predicted_words(accelerator, values), has_many_tiles(accelerator, values)
    run = predict_design(accelerator, design, values, timing, sampled=sampled)
    moved = planned if sampled else (run.loaded, run.stored)
    return Outcome(
        target="verilog",
        simulator="transactions",
        kernel=accelerator.kernel.name,
        parameters=values,
        instances=instance_count(accelerator.kernel, values),
        traffic=Traffic(*moved, planned),
        cycles=run.cycles,
        sample=Sample(run.gone_through, run.tiles) if sampled else None,
        memory=_memory_use(timing, run),
        lanes=design.lanes if prod(compilation.lanes) > 1 else None,
        order=design.lanes.order,
        copies=_copies(design),
        beats=design.beats,
        suggestion=compilation.suggestion,
        tiling=tiling_info(compilation.tiles),
        activities=run.activities,
    )


def run_network(compilation: CircuitCompilation, external: ExternalMemory, options: RunOptions) -> Outcome:
    """The outcome of a process network with external memory."""
    compilation = circuit_for(compilation, external)
    network, values, design = compilation.network, compilation.values, compilation.network_design
    kernel = network.tiles.kernel
    expected, actual = trial(kernel, values, options.seed, hardware_functions(kernel))
    memory = {**actual, **_result_places(design, actual)}
    run = _run(design, kernel, external, values, memory, _waveform(options))()
    actual |= {name: memory[title] for name, title in design.results.items()}
    return Outcome(
        target="verilog",
        simulator="verilator",
        kernel=kernel.name,
        parameters=values,
        instances=instance_count(kernel, values),
        verdict=verdict(kernel, expected, actual),
        rounding=_rounding(compilation.kernel, network.tiles, values, actual, options),
        traffic=Traffic(run.loaded, run.stored, network_words(network, values, scalars=False)),
        cycles=run.cycles,
        functions=approximate_functions(kernel),
        memory=_memory_use(external, run),
        tiling=tiling_info(network.tiles),
    )


def _rounding(
    original: Kernel, tiles: TiledKernel, values: Mapping[str, int], actual: Memory, options: RunOptions
) -> Rounding | None:
    """How memory after a run compares with the original order, the functions being those of hardware in both."""
    return rounding(original, tiles, values, actual, options.seed, hardware_functions(original))


def _run(
    design: BusDesign,
    kernel: Kernel,
    external: ExternalMemory,
    values: Mapping[str, int],
    memory: Memory,
    vcd: Path | None = None,
) -> Callable[[], SystemResult]:
    """A run of a design on a memory, which it changes."""
    return partial(SystemRun(design, external, values, memory, {}).execute, vcd, cycle_limit(kernel, values))


def _result_places(design: NetworkDesign, memory: Memory) -> Memory:
    """Copies of arrays that are loaded and stored, for their results."""
    both = {title: memory[name] for name, title in design.results.items() if title != name}
    return {title: replace(buffer, cells=list(buffer.cells)) for title, buffer in both.items()}


def _memory_use(external: ExternalMemory, run: SystemResult | Prediction) -> MemoryUse:
    return MemoryUse(
        name=external if isinstance(external, str) else external.name.replace("_", "-"),
        row_hits=run.row_hits,
        row_changes=run.row_changes,
        words_read=run.words_read,
        words_written=run.words_written,
        busy=None if run.busy_cycles is None else round(run.busy_cycles / max(1, run.cycles), 4),
    )


def _waveform(options: RunOptions) -> Path | None:
    return Path(options.vcd) if options.vcd else None


def _external(options: RunOptions, hardware: HardwareOptions) -> ExternalMemory:
    """The external memory of the options."""
    if options.target != "verilog" or options.simulator not in (None, "verilator"):
        hint = "use --target verilog and --simulator verilator or transactions with --memory"
        raise refused("external memories are simulated in Verilator, or predicted", None, hint)
    if options.memory != "litedram":
        return preset(options.memory or "paper")
    own = (hardware.bus_width, hardware.burst, hardware.address_width, hardware.outstanding)
    if hardware.bus == "avalon" or any(own):
        raise refused(f"LiteDRAM has a bus of its own: axi, {BUS.data_width} bits")
    return "litedram"


def _timing(options: RunOptions) -> Timing:
    """The timing of a memory whose cycles are predicted."""
    if options.memory == "litedram":
        raise refused("LiteDRAM is no model", None, "use ddr3-1600, which was calibrated against it")
    return preset(options.memory or "paper")


def _simulator(options: RunOptions) -> OnChipSimulator:
    """The chosen simulator, or that of the target."""
    chosen, target = options.simulator, options.target
    if chosen == "transactions":
        raise refused("only runs with an external memory are predicted", None, "name one with --memory")
    if chosen is not None and (chosen == "ghdl") != (target == "vhdl"):
        hint = "verilator and icarus simulate verilog, ghdl simulates vhdl"
        raise refused(f"{chosen} does not simulate {target}", None, hint)
    return chosen or ("ghdl" if target == "vhdl" else "verilator")
