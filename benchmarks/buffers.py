"""Cells of local buffers over the largest number of live elements, for all examples with the tilings of their sources.

    python benchmarks/buffers.py [D]

`baseline` is the mapping by successive moduli, with which the search for a lattice begins. `max live` is counted for
parameters with several tiles in each dimension. Exits with 1 where the median ratio is above 1.10, or a buffer is
larger than its baseline.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from statistics import median
from typing import NamedTuple

import loadstone as ls
from loadstone.pipeline import plan_tiles
from loadstone.storage.buffers import Buffer
from loadstone.storage.local_plan import DEFAULT_DEPTH, with_buffers
from loadstone.storage.max_live import sample_parameters
from loadstone.transform.choice import choose_tiling

EXAMPLES = Path(__file__).parent.parent / "examples"
GOAL = 1.10


class Row(NamedTuple):
    """One buffer; `live` is None where enumeration would take too long."""

    kernel: str
    array: str
    shape: tuple[int, ...]
    cells: int
    baseline: int
    live: int | None

    @property
    def ratio(self) -> float | None:
        """Cells over live elements."""
        return self.cells / self.live if self.live else None


def rows_of(path: Path, depth: int) -> Iterator[Row]:
    """The buffers of an example."""
    tiles = choose_tiling(ls.parse(path))
    parameters = sample_parameters(tiles, depth) or {}
    plan = with_buffers(plan_tiles(tiles), depth)
    for name, part in plan.arrays.items():
        buffer = part.buffer
        shape, live = buffer.shape(parameters), buffer.most_live(parameters)
        yield Row(path.stem, name, shape, buffer.cells(parameters), baseline(buffer, parameters), live)


def baseline(buffer: Buffer, parameters: Mapping[str, int]) -> int:
    """Cells by successive moduli; subscripts that grow with the parameters are kept whole there as well."""
    whole = (
        size for part, size in zip(buffer.components, buffer.shape(parameters), strict=True) if part.modulus is None
    )
    return buffer.unsearched.cells * prod(whole)


def main() -> int:
    """Print the table and judge it."""
    depth = int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_DEPTH
    ratios: list[float] = []
    larger = 0
    print(f"{'kernel':18}{'array':8}{'shape':>18}{'cells':>9}{'baseline':>10}{'max live':>10}{'ratio':>8}")
    for path in sorted(EXAMPLES.rglob("*.c")):
        start = time.perf_counter()
        for row in rows_of(path, depth):
            larger += row.cells > row.baseline
            ratios += [] if row.ratio is None else [row.ratio]
            shape = " x ".join(map(str, row.shape))
            ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
            print(f"{row.kernel:18}{row.array:8}{shape:>18}{row.cells:9}{row.baseline:10}{row.live!s:>10}{ratio:>8}")
        print(f"{'':18}{time.perf_counter() - start:.1f} s")
    print(f"median of {len(ratios)} ratios: {median(ratios):.3f} (goal {GOAL}); larger than the baseline: {larger}")
    return 0 if median(ratios) <= GOAL and not larger else 1


if __name__ == "__main__":
    sys.exit(main())
