"""The compiler in Python: a function for each thing that the command line does.

Each takes a kernel, or a compilation that `accelerator` made, a tiling, and the options of the command line by their
names: fields of `Choices`, `HardwareOptions` and `RunOptions`. An option without effect is an error here as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from loadstone.circuit_projects import build_accelerator, build_on_chip
from loadstone.circuit_trials import run_circuit
from loadstone.circuits import CircuitCompilation
from loadstone.emit.project import Project
from loadstone.errors import refused
from loadstone.flows.requirements import Made, check_flows
from loadstone.fronts.asking import ask, axes_of
from loadstone.fronts.cluster import cluster as dask_cluster
from loadstone.fronts.energy import DEFAULT_TABLE, EnergyTable
from loadstone.fronts.front import Front
from loadstone.fronts.search import explore as search_front
from loadstone.fronts.search import processes
from loadstone.fronts.space import EXPLORED, Design, Measure
from loadstone.fronts.store import Store, content_of
from loadstone.fronts.workers import default_jobs
from loadstone.locality.measurement import measure
from loadstone.locality.order import order_of
from loadstone.locality.profile import Profile
from loadstone.model.kernel import Kernel
from loadstone.networks.model import Network
from loadstone.options import (
    CIRCUITS,
    PROGRAMS,
    Choices,
    Flavour,
    FlowOptions,
    HardwareOptions,
    IntegrationOptions,
    Mode,
    RunOptions,
    modes_of,
    options_of,
    without_effect,
)
from loadstone.outcome import Outcome
from loadstone.pipeline import Compilation, Split, split_network
from loadstone.projects import build_network, build_programs
from loadstone.reporting.data import gather_report
from loadstone.reporting.extras import Extras, extras_of
from loadstone.reporting.page import Page
from loadstone.rtl.programs.synthesis import Resources, synthesize
from loadstone.storage.local_plan import LocalPlan
from loadstone.transform.tiling import Tiling
from loadstone.trials import compare_executions, run_program

Values = Mapping[str, int]


def plan(kernel: Kernel, tiling: Tiling | None = None, **options: Any) -> LocalPlan:
    """What each tile loads and stores, with local buffers; without a tiling, that of the source or a default one."""
    _check_names(options, Choices)
    return Compilation(kernel, Choices.of(options), tiling=tiling).plan


def network(
    kernel: Kernel,
    tiling: Tiling | None = None,
    *,
    split: Split = "complete",
    compute_only: bool = False,
    reuse: bool = False,
) -> Network:
    """The process network; without a tiling, of the one in the source, else in the original order."""
    whole = Compilation(kernel, tiling=tiling).whole_network
    return split_network(whole.without_transfers() if compute_only else whole, split, reuse=reuse)


def accelerator(
    kernel: Kernel, tiling: Tiling | None = None, *, parameters: Values | None = None, **options: Any
) -> CircuitCompilation:
    """The compilation of a kernel into hardware: `plan`, `accelerator`, `network`, `design`, each made when used."""
    _check_names(options, Choices, HardwareOptions)
    return _circuit(kernel, tiling, parameters, options)


def build(
    kernel: Kernel | CircuitCompilation,
    tiling: Tiling | None = None,
    *,
    target: str | Sequence[str] = "c",
    parameters: Values | None = None,
    network: bool = False,
    flavour: Flavour = "vitis",
    **options: Any,
) -> Project:
    """What is generated, as files, for one target or several: c, hls, verilog, vhdl.

    Hardware has its arrays on the chip, or is an accelerator behind registers where `bus` names one. `flows` are those
    of others that it is packaged for.
    """
    _check_names(options, Choices, HardwareOptions, IntegrationOptions, FlowOptions)
    targets: tuple[Any, ...] = (target,) if isinstance(target, str) else tuple(target)
    circuit = _circuit(kernel, tiling, parameters, options)
    on_bus = circuit.hardware.bus is not None
    modes = modes_of(targets, network=network, on_bus=on_bus)
    integration, packed, hardware = IntegrationOptions.of(options), FlowOptions.of(options), circuit.hardware
    made = (flavour, hardware.bus, hardware.address_width, integration.reset)
    check_flows(Made(tuple(packed.flows), modes, targets, *made), packed.vitis)
    _check_effects(options, modes, Choices, HardwareOptions, IntegrationOptions, FlowOptions)
    programs = [each for each in targets if each in PROGRAMS]
    circuits = [each for each in targets if each in CIRCUITS]
    files: dict[str, str] = {}
    if programs:
        files |= (build_network if network else build_programs)(_program(circuit), programs, flavour, packed).files
    if circuits and on_bus:
        files |= build_accelerator(circuit, circuits, integration, flows=packed.flows).files
    elif circuits:
        files |= build_on_chip(circuit, circuits, integration).files
    return Project(files)


def run(
    kernel: Kernel | CircuitCompilation,
    tiling: Tiling | None = None,
    *,
    parameters: Values | None = None,
    **options: Any,
) -> Outcome:
    """What is generated, executed against the original program: the outcome of `loadstone run`."""
    _check_names(options, Choices, HardwareOptions, RunOptions)
    circuit, chosen = _circuit(kernel, tiling, parameters, options), RunOptions.of(options)
    _check_effects(options, [chosen.mode()], Choices, HardwareOptions, RunOptions)
    if chosen.target in CIRCUITS:
        return run_circuit(circuit, chosen)
    if chosen.target == "model":
        return compare_executions(circuit.kernel, circuit.values, chosen.seed)
    return run_program(_program(circuit), chosen)


def predict(
    kernel: Kernel | CircuitCompilation,
    tiling: Tiling | None = None,
    *,
    memory: str = "paper",
    parameters: Values | None = None,
    **options: Any,
) -> Outcome:
    """The cycles of an accelerator with external memory, predicted at the level of bursts."""
    chosen = {"target": "verilog", "simulator": "transactions", "memory": memory}
    return run(kernel, tiling, parameters=parameters, **chosen, **options)


def explore(
    kernel: Kernel,
    *,
    parameters: Values | None = None,
    over: Mapping[str, Any] | None = None,
    objectives: Sequence[Measure] = ("cycles", "cells"),
    at_most: Mapping[Measure, int] | None = None,
    memory: str = "paper",
    jobs: int | None = None,
    cluster: str | None = None,
    seconds: float | None = 60,
    store: str | Path | None = None,
    energies: EnergyTable = DEFAULT_TABLE,
    **options: Any,
) -> Front:
    """The designs that no other one beats: `over` says which values options take, all others apply to every design.

    After some `seconds`, or Ctrl-C, the front so far. A `store` is a file that keeps results between runs. Designs are
    evaluated in processes, or on the Dask cluster whose scheduler is at `cluster`.
    """
    _check_names(options, Choices, HardwareOptions)
    _check_effects(options, (EXPLORED,), Choices, HardwareOptions)
    axes, choices = axes_of(over or {}), Choices.of(options)
    twice = next((name for name in axes if name in options), None)
    if twice is not None:
        raise refused(f"{twice} has no effect beside over for the same option")
    compilation = Compilation(kernel, Choices() if choices.sizes == "auto" else choices, dict(parameters or {}))
    first = Design(choices, HardwareOptions.of(options), memory)
    question = ask(compilation, first, axes, tuple(objectives), dict(at_most or {}), options, energies)
    with Store(None if store is None else Path(store), content_of(question.subject)) as kept:
        hire = processes(jobs or default_jobs()) if cluster is None else dask_cluster(cluster)
        return Front(question, search_front(question, kept, hire=hire, seconds=seconds))


def synth(
    kernel: Kernel | CircuitCompilation,
    tiling: Tiling | None = None,
    *,
    device: str = "ecp5-25k",
    parameters: Values | None = None,
    **options: Any,
) -> Resources:
    """Area and clock frequency by open tools: of the accelerator behind its registers where `bus` names one.

    Else of hardware on chip.
    """
    _check_names(options, Choices, HardwareOptions)
    circuit = _circuit(kernel, tiling, parameters, options)
    on_bus = circuit.hardware.bus is not None
    _check_effects(options, ["accelerator" if on_bus else "on-chip"], Choices, HardwareOptions)
    return synthesize(circuit.controlled if on_bus else circuit.on_chip.module, device)


def reuse(
    kernel: Kernel,
    tiling: Tiling | None = None,
    *,
    parameters: Values | None = None,
    size: int | None = None,
    line: int = 1,
    scalars: bool = False,
    seed: int = 0,
) -> Profile:
    """Reuse distances in the order of the source, or of a tiling."""
    compilation = Compilation(kernel, given=dict(parameters or {}), tiling=tiling)
    order = order_of(kernel if tiling is None else compilation.legal_tiles)
    return measure(order, compilation.values, size=size, line=line, scalars=scalars, seed=seed)


def report(
    kernel: Kernel,
    tiling: Tiling | None = None,
    *,
    parameters: Values | None = None,
    verify: bool = False,
    plan_only: bool = False,
    **options: Any,
) -> Page:
    """The report of a kernel with a tiling: a page that shows itself in notebooks, or is written to a file.

    With `plan_only`, without accelerator and process network, which take longer than the plan.
    """
    _check_names(options, *((Choices,) if plan_only else (Choices, HardwareOptions)))
    compilation = Compilation(kernel, Choices.of(options), dict(parameters or {}), tiling)
    outcome = run_program(compilation, RunOptions()) if verify else None
    extras = Extras() if plan_only else extras_of(compilation, _circuit(kernel, tiling, parameters, options))
    return Page(gather_report(compilation.plan, compilation.values, verification=outcome, extras=extras))


def _circuit(
    kernel: Kernel | CircuitCompilation, tiling: Tiling | None, parameters: Values | None, options: dict[str, Any]
) -> CircuitCompilation:
    """The compilation of a kernel, or the given one, which has its choices already."""
    if isinstance(kernel, Kernel):
        made = HardwareOptions.of(options)
        return CircuitCompilation(kernel, Choices.of(options), dict(parameters or {}), tiling, hardware=made)
    chosen = [option.dest for kind in (Choices, HardwareOptions) for option in options_of(kind)]
    if tiling is not None or parameters is not None or any(name in options for name in chosen):
        raise TypeError("a compilation has its tiling, parameters and choices already")
    return kernel


def _program(circuit: CircuitCompilation) -> Compilation:
    """The same compilation into a program."""
    known = (circuit.kernel, circuit.choices, circuit.given, circuit.tiling, circuit.limit)
    return Compilation(*known, circuit.hardware)


def _check_names(options: Iterable[str], *kinds: type) -> None:
    """Raise `TypeError` for an option that none of some classes has."""
    names = [option.dest for kind in kinds for option in options_of(kind)]
    for name in options:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            raise TypeError(f"there is no option '{name}'{f', did you mean {near[0]}?' if near else ''}")


def _check_effects(options: Iterable[str], modes: Iterable[Mode], *kinds: type) -> None:
    """Raise `InputError` for an option that has no effect in any of some modes."""
    known = [option for kind in kinds for option in options_of(kind)]
    present = frozenset(modes)
    idle = next(without_effect(known, frozenset(options), present), None)
    if idle is not None:
        here, there = " and ".join(sorted(present)), ", ".join(idle.modes)
        raise refused(f"{idle.dest} has no effect on {here}", None, f"it takes effect on {there}")
