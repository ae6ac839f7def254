"""The passes of a fusion as accelerators: what the formulas of `mapping` estimate, exactly.

Buffers and words are those of the plan in blocks, cycles those of the model of accelerators on a memory as the formulas
have it: a burst costs its latency, then every cycle brings a word, and rows cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import islice

from loadstone.circuit_trials import predict_system
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import Timing
from loadstone.errors import IllegalTransformation, UnsupportedError
from loadstone.frontend.arrayol.flat import Application
from loadstone.frontend.arrayol.kernel import program_of
from loadstone.frontend.arrayol.subscripts import FRAMES
from loadstone.frontend.build import build_kernel
from loadstone.mapping.blocks import tilings
from loadstone.mapping.fusions import Exploration, Solution
from loadstone.mapping.passes import passes
from loadstone.mapping.times import ExternalMemory
from loadstone.options import BUS_WIDTHS, HardwareOptions
from loadstone.transform.tiling import Tiling

MOST_TRIES, ROW_BYTES = 12, 1 << 30


@dataclass(frozen=True, slots=True)
class Exact:
    """What the passes of a fusion take, one after the other, for one frame: buffers in data, words moved, cycles."""

    cells: int
    loaded: int
    stored: int
    cycles: int


def legal_tiling(part: Application, block: int) -> Tiling | None:
    """The first tiling in blocks that respects all dependences; None where none of the first ones does."""
    kernel = build_kernel(program_of(part, part.name))
    for tiling in islice(tilings(part, block), MOST_TRIES):
        try:
            assert CircuitCompilation(kernel, given=_one_frame(part), tiling=tiling).legal_tiles
        except (IllegalTransformation, UnsupportedError):
            continue
        return tiling
    return None


def exact_figures(application: Application, found: Exploration, memory: ExternalMemory) -> list[Exact | None]:
    """What each fusion takes; None where a pass has no tiling in blocks, or no hardware."""

    @cache
    def measured(first: int, size: int, block: int) -> Exact | None:
        fusion = tuple(part for part in (first, size, len(application.tasks) - first - size) if part)
        return _measured(list(passes(application, fusion))[int(first > 0)], block, memory)

    def sums(each: Solution) -> Exact | None:
        starts = [sum(each.fusion[:k]) for k in range(len(each.fusion))]
        block = (each.block or 1) // max(each.units)
        return _together([measured(first, size, block) for first, size in zip(starts, each.fusion, strict=True)])

    return [sums(each) for each in found.solutions]


def _together(parts: Sequence[Exact | None]) -> Exact | None:
    """One pass after the other; buffers are there at the same time, as the formulas count them."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    columns = zip(*((part.cells, part.loaded, part.stored, part.cycles) for part in known), strict=True)
    return Exact(*map(sum, columns))


def _measured(part: Application, block: int, memory: ExternalMemory) -> Exact | None:
    tiling = legal_tiling(part, block)
    if tiling is None:
        return None
    kernel, given = build_kernel(program_of(part, part.name)), _one_frame(part)
    bits = memory.data_per_word * max(array.type.storage.bits for array in kernel.arrays.values() if array.rank)
    width = max(size for size in BUS_WIDTHS if size <= max(bits, BUS_WIDTHS[0]))
    timing = Timing("formulas", 1, ROW_BYTES, Fraction(width), 0, max(2, memory.latency))
    compilation = CircuitCompilation(kernel, hardware=HardwareOptions(bus_width=width), given=given, tiling=tiling)
    try:
        outcome = predict_system(compilation, timing)
    except UnsupportedError:
        return None
    cells = sum(array.buffer.all_cells(compilation.values) for array in compilation.plan.arrays.values())
    assert outcome.traffic is not None
    assert outcome.cycles is not None
    return Exact(cells, outcome.traffic.loaded, outcome.traffic.stored, outcome.cycles)


def _one_frame(part: Application) -> dict[str, int]:
    unbounded = any(None in array.sizes for array in part.arrays.values())
    return {FRAMES: 1} if unbounded else {}
