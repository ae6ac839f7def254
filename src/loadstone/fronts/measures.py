"""What a design costs: cycles by the model at the level of bursts, words, cells and energy by the plan, and area.

Words of a network are those of its processes, its cells those of its channels. Its cycles are not predicted: each
network that its bounds do not exclude is simulated.
"""

from __future__ import annotations

from loadstone.circuit_trials import run_network
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.fronts.archive import Vector
from loadstone.fronts.area import block_memories, estimated, multipliers
from loadstone.fronts.bounds import Least, planned
from loadstone.fronts.census import census
from loadstone.fronts.energy import DEFAULT_TABLE, EnergyTable, energy
from loadstone.fronts.space import Measure
from loadstone.networks.instances import network_words
from loadstone.options import RunOptions
from loadstone.rtl.module import Module
from loadstone.simulate.prediction.model import has_many_tiles, predict_design
from loadstone.transfer.volumes import count

Measures = Least


def vector(measures: Measures, objectives: tuple[Measure, ...]) -> Vector:
    """The measures that count."""
    return tuple(measures[name] for name in objectives)


def measured(compilation: CircuitCompilation, memory: str, energies: EnergyTable = DEFAULT_TABLE) -> dict[Measure, int]:
    """All measures of a design but its area; its cycles are those of `predict_system`, without a top module."""
    accelerator, values = compilation.accelerator, compilation.values
    sampled = has_many_tiles(accelerator, values)
    run = predict_design(accelerator, compilation.outline, values, preset(memory), sampled=sampled)
    return {"cycles": run.cycles, **planned(compilation, energies)}


def network_planned(compilation: CircuitCompilation, energies: EnergyTable = DEFAULT_TABLE) -> dict[Measure, int]:
    """Words, cells and energy of a network, and a lower bound on cycles: a process starts an instance in a cycle."""
    network, values = compilation.network, compilation.values
    arrays, processes = network.tiles.kernel.arrays, network.processes.values()
    moving = [process for process in processes if process.kind != "compute" and arrays[process.array].rank]
    bits = sum(count(each.domain, values) * arrays[each.array].type.storage.bits for each in moving)
    return {
        "cycles": max((count(each.domain, values) for each in processes if each.kind == "compute"), default=0),
        "words": sum(network_words(network, values, scalars=False)),
        "cells": sum(size.cells for size in compilation.channel_sizes.values()),
        "energy": energy(network.tiles.kernel, values, bits, energies),
    }


def network_measured(
    compilation: CircuitCompilation, memory: str, energies: EnergyTable = DEFAULT_TABLE
) -> dict[Measure, int]:
    """All measures of a network but its area; its cycles are those of a simulation, whose results are checked."""
    options = RunOptions(target="verilog", network=True, memory=memory, no_baseline=True)
    ran = run_network(compilation, preset(memory), options)
    if ran.cycles is None or ran.verdict is None or not ran.verdict.match:
        raise UnsupportedError(Diagnostic("the simulated network computes something else"))
    return {**network_planned(compilation, energies), "cycles": ran.cycles}


def built(compilation: CircuitCompilation) -> dict[Measure, int]:
    """The area of an accelerator behind its registers, estimated from what it consists of."""
    return _area(compilation.controlled)


def network_built(compilation: CircuitCompilation) -> dict[Measure, int]:
    """The area of a network, by the model of accelerators."""
    return _area(compilation.network_design.module)


def _area(module: Module) -> dict[Measure, int]:
    found = census(module)
    return {
        "blocks": block_memories(found),
        "lut": estimated("lut", found),
        "ff": estimated("ff", found),
        "dsp": multipliers(found),
    }
