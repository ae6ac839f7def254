"""Area of accelerators before synthesis: the model of `loadstone.fronts.area`, fitted to what Yosys counts on ECP5.

    python benchmarks/area.py            synthesise all designs, fit, print the table of coefficients and its errors

Each design is an accelerator behind its registers, as `loadstone synth --bus axi` measures it. Coefficients are fitted
to the relative error with all factors at least 0, and judged by leaving one kernel out at a time: the error of each
design is that of a fit that has not seen its kernel. Exits with 1 where the table in `loadstone.fronts.area` has other
coefficients than this fit by more than 5 %, or where its stated error is exceeded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import loadstone as ls
from loadstone.fronts.area import COEFFICIENTS, RULE_ERROR, Fitted, block_memories, features, multipliers
from loadstone.fronts.census import Census, census
from loadstone.rtl.programs.synthesis import Resources, synthesize

EXAMPLES = Path(__file__).parent.parent / "examples"
DEVICE = "ecp5-85k"
STEPS = 1000
"""Of coordinate descent, after which coefficients change by less than a thousandth."""
DESIGNS: tuple[tuple[str, dict[str, int], dict[str, Any]], ...] = (
    ("vector_sum.c", {"n": 1000}, {"sizes": 16}),
    ("vector_sum.c", {"n": 1000}, {"sizes": 64, "unroll": 4}),
    ("vector_sum.c", {"n": 1000}, {"sizes": 256, "unroll": 2, "bus_width": 64}),
    ("dma.c", {"n": 1000}, {"sizes": 32}),
    ("dma.c", {"n": 1000}, {"sizes": 512, "bus_width": 128}),
    ("polymul.c", {"N": 60}, {"sizes": (8, 8)}),
    ("polymul.c", {"N": 60}, {"sizes": (16, 16), "unroll": 4}),
    ("fir.c", {"L": 16, "N": 200}, {"sizes": (8, 8)}),
    ("fir.c", {"L": 16, "N": 200}, {"sizes": (16, 32), "unroll": 2}),
    ("matmul.c", {"n": 40}, {"sizes": (8, 8, 8)}),
    ("matmul.c", {"n": 40}, {"sizes": (16, 16, 8), "unroll": 4}),
    ("matmul.c", {"n": 40}, {"sizes": (32, 32, 8), "unroll": 8}),
    ("suffix_sums.c", {"n": 500}, {"sizes": 32}),
    ("threshold.c", {"rows": 40, "cols": 40}, {"sizes": (8, 16)}),
    ("gray.c", {"rows": 40, "cols": 40}, {"sizes": (8, 8)}),
    ("polybench/gemm.c", {"ni": 20, "nj": 22, "nk": 24}, {"sizes": (8, 8, 8)}),
    ("devos_3_19.c", {}, {}),
    ("jacobi1d_sa.c", {}, {}),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A design before and after synthesis."""

    kernel: str
    census: Census
    resources: Resources


def sample(file: str, parameters: Mapping[str, int], options: Mapping[str, Any]) -> Sample:
    """A design, synthesised."""
    kernel = ls.parse(EXAMPLES / file)
    known = {name: value for name, value in parameters.items() if name in kernel.parameters}
    module = ls.accelerator(kernel, parameters=known, bus="axi", **options).controlled
    return Sample(file, census(module), synthesize(module, DEVICE, clock=False))


def fitted(rows: Sequence[Sequence[float]], totals: Sequence[float]) -> list[float]:
    """Factors of at least 0 with the least sum of squares of relative errors, by coordinate descent."""
    scaled = [[value / total for value in row] for row, total in zip(rows, totals, strict=True)]
    factors = [0.0] * len(rows[0])
    for _ in range(STEPS):
        for place in range(len(factors)):
            others = [predicted(factors, row) - factors[place] * row[place] for row in scaled]
            weight = sum(row[place] ** 2 for row in scaled)
            pull = sum(row[place] * (1 - other) for row, other in zip(scaled, others, strict=True))
            factors[place] = max(0.0, pull / weight) if weight else 0.0
    return factors


def predicted(factors: Sequence[float], row: Sequence[float]) -> float:
    """The value of a model."""
    return sum(factor * value for factor, value in zip(factors, row, strict=True))


def errors_by_kernel(samples: Sequence[Sample], of: Callable[[Sample], float], name: Fitted) -> list[float]:
    """The relative error of each design in a fit without its kernel."""
    found: list[float] = []
    for one in samples:
        others = [each for each in samples if each.kernel != one.kernel]
        factors = fitted([features(name, each.census) for each in others], [of(each) for each in others])
        found.append(predicted(factors, features(name, one.census)) / of(one) - 1)
    return found


def all_samples() -> list[Sample]:
    """All designs, printed as they are synthesised."""
    samples: list[Sample] = []
    for file, parameters, options in DESIGNS:
        one = sample(file, parameters, options)
        found, rules = one.resources, (block_memories(one.census), multipliers(one.census))
        print(f"{file:18} LUT {found.lut:6} FF {found.ff:6} blocks {rules[0]:3} of {found.bram:3}", end=" ")
        print(f"DSP {rules[1]:3} of {found.dsp:3}  {options}", flush=True)
        samples.append(one)
    return samples


def is_as_stated(samples: Sequence[Sample], name: Fitted, of: Callable[[Sample], int]) -> bool:
    """Whether the table has the coefficients of a fit, and its error; both are printed."""
    table = COEFFICIENTS[name]
    factors = fitted([features(name, each.census) for each in samples], [of(each) for each in samples])
    errors = [abs(error) for error in errors_by_kernel(samples, of, name)]
    middle, worst = median(errors), max(errors)
    print(f"{name}: {', '.join(f'{factor:.3f}' for factor in factors)}; error {middle:.1%}, at most {worst:.1%}")
    same = all(abs(a - b) <= 0.05 * max(a, 0.1) for a, b in zip(factors, table.factors, strict=True))
    return same and worst <= table.error


def main() -> int:
    """Print the fits and judge the table."""
    samples = all_samples()
    right = is_as_stated(samples, "lut", lambda each: each.resources.lut)
    right &= is_as_stated(samples, "ff", lambda each: each.resources.ff)
    right &= all(abs(block_memories(each.census) - each.resources.bram) <= RULE_ERROR for each in samples)
    right &= all(abs(multipliers(each.census) - each.resources.dsp) <= RULE_ERROR for each in samples)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
