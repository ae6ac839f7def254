"""Accelerators against the bound of their lanes and of their bus.

    python benchmarks/throughput.py [--elements N] [--predicted]

`bound` is the least that an accelerator can take: as many cycles as there are instances for each lane, or beats of the
bus, if all bytes are moved in whole ones, whichever are more. Memory `ideal` takes a beat in each cycle. Others take
cycles to change rows and to refresh, in which nothing moves: `busy` are the cycles of the memory itself, for reads and
writes together. The exit status is 1 where a result is wrong, where the model is more than 1 % off, or where the cycles
are above 1.15 of the bound and of those in which the memory is busy. With `--predicted`, nothing is simulated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import loadstone as ls
from loadstone.circuit_trials import predict_system, run_system
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import Timing, preset
from loadstone.options import RunOptions
from loadstone.outcome import Outcome
from loadstone.simulate.prediction.model import predict_design

EXAMPLES = Path(__file__).parent.parent / "examples"
IDEAL = Timing("ideal", 1, 1 << 20, Fraction(512), 0, 2)
MEMORIES = (IDEAL, preset("hbm"))
MOST = 1.15
"""The most cycles that an accelerator may take, in those of the bound."""


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel, the tile and lanes of its accelerator, and the bits of its bus."""

    name: str
    tile: tuple[int, ...]
    lanes: int
    bus_width: int

    def compiled(self, elements: int) -> CircuitCompilation:
        """Hardware for vectors of some elements."""
        kernel = ls.parse(EXAMPLES / f"{self.name}.c")
        return ls.accelerator(
            kernel, parameters={"n": elements}, sizes=self.tile, depth=2, unroll=self.lanes, bus_width=self.bus_width
        )


CASES = (Case("dma", (4096,), 16, 512), Case("vector_sum", (4096,), 16, 512))


def bound(compilation: CircuitCompilation, outcome: Outcome) -> int:
    """The least cycles of a run."""
    lanes, bus, sizes = compilation.design.lanes.count, compilation.bus, compilation.design.element_bytes
    assert outcome.instances is not None
    assert outcome.traffic is not None
    assert len(set(sizes.values())) == 1
    moved = (outcome.traffic.loaded + outcome.traffic.stored) * next(iter(sizes.values()))
    return max(-(-outcome.instances // lanes), -(-moved // bus.bytes))


def row(case: Case, elements: int, timing: Timing, predicted: bool) -> Iterator[str]:
    """Prints a row of the table; what does not hold."""
    compilation = case.compiled(elements)
    model = predict_system(compilation, timing)
    options = RunOptions(target="verilog", no_baseline=True)
    outcome = model if predicted else run_system(compilation, timing, options)
    busy = predict_design(compilation.accelerator, compilation.design, compilation.values, timing).busy_cycles
    cycles, expected, least = outcome.cycles or 0, model.cycles or 0, bound(compilation, outcome)
    print(f"{case.name:12}{case.bus_width:5}{case.lanes:7}{timing.name:>8}{cycles:9}{expected:9}{least:9}", end="")
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
    parser.add_argument("--elements", type=int, default=1 << 16)
    parser.add_argument("--predicted", action="store_true")
    options = parser.parse_args()
    print(f"{'kernel':12}{'bits':>5}{'lanes':>7}{'memory':>8}{'cycles':>9}{'model':>9}{'bound':>9}", end="")
    print(f"{'ratio':>7}{'busy':>9}{'ratio':>7}")
    wrong = [
        text for case in CASES for timing in MEMORIES for text in row(case, options.elements, timing, options.predicted)
    ]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
