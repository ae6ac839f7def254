"""What designs cost at least, known before they are made.

The words of a tiling are exact closed forms of its sizes (`tiling_search.closed_counts`). No mapping takes fewer cells
than elements that are alive while a tile runs: those that the strip touches in it or before, and in it or after. A lane
starts one instance in a cycle at most, each of the engines that load and store moves a beat of the bus, and an external
memory moves as many bits in a cycle as its open rows give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import prod

from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.fronts.energy import DEFAULT_TABLE, EnergyTable, energy
from loadstone.fronts.space import AREA, Design, Measure
from loadstone.fronts.stages import Stages
from loadstone.loops.accelerator import Accelerator, words_of_arrays
from loadstone.options import Choices
from loadstone.simulate.prediction.model import computing_cycles
from loadstone.tiling_search.bounds import compulsory_words
from loadstone.tiling_search.closed_counts import StripTraffic, box_counts
from loadstone.tiling_search.orders import Order
from loadstone.tiling_search.sizes import Held
from loadstone.tiling_search.strip_boxes import Boxes, Values
from loadstone.transfer.strips import memory_arrays
from loadstone.transform.tiling import TiledKernel
from loadstone.trials import instance_count

Least = Mapping[Measure, int]
"""Lower bounds on measures."""
HELD_SECONDS = 2
DEFAULT_BUS = 64
"""The bits of a bus where none is chosen: as many as the widest elements have, at most so many."""
NO_AREA: Least = dict.fromkeys(AREA, 0)
"""What is known of area before a design is built."""


@dataclass(frozen=True, slots=True)
class TilingLeast:
    """What all designs of a tiling take at least: words, their bits, cells, energy, and instances."""

    words: int
    bits: int
    cells: int
    energy: int
    instances: int

    def of(self, design: Design, lanes: int) -> dict[Measure, int]:
        """Lower bounds on a design of the tiling."""
        memory = -(-self.bits // preset(design.memory).bits_per_cycle)
        engines = 0 if design.network else -(-self.bits // (2 * (design.hardware.bus_width or DEFAULT_BUS)))
        return {
            "cycles": max(-(-self.instances // lanes), engines, memory),
            "words": self.words,
            "cells": self.cells,
            "energy": self.energy,
            **NO_AREA,
        }


@dataclass(frozen=True, eq=False)
class _Forms:
    """Closed forms of a schedule with some dimensions in its strip."""

    traffic: StripTraffic | None
    held: Held | None

    def words(self, sizes: Mapping[int, int]) -> int:
        """The words that tiles of some sizes move; 0 where there is no closed form."""
        return 0 if self.traffic is None else self.traffic.words(sizes)

    def cells(self, sizes: Mapping[int, int]) -> int:
        """The cells that the buffers of tiles take at least."""
        return 0 if self.held is None else sum(max(1, live) for live in self.held.live(sizes).values())


@dataclass(eq=False)
class TilingBounds:
    """Lower bounds of tilings of a subject; schedules share their closed forms."""

    stages: Stages
    energies: EnergyTable = DEFAULT_TABLE
    known: dict[str, _Forms] = field(default_factory=dict[str, _Forms])

    @cached_property
    def compulsory(self) -> int:
        """The words that any design moves."""
        return compulsory_words(self.stages.subject.kernel, self.stages.subject.values).words

    def least_of_all(self) -> TilingLeast:
        """What designs of any tiling take at least."""
        kernel, values = self.stages.substituted, self.stages.subject.values
        bits = self.compulsory * min((array.type.storage.bits for array in memory_arrays(kernel)), default=0)
        return TilingLeast(self.compulsory, bits, 0, 0, instance_count(kernel, values))

    def least(self, tiles: TiledKernel, tiling: Choices) -> TilingLeast:
        """What all designs of a tiling take at least."""
        values, arrays = self.stages.subject.values, memory_arrays(tiles.kernel)
        forms, sizes = self._forms(tiles), dict(enumerate(tiles.sizes))
        words = max(self.compulsory, forms.words(sizes)) if not tiling.keep_dead_stores else self.compulsory
        bits = words * min((array.type.storage.bits for array in arrays), default=0)
        joules = energy(tiles.kernel, values, bits, self.energies)
        cells, instances = max(len(arrays), forms.cells(sizes)), instance_count(tiles.kernel, values)
        return TilingLeast(words, bits, cells, joules, instances)

    def _forms(self, tiles: TiledKernel) -> _Forms:
        key = _text(tiles)
        if key not in self.known:
            counted = tiles.kernel.exact and instance_count(tiles.kernel, self.stages.subject.values) > 0
            self.known[key] = self._made(tiles) if counted else _Forms(None, None)
        return self.known[key]

    def _made(self, tiles: TiledKernel) -> _Forms:
        boxes = Boxes(Values(tiles.kernel, self.stages.subject.values), tiles.theta)
        dims, cut = tuple(range(len(tiles.sizes))), len(tiles.sizes) - tiles.strip
        outer, strip = dims[:cut], dims[cut:]
        moved, held = box_counts(boxes.moved(outer)), box_counts(boxes.held(strip), HELD_SECONDS)
        return _Forms(
            None if moved is None else StripTraffic(moved, outer, boxes.reach),
            None if held is None else Held(held, Order(outer, strip, frozenset()), boxes.reach, 1),
        )


def _text(tiles: TiledKernel) -> str:
    """What closed forms depend on: all of a tiling but its sizes."""
    relations = [access.relation for each in tiles.kernel.statements for access in (*each.reads, each.write)]
    return "; ".join(map(str, (tiles.strip, *tiles.theta.values(), *relations)))


@lru_cache(maxsize=16)
def _transfers(accelerator: Accelerator, parameters: tuple[tuple[str, int], ...]) -> tuple[int, int, int]:
    """The words that an accelerator loads and stores, and the bits of both."""
    values, arrays = dict(parameters), accelerator.kernel.arrays
    moved = words_of_arrays(accelerator, values)
    bits = sum(arrays[name].type.storage.bits * sum(words) for name, words in moved.items())
    return sum(loaded for loaded, _ in moved.values()), sum(stored for _, stored in moved.values()), bits


def planned(compilation: CircuitCompilation, energies: EnergyTable = DEFAULT_TABLE) -> dict[Measure, int]:
    """The measures that a plan has: words, cells and energy."""
    values = compilation.values
    cells = sum(part.buffer.all_cells(values) for part in compilation.plan.arrays.values())
    loaded, stored, bits = _transfers(compilation.accelerator, tuple(values.items()))
    joules = energy(compilation.accelerator.kernel, values, bits, energies)
    return {"words": loaded + stored, "cells": cells, "energy": joules}


def least_cycles(compilation: CircuitCompilation, memory: str) -> int:
    """A lower bound on the cycles of a design whose plan is known."""
    values, kernel = compilation.values, compilation.accelerator.kernel
    loaded, stored, bits = _transfers(compilation.accelerator, tuple(values.items()))
    fits = compilation.bus.bytes // min((array.type.storage.bits // 8 for array in kernel.arrays.values()), default=4)
    instances = -(-instance_count(kernel, values) // prod(compilation.lanes))
    return max(instances, -(-max(loaded, stored) // fits), int(-(-bits // preset(memory).bits_per_cycle)))


def least_computing(compilation: CircuitCompilation) -> int:
    """The cycles that the tiles of a design compute, one after the other; 0 where there are too many to look at."""
    return computing_cycles(compilation.accelerator, compilation.outline, compilation.values) or 0
