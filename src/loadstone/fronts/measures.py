"""What a design costs: cycles by the model at the level of bursts, words by the plan, cells of all buffers.

Lower bounds are known before a design is made: a lane starts one instance in a cycle at most, and each of the engines
that load and store moves a beat of the bus.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.circuit_trials import predict_system
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.fronts.archive import Vector
from loadstone.fronts.space import Design, Measure
from loadstone.loops.accelerator import predicted_words
from loadstone.model.kernel import Kernel
from loadstone.tiling_search.bounds import compulsory_words
from loadstone.transform.selections import with_selections
from loadstone.transform.temporaries import without_temporaries
from loadstone.trials import instance_count

Measures = Mapping[Measure, int]


def vector(measures: Measures, objectives: tuple[Measure, ...]) -> Vector:
    """The measures that count."""
    return tuple(measures[name] for name in objectives)


@dataclass(frozen=True, eq=False)
class Subject:
    """What is explored: a kernel, values of its parameters, and a limit on isl's operations."""

    kernel: Kernel
    values: Mapping[str, int]
    limit: int | None = None

    def compilation(self, design: Design) -> CircuitCompilation:
        """The way of the kernel to a design."""
        return CircuitCompilation(self.kernel, design.choices, self.values, limit=self.limit, hardware=design.hardware)


def planned(compilation: CircuitCompilation) -> dict[Measure, int]:
    """The measures that a plan has: words and cells."""
    values = compilation.values
    cells = sum(part.buffer.all_cells(values) for part in compilation.plan.arrays.values())
    return {"words": sum(predicted_words(compilation.accelerator, values)), "cells": cells}


def least_cycles(compilation: CircuitCompilation) -> int:
    """A lower bound on the cycles of a design whose plan is known."""
    instances = instance_count(compilation.accelerator.kernel, compilation.values)
    fits = compilation.bus.bytes // _narrowest(compilation.kernel)
    beats = (-(-words // fits) for words in predicted_words(compilation.accelerator, compilation.values))
    return max(-(-instances // compilation.lanes), *beats)


def least_of_all(subject: Subject, lanes: int, bus_width: int) -> dict[Measure, int]:
    """Lower bounds on the measures of any design with so many lanes, and a bus of so many bits, at most."""
    words = compulsory_words(subject.kernel, subject.values).words
    instances = instance_count(without_temporaries(with_selections(subject.kernel)), subject.values)
    moved = 2 * (bus_width // 8 // _narrowest(subject.kernel))
    return {"cycles": max(-(-instances // lanes), -(-words // moved)), "words": words, "cells": 1}


def _narrowest(kernel: Kernel) -> int:
    """The bytes of the narrowest elements of arrays."""
    return min((array.type.storage.bits // 8 for array in kernel.arrays.values()), default=4)


def measured(compilation: CircuitCompilation, design: Design) -> dict[Measure, int]:
    """All measures of a design."""
    cycles = predict_system(compilation, preset(design.memory)).cycles
    assert cycles is not None
    return {"cycles": cycles, **planned(compilation)}
