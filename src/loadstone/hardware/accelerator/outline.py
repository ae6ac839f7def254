"""An accelerator before its top module: compute unit, lanes and memories, all that its cycles are predicted from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadstone.bus.ports import Bus
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.hardware.accelerator.mover import tile_options
from loadstone.hardware.compute.local_layout import local_layouts
from loadstone.hardware.compute.unit import ComputeUnit, make_compute_unit
from loadstone.hardware.compute.unit_pipelines import pipelines_of
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.timing import REGISTERED_OUTPUT, MemoryTiming
from loadstone.hardware.design import bus_for, element_bytes
from loadstone.hardware.layout import ArrayLayouts, PackedLayout, PackedLayouts, packed_layouts
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.ranges import Limits, Ranges
from loadstone.loops.tile_loops import MARKERS, process_loops
from loadstone.model.kernel import Kernel
from loadstone.parallel.beats import Beats, find_beats
from loadstone.parallel.lanes import Lanes, find_lanes, lane_loops
from loadstone.parallel.tile_order import with_best_order


@dataclass(frozen=True, slots=True, eq=False)
class AcceleratorOutline:
    """What an accelerator consists of: arrays lie in memory as in `external` and `inside`, and `compute` has lanes.

    `beats` are the elements that move in a cycle.
    """

    accelerator: Accelerator
    ranges: Ranges
    bus: Bus
    external: PackedLayouts
    inside: ArrayLayouts
    element_bytes: Mapping[str, int]
    compute: ComputeUnit
    lanes: Lanes
    beats: Beats

    @property
    def moved(self) -> PackedLayouts:
        """The arrays that are loaded or stored."""
        return {name: self.external[name] for name in self.element_bytes}

    @property
    def bases(self) -> dict[str, str]:
        """The variables in external memory, in the order of their ports."""
        return {name: name for name in map(self.variable, self.element_bytes)}

    def variable(self, array: str) -> str:
        """The variable in external memory that holds the elements of an array."""
        return self.external[array].variable or array


def make_outline(
    accelerator: Accelerator,
    limits: Mapping[str, Limits],
    bus: Bus | None = None,
    memories: MemoryTiming | None = None,
    operations: Operations | None = None,
    unroll: int | tuple[int, ...] = 1,
) -> AcceleratorOutline:
    """The outline of an accelerator, for parameters in ranges, with at most `unroll` lanes."""
    _check_that_something_runs(accelerator.kernel)
    ranges, sizes = Ranges(accelerator.kernel, limits), element_bytes(accelerator)
    bus = bus_for(sizes, bus)
    external = packed_layouts(ranges, [array.name for array in accelerator.transferred if not array.rank])
    moved = [external[array.name] for array in accelerator.transferred if array.rank]
    beats, lanes = _beats(accelerator, ranges, bus, moved, find_lanes(accelerator, limits, unroll))
    inside = local_layouts(accelerator, ranges, lanes.banking)
    timing, arithmetic = memories or REGISTERED_OUTPUT, operations or Operations()

    def made(lanes: Lanes) -> ComputeUnit:
        tree = process_loops(accelerator, lane_loops(accelerator, lanes))
        return make_compute_unit(ranges, tree, inside, timing, arithmetic, MARKERS.names, lanes, tile_options(tree))

    compute = made(lanes)
    ordered = with_best_order(accelerator, ranges, lanes, pipelines_of(compute))
    if ordered is not lanes:
        compute, lanes = made(ordered), ordered
    return AcceleratorOutline(accelerator, ranges, bus, external, inside, sizes, compute, lanes, beats)


def _check_that_something_runs(kernel: Kernel) -> None:
    if all(statement.domain.is_empty() for statement in kernel.statements):
        raise UnsupportedError(Diagnostic(f"no statement of {kernel.name} ever runs: there is no hardware to make"))


def _beats(
    accelerator: Accelerator, ranges: Ranges, bus: Bus, moved: Sequence[PackedLayout], lanes: Lanes
) -> tuple[Beats, Lanes]:
    """The slices of arrays that move over a bus, and lanes with their banks."""
    fits = {each.array: bus.bytes // each.element_bytes for each in moved}
    apart = frozenset(each.array for each in moved if each.strides[-1] != 1)
    return find_beats(accelerator, ranges, lanes, fits, apart)
