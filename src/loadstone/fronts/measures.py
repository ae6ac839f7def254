"""What a design costs: cycles by the model at the level of bursts, words, cells and energy by the plan, and area."""

from __future__ import annotations

from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.fronts.archive import Vector
from loadstone.fronts.area import block_memories, estimated, multipliers
from loadstone.fronts.bounds import Least, planned
from loadstone.fronts.census import census
from loadstone.fronts.energy import DEFAULT_TABLE, EnergyTable
from loadstone.fronts.space import Measure
from loadstone.simulate.prediction.model import has_many_tiles, predict_design

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


def built(compilation: CircuitCompilation) -> dict[Measure, int]:
    """The area of a design behind its registers, estimated from what it consists of."""
    found = census(compilation.controlled)
    return {
        "blocks": block_memories(found),
        "lut": estimated("lut", found),
        "ff": estimated("ff", found),
        "dsp": multipliers(found),
    }
