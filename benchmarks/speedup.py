"""Accelerators against the direct implementation on the same memory, beside RR-7648 [RR-7648, IV and Figure 11].

    python benchmarks/speedup.py [--words N] [--product N] [--baseline-product N] [--full] [--no-area] [--no-clock]

Memory is `paper`: a word in an open row takes a cycle, one in another row eight. The first table has cycles of both in
simulation. The direct implementation asks for each element when it needs it, with many on their way; the accelerator
loads and stores tiles in bursts while it computes. `bound` is the least that an accelerator can take: as many cycles as
there are instances for each lane, or words to move, whichever are more. The exit status is 1 where the ratio is above
1.10 (1.25 with eight lanes), or a speed-up below the published ones.

RR-7648 has speed-ups of at most 8: one row change for each access, against none. The product gains more here, since
tiles are read again and again from local memory: the accelerator takes one cycle for an instance, the direct
implementation two accesses, which are 16 cycles at any size. So its speed-up is measured at a smaller size, unless
`--full` is given.

The second table has the cycles in which no instance goes into a datapath, for small tiles: those of the first load and
the last store, and all in which compute waits for its elements or for results that are still on their way.

The third table has what both take on an ECP5, for these sizes, all powers of two. Ratios of tables (LUT beside ALUT),
registers and multipliers are beside those of Figure 11, which are of whole systems with processor and memory: `net`
ratios leave out what it says of the system alone. Multipliers must be those of the datapaths, each of which is looked
at alone, so that none is used for addresses. Otherwise the exit status is 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import loadstone as ls
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.hardware.design import AcceleratorDesign, ComputeDesign
from loadstone.model.kernel import Kernel
from loadstone.rtl.programs.synthesis import Resources, synthesize
from loadstone.simulate.hardware.system import SystemResult, SystemRun
from loadstone.simulate.memory import live_out_arrays, mismatches
from loadstone.transfer.volumes import count
from loadstone.trials import trial

EXAMPLES = Path(__file__).parent.parent / "examples"
PAPER = preset("paper")
DEVICE = "ecp5-85k"
DEPTH = 2
LANES = 8
MOST, MOST_OF_LANES = 1.10, 1.25
"""The most cycles that an accelerator may take, in those of the bound; with several lanes."""


IDLE = (
    ("matmul", (8, 8, 8), {"n": 24}),
    ("fir", (32, 8), {"L": 21, "N": 500}),
    ("polybench/gemm", (8, 8, 8), {"ni": 24, "nj": 24, "nk": 24}),
)
"""Kernels, tiles and parameters for which idle cycles are counted."""


class Figures(NamedTuple):
    """A row of Figure 11: ALUT, registers in total, and multipliers of 9 bits."""

    alut: int
    registers: int
    dsp: int


class Published(NamedTuple):
    """What RR-7648 says of a kernel: original and automatic version, and speed-ups by hand and automatic."""

    original: Figures
    automatic: Figures
    by_hand: float
    speedup: float


SYSTEM_ALONE = Figures(4406, 3606, 8)
PUBLISHED = {
    "dma": Published(Figures(4598, 3744, 8), Figures(11052, 12265, 48), 6.01, 5.99),
    "vector_sum": Published(Figures(5333, 4739, 8), Figures(11632, 13259, 48), 6.54, 6.51),
    "matmul": Published(Figures(6452, 4709, 40), Figures(24669, 32364, 336), 7.37, 7.32),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel, the tile and lanes of its accelerator, and the sizes for it and for the direct implementation."""

    name: str
    tile: tuple[int, ...]
    size: int
    baseline_size: int
    lanes: int = 1

    @property
    def title(self) -> str:
        """The kernel, and its lanes."""
        return self.name if self.lanes == 1 else f"{self.name}, {self.lanes}"

    @property
    def most(self) -> float:
        """The most cycles, in those of the bound."""
        return MOST if self.lanes == 1 else MOST_OF_LANES

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return ls.parse(EXAMPLES / f"{self.name}.c")

    def compiled(self, size: int) -> CircuitCompilation:
        """Hardware for sizes up to this one."""
        return ls.accelerator(self.kernel, parameters={"n": size}, sizes=self.tile, depth=DEPTH, unroll=self.lanes)

    def accelerator(self, size: int) -> AcceleratorDesign:
        """The accelerator, for sizes up to this one."""
        return self.compiled(size).design

    def direct(self, size: int) -> ComputeDesign:
        """The direct baseline, for sizes up to this one."""
        return self.compiled(size).direct


@dataclass(frozen=True, slots=True)
class Run:
    """A run: what it took, whether the result is that of the original program, and the least that it could take.

    `groups` are the cycles in which instances go, if all lanes have one.
    """

    outcome: SystemResult
    right: bool
    groups: int

    @property
    def bound(self) -> int:
        """The least cycles that it could take."""
        return max(self.groups, self.outcome.loaded + self.outcome.stored)

    @property
    def idle(self) -> int:
        """The cycles in which no instance goes."""
        return self.outcome.cycles - self.groups

    @property
    def ratio(self) -> float:
        """The cycles in those of the bound."""
        return self.outcome.cycles / self.bound


def run(design: ComputeDesign, parameters: Mapping[str, int]) -> Run:
    """Runs a design in simulation."""
    kernel = design.compute.kernel
    expected, actual = trial(kernel, parameters)
    outcome = SystemRun(design, PAPER, parameters, actual, {}).execute()
    instances = sum(count(statement.domain, parameters) for statement in kernel.statements)
    right = not mismatches(expected, actual, live_out_arrays(kernel))
    lanes = design.lanes.count if isinstance(design, AcceleratorDesign) else 1
    return Run(outcome, right, -(-instances // lanes))


def speed(cases: list[Case]) -> Iterator[str]:
    """Prints the first table; what does not hold."""
    print("Cycles at memory paper; the speed-up is that of the size in brackets")
    print(f"{'kernel':12}{'n':>7}{'cycles':>12}{'bound':>12}{'ratio':>7}", end="")
    print(f"{'direct':>14}{'':7}{'speed-up':>9}{'published':>11}{'by hand':>9}")
    for case in cases:
        fast, slow = (
            run(case.accelerator(case.size), {"n": case.size}),
            run(case.direct(case.baseline_size), {"n": case.baseline_size}),
        )
        smaller = {"n": case.baseline_size}
        same = fast if case.size == case.baseline_size else run(case.accelerator(case.baseline_size), smaller)
        known = PUBLISHED[case.name]
        print(f"{case.title:12}{case.size:7}{fast.outcome.cycles:12}{fast.bound:12}{fast.ratio:7.3f}", end="")
        gain = slow.outcome.cycles / same.outcome.cycles
        print(f"{slow.outcome.cycles:14} ({case.baseline_size}){gain:9.2f}{known.speedup:11.2f}{known.by_hand:9.2f}")
        if fast.ratio > case.most:
            yield f"{case.title}: {fast.ratio:.3f} times the bound"
        if not (fast.right and slow.right and same.right):
            yield f"{case.title}: a result is wrong"
        if gain < max(known.speedup, known.by_hand):
            yield f"{case.title}: {gain:.2f} times as fast"


def idle() -> Iterator[str]:
    """Prints the second table; what does not hold."""
    print(f"\nIdle cycles of compute at memory paper\n{'kernel':16}{'types':10}{'cycles':>8}{'idle':>8}")
    for name, tile, parameters in IDLE:
        for types in (None, {"double": "int"}) if "gemm" in name else (None,):
            kernel = ls.parse(EXAMPLES / f"{name}.c", types=types)
            found = run(ls.accelerator(kernel, parameters=parameters, sizes=tile, depth=DEPTH).design, parameters)
            print(f"{name:16}{'as int' if types else 'own':10}{found.outcome.cycles:8}{found.idle:8}")
            if not found.right:
                yield f"{name}: the result is wrong"


def area(cases: list[Case], clock: bool) -> Iterator[str]:
    """Prints the third table; what does not hold."""
    print(f"\nOn {DEVICE}")
    print(f"{'kernel':12}{'':13}{'LUT':>7}{'FF':>7}{'BRAM':>6}{'DSP':>5}{'MHz':>8}")
    for case in cases:
        designs = {"direct": case.direct(case.size), "accelerator": case.accelerator(case.size)}
        found = {title: synthesize(design.module, DEVICE, clock=clock) for title, design in designs.items()}
        for title, each in found.items():
            print(f"{case.title:12}{title:13}{each.lut:7}{each.ff:7}{each.bram:6}{each.dsp:5}{each.fmax_mhz or 0:8.1f}")
        overhead(case.name, found["direct"], found["accelerator"])
        for title, design in designs.items():
            own = multipliers(design)
            if found[title].dsp != own:
                yield f"{case.name}, {title}: {found[title].dsp} multipliers, {own} in datapaths"


def overhead(name: str, direct: Resources, accelerator: Resources) -> None:
    """Prints how much more an accelerator takes, here and in Figure 11."""
    known = PUBLISHED[name]
    whole = [new / old for new, old in zip(known.automatic, known.original, strict=True)]
    net = [new - alone for new, alone in zip(known.automatic, SYSTEM_ALONE, strict=True)]
    base = [old - alone for old, alone in zip(known.original, SYSTEM_ALONE, strict=True)]
    lut, ff = accelerator.lut / direct.lut, accelerator.ff / direct.ff
    print(
        f"{'':12}{'more by':13}{lut:7.2f}{ff:7.2f}; published {whole[0]:.2f}, {whole[1]:.2f}, DSP {whole[2]:.2f}",
        end="",
    )
    print(f"; net {net[0] / base[0]:.1f}, {net[1] / base[1]:.1f}")


def multipliers(design: ComputeDesign) -> int:
    """The multipliers of the datapaths of a design."""
    used: Mapping[str, int] = {
        name: synthesize(path.module, DEVICE, clock=False).dsp for name, path in design.compute.datapaths.items()
    }
    return sum(number * len(design.compute.lanes(name)) for name, number in used.items())


def main() -> int:
    parser = argparse.ArgumentParser(description="Accelerators against the direct implementation.")
    parser.add_argument("--words", type=int, default=65536, metavar="N", help="of vectors (65536)")
    parser.add_argument("--product", type=int, default=256, metavar="N", help="rows and columns of matrices (256)")
    parser.add_argument("--baseline-product", type=int, default=64, metavar="N", help="those for the speed-up (64)")
    parser.add_argument("--full", action="store_true", help="measures the speed-up of the product at its size, too")
    parser.add_argument("--no-area", action="store_true", help="leaves out what is taken on an FPGA")
    parser.add_argument("--no-clock", action="store_true", help="leaves out the clock on an FPGA")
    options = parser.parse_args()
    baseline = options.product if options.full else min(options.product, options.baseline_product)
    cases = [
        Case("dma", (1024,), options.words, options.words),
        Case("vector_sum", (1024,), options.words, options.words),
        Case("matmul", (32, 32, 32), options.product, baseline),
        Case("matmul", (32, 32, 32), options.product, baseline, LANES),
    ]
    faults = [*speed(cases), *idle()]
    if not options.no_area:
        faults += area(cases, not options.no_clock)
    print("\n" + ("\n".join(faults) or "all as it should be"))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
