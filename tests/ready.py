"""Compilations whose accelerator or hardware is made already, and how tests run them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from loadstone.bus.ports import Bus
from loadstone.circuit_trials import predict_system as predict_compilation
from loadstone.circuit_trials import run_network, run_on_chip
from loadstone.circuit_trials import run_system as run_compilation
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import Timing, preset
from loadstone.hardware.on_chip import OnChipDesign
from loadstone.loops.accelerator import Accelerator
from loadstone.model.kernel import Kernel
from loadstone.networks.model import Network
from loadstone.options import Flavour, HardwareOptions, RunOptions, Simulator, StripMode, Target
from loadstone.outcome import Outcome
from loadstone.pipeline import plan_tiles
from loadstone.simulate.hardware.system import ExternalMemory
from loadstone.storage.local_plan import with_buffers
from loadstone.transform.choice import choose_tiling
from loadstone.transform.tiling import TiledKernel
from loadstone.trials import run_program

PAPER = preset("paper")


@dataclass(frozen=True, eq=False)
class Ready(CircuitCompilation):
    """A compilation of an accelerator, or of hardware on chip, that exists."""

    made: Accelerator | None = None
    chip: OnChipDesign | None = None
    processes: Network | None = None

    @cached_property
    def accelerator(self) -> Accelerator:
        assert self.made is not None
        return self.made

    @cached_property
    def tiles(self) -> TiledKernel:
        return self.accelerator.plan.tiles

    @cached_property
    def on_chip(self) -> OnChipDesign:
        assert self.chip is not None
        return self.chip

    @cached_property
    def network(self) -> Network:
        assert self.processes is not None
        return self.processes


def accelerator_of(
    kernel: Kernel, sizes: tuple[int, ...] | None, depth: int = 2, strips: StripMode = "overlap"
) -> Accelerator:
    return Accelerator(with_buffers(plan_tiles(choose_tiling(kernel, sizes)), depth, strips=strips))


def run_system(
    accelerator: Accelerator,
    parameters: Mapping[str, int],
    external: ExternalMemory,
    *,
    bus: Bus | None = None,
    seed: int = 0,
    **hardware: Any,
) -> Outcome:
    """An accelerator in hardware against the original, without the baseline."""
    ready = _ready(accelerator, parameters, bus, hardware)
    return run_compilation(ready, external, RunOptions(target="verilog", seed=seed, no_baseline=True))


def run_network_system(
    network: Network, parameters: Mapping[str, int], external: ExternalMemory, *, seed: int = 0
) -> Outcome:
    """A process network in hardware against the original."""
    ready = Ready(network.tiles.kernel, given=parameters, processes=network)
    return run_network(ready, external, RunOptions(target="verilog", network=True, seed=seed))


def predict_system(accelerator: Accelerator, parameters: Mapping[str, int], timing: Timing, **hardware: Any) -> Outcome:
    return predict_compilation(_ready(accelerator, parameters, None, hardware), timing)


def _ready(accelerator: Accelerator, parameters: Mapping[str, int], bus: Bus | None, hardware: dict[str, Any]) -> Ready:
    options = HardwareOptions(**hardware)
    return Ready(accelerator.kernel, given=parameters, hardware=options, wired=bus, made=accelerator)


def run_accelerator(
    accelerator: Accelerator, parameters: Mapping[str, int], target: Target = "c", flavour: Flavour = "vitis"
) -> Outcome:
    """An accelerator as C or HLS C++ against the original."""
    return run_program(_ready(accelerator, parameters, None, {}), RunOptions(target=target, flavour=flavour))


def make_hardware(kernel: Kernel, parameters: Mapping[str, int], **hardware: Any) -> OnChipDesign:
    return CircuitCompilation(kernel, given=parameters, hardware=HardwareOptions(**hardware)).on_chip


def run_hardware(
    design: OnChipDesign,
    parameters: Mapping[str, int],
    *,
    simulator: Simulator = "icarus",
    seed: int = 0,
    vcd: Path | None = None,
) -> Outcome:
    """Hardware on chip against the original, for parameters that it is made for."""
    target = "vhdl" if simulator == "ghdl" else "verilog"
    options = RunOptions(target=target, simulator=simulator, seed=seed, vcd=None if vcd is None else str(vcd))
    return run_on_chip(Ready(design.compute.kernel, given=parameters, chip=design), options)
