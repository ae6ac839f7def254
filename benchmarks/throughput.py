"""Accelerators against the bound of their lanes and of their bus.

    python benchmarks/throughput.py [KERNEL ...] [--predicted]

`bound` is the least that an accelerator can take: as many cycles as there are instances for each requested lane, or
beats of the bus, if all bytes are moved in whole ones, whichever are more. Memory `ideal` takes a beat in each cycle.
Others take cycles to change rows and to refresh, in which nothing moves: `busy` are the cycles of the memory itself,
for reads and writes together. The exit status is 1 where a result is wrong, where the model is more than 1 % off, or
where the cycles are above 1.15 of the bound and of those in which the memory is busy. With `--predicted`, nothing is
simulated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from pathlib import Path

import loadstone as ls
from loadstone.circuit_trials import predict_system, run_system
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import Timing, preset
from loadstone.loops.accelerator import words_of_arrays
from loadstone.options import RunOptions
from loadstone.outcome import Outcome
from loadstone.simulate.prediction.model import predict_design

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
IDEAL = Timing("ideal", 1, 1 << 20, Fraction(512), 0, 2)
MEMORIES = (IDEAL, preset("hbm"))
MOST = 1.15
"""The most cycles that an accelerator may take, in those of the bound."""
SHORT, FLOAT = {"int": "short"}, {"int": "float", "double": "float"}


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel in a file, with types and parameters, the tile and lanes of its accelerator, and the bits of a bus."""

    path: Path
    parameters: Mapping[str, int]
    tile: tuple[int, ...]
    lanes: int | tuple[int, ...]
    bus_width: int
    types: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        """The kernel."""
        return self.path.stem

    @property
    def wanted(self) -> int:
        """The number of lanes."""
        return self.lanes if isinstance(self.lanes, int) else prod(self.lanes)

    def compiled(self) -> CircuitCompilation:
        """The hardware."""
        kernel = ls.parse(self.path, types=self.types)
        return ls.accelerator(
            kernel, parameters=self.parameters, sizes=self.tile, depth=2, unroll=self.lanes, bus_width=self.bus_width
        )


VECTOR, SQUARE = {"n": 1 << 16}, {"n": 128}
PICTURE, PIXELS = {"n": 128, "m": 256}, {"h": 129, "w": 257}
CASES = (
    Case(EXAMPLES / "dma.c", VECTOR, (4096,), 16, 512),
    Case(EXAMPLES / "vector_sum.c", VECTOR, (4096,), 16, 512),
    Case(HERE / "throughput/filter.c", PICTURE, (16, 32), 1, 32),
    Case(HERE / "throughput/filter.c", PICTURE, (16, 32), 8, 128),
    Case(EXAMPLES / "accumulators/sobel_clamp.c", PIXELS, (16, 64), 1, 32),
    Case(EXAMPLES / "accumulators/sobel_clamp.c", PIXELS, (16, 64), 8, 64),
    Case(EXAMPLES / "fir.c", {"L": 64, "N": 2048}, (256, 32), 8, 128),
    Case(EXAMPLES / "matmul.c", SQUARE, (32, 32, 32), 8, 128, FLOAT),
    Case(EXAMPLES / "matmul.c", {"n": 256}, (64, 64, 64), (8, 8), 128, SHORT),
)


def bound(case: Case, compilation: CircuitCompilation, outcome: Outcome) -> int:
    """The least cycles of a run."""
    assert outcome.instances is not None
    moved = words_of_arrays(compilation.accelerator, case.parameters).items()
    sizes = compilation.design.element_bytes
    moved_bytes = sum(sizes[name] * (loaded + stored) for name, (loaded, stored) in moved if name in sizes)
    return max(-(-outcome.instances // case.wanted), -(-moved_bytes // compilation.bus.bytes))


def row(case: Case, compilation: CircuitCompilation, timing: Timing, predicted: bool) -> Iterator[str]:
    """Prints a row of the table; what does not hold."""
    model = predict_system(compilation, timing)
    options = RunOptions(target="verilog", no_baseline=True)
    outcome = model if predicted else run_system(compilation, timing, options)
    busy = predict_design(compilation.accelerator, compilation.design, compilation.values, timing).busy_cycles
    cycles, expected, least = outcome.cycles or 0, model.cycles or 0, bound(case, compilation, outcome)
    print(f"{case.name:12}{case.bus_width:5}{case.wanted:7}{timing.name:>8}{cycles:9}{expected:9}{least:9}", end="")
    print(f"{cycles / least:7.3f}{busy:9}{cycles / busy:7.3f}", flush=True)
    if not outcome.is_right:
        yield f"{case.name} at {timing.name}: the result is wrong"
    if abs(expected - cycles) > 0.01 * cycles:
        yield f"{case.name} at {timing.name}: {expected} cycles predicted"
    if cycles > MOST * max(least, busy):
        yield f"{case.name} at {timing.name}: {cycles / max(least, busy):.3f} times the bound"


def main() -> int:
    """Prints the table; 1 where something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="names of kernels (all of them)")
    parser.add_argument("--predicted", action="store_true")
    options = parser.parse_args()
    print(f"{'kernel':12}{'bits':>5}{'lanes':>7}{'memory':>8}{'cycles':>9}{'model':>9}{'bound':>9}", end="")
    print(f"{'ratio':>7}{'busy':>9}{'ratio':>7}")
    wrong = list[str]()
    for case in CASES:
        if case.name in options.kernels or not options.kernels:
            compilation = case.compiled()
            wrong += [text for timing in MEMORIES for text in row(case, compilation, timing, options.predicted)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
