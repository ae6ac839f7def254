"""What a design costs: cycles by the model at the level of bursts, words by the plan, cells of all buffers."""

from __future__ import annotations

from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.fronts.archive import Vector
from loadstone.fronts.bounds import Least, planned
from loadstone.fronts.space import Measure
from loadstone.simulate.prediction.model import has_many_tiles, predict_design

Measures = Least


def vector(measures: Measures, objectives: tuple[Measure, ...]) -> Vector:
    """The measures that count."""
    return tuple(measures[name] for name in objectives)


def measured(compilation: CircuitCompilation, memory: str) -> dict[Measure, int]:
    """All measures of a design; its cycles are those of `predict_system`, without a top module."""
    accelerator, values = compilation.accelerator, compilation.values
    sampled = has_many_tiles(accelerator, values)
    run = predict_design(accelerator, compilation.outline, values, preset(memory), sampled=sampled)
    return {"cycles": run.cycles, **planned(compilation)}
