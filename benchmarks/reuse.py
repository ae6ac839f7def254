"""Time to find the reuse distances of runs with ten million accesses, against a plain run of the same kernel.

    python benchmarks/reuse.py

`measure` is all of it: loops, C text, compiler, run, results. `plain` is the same kernel printed as C, compiled and run
without counting. Exits with 1 where a kernel takes more than 10 s for ten million accesses.

Then the reuses of the wavelet transform with a distance greater than 2^i, against the column RC of Devos' Table B.1
(Table 3.6 has some of its rows). The thesis counts all accesses of a compiled program, also those of scalars and
coefficients, and shows no code: only long distances compare, and only roughly.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import loadstone as ls
from loadstone.locality import exceeding, measure, order_of
from loadstone.model.kernel import Kernel
from loadstone.simulate.memory import initial_memory
from loadstone.simulate.programs.compiled import compile_printed
from loadstone.transform.tiling import Tiling, tiled

EXAMPLES = Path(__file__).parent.parent / "examples"
GOAL = 10.0


PUBLISHED = {9: 10202, 10: 9690, 11: 8954, 12: 7060, 13: 4868, 14: 489}
"""Reuses with a distance greater than 2^i, 72 x 88 pixels, three levels [Devos, Table B.1, RC]."""


class Case(NamedTuple):
    """A kernel, parameters with about ten million accesses, and the tile size of a second run, if there is one."""

    path: str
    parameters: dict[str, int]
    tile: int | None = None


CASES = (
    Case("matmul.c", {"n": 136}),
    Case("matmul.c", {"n": 136}, 32),
    Case("polymul.c", {"N": 1580}),
    Case("polybench/floyd-warshall.c", {"n": 136}),
    Case("polybench/jacobi-2d.c", {"tsteps": 5, "n": 410}),
    Case("polybench/mvt.c", {"n": 1118}),
    Case("polybench/nussinov.c", {"n": 245}),
)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def plain_seconds(kernel: Kernel, parameters: dict[str, int]) -> float:
    memory = initial_memory(kernel, parameters)
    program = compile_printed(kernel)
    return seconds(lambda: program.run(parameters, memory))


def print_wavelet() -> None:
    kernel = ls.parse(Path(__file__).parent / "idwt" / "idwt.c")
    profile = measure(kernel, {"r": 9, "c": 11})
    print(f"\n{'distance >':>12}{'measured':>10}{'Devos':>8}")
    for exponent, published in PUBLISHED.items():
        print(f"{2**exponent:12}{exceeding(profile, 2**exponent):10}{published:8}")


def main() -> int:
    """Print the tables and judge the first."""
    slow = 0
    print(
        f"{'kernel':18}{'tile':>6}{'accesses':>12}{'elements':>10}"
        f"{'measure':>10}{'plain':>9}{'ratio':>8}{'s per 10^7':>12}"
    )
    for case in CASES:
        kernel = ls.parse(EXAMPLES / case.path)
        order = order_of(kernel if case.tile is None else tiled(kernel, Tiling(case.tile)))
        start = time.perf_counter()
        profile = measure(order, case.parameters)
        taken = time.perf_counter() - start
        plain = plain_seconds(kernel, case.parameters)
        rate = taken * 1e7 / profile.accesses
        slow += rate > GOAL
        print(
            f"{kernel.name:18}{case.tile or '-':>6}{profile.accesses:12}{profile.cold:10}"
            f"{taken:8.2f} s{plain:7.2f} s{taken / plain:8.1f}{rate:12.2f}"
        )
    print_wavelet()
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
