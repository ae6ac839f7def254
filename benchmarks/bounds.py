"""Memory of the schedules of Devos, 4.7 and 4.8, by all methods, beside what the thesis printed (Tables 4.6 to 4.13).

    python benchmarks/bounds.py [--jobs N] [TABLE ...]      for example 4.6a 4.9a; without any, all but 4.10c

`min` and `max` are the smallest and largest results over all schedules of a table, `rmse` their root mean square
distance to the exact ones, `halved` that distance where each domain is halved once before Bernstein expansion. Most of
the distance is due to the expansion itself: where the count is a polynomial, all methods have the same, and half a
domain removes it. Chambers of barvinok then and of isl now differ, so that plain rows compare only roughly. Times are
those of bounding; the thesis' times (AMD Athlon XP, 1830 MHz) hold counting as well.

In the exact rows our numbers differ where the thesis is wrong: the minima of 4.6b, 4.7b, 4.11b and 4.12b are 99, since
(1, -1) is the reversal of (-1, 1); the maxima of 4.10 count C twice, and exceed all elements there are.

Hybrid bounds (Tables 4.11 to 4.13) are whole numbers, as printed. Poly Approx of Table 4.13a has the printed minimum
and maximum, 173 and 226, but a distance of 15.11 where 10.81 is printed; in Table 4.13c, which has these schedules and
others, it has 152, 232 and 18.84, where 152, 232 and 18.88 are printed. So the method is the same; 10.81 does not fit.

Exits with 1 where a bound is below the exact value, a halved one is further from it than printed, or an exact column is
not what enumeration of the printed definition gives.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import product, repeat
from math import floor, gcd, sqrt
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import islpy as isl

import loadstone as ls
from loadstone.counting.bounding import (
    AddVariables,
    Basic,
    DropFractions,
    Exact,
    Hybrid,
    Method,
    ModClasses,
    PolyApproximation,
    SplitPeriods,
    bound,
)
from loadstone.counting.extremum import number
from loadstone.counting.pieces import Pieces
from loadstone.counting.schedule_memory import Lifetime, live_count
from loadstone.counting.schedule_search import linear_schedule, schedules
from loadstone.model.kernel import Kernel

BASIC: dict[str, Basic] = {
    "Exact": Exact(),
    "Add Var": AddVariables(),
    "Mod Classes": ModClasses(),
    "Split Periods Th=10": SplitPeriods(10),
    "Split Periods Th=100": SplitPeriods(100),
    "Poly Approx": PolyApproximation(),
    "Drop Frac": DropFractions(),
}
SMALL_CHAMBER, HALVINGS, ROUNDING = 50, 1, 0.005
CHUNK = 4
"""How many schedules a process takes at once."""
MATMUL = """
void matmul(int n, int A[n + 1][n + 1], int B[n + 1][n + 1], int C[n + 1][n + 1]) {{
#pragma scop
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {{
      {initialised}
      for (int k = 1; k <= n; k++)
S2:     C[i][j] += A[i][k] * B[k][j];
    }}
#pragma endscop
}}
"""
Schedules = Callable[[], Iterator[isl.UnionMap]]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table of the thesis: which schedules, what enumeration gives, and what it printed: min, max, rmse, seconds."""

    kernel: Kernel
    parameters: Mapping[str, int]
    schedules: Schedules
    exact: tuple[int, int]
    printed: Sequence[tuple[float, float, float, float]]
    hybrid: bool = False
    slow: bool = False


def parsed(text: str) -> Kernel:
    """The kernel of a C text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.c"
        path.write_text(text)
        return ls.parse(path)


FIR = ls.parse(Path(__file__).parent.parent / "examples" / "fir.c")
PRODUCT = parsed(MATMUL.format(initialised=""))
CLEARED = parsed(MATMUL.format(initialised="S1: C[i][j] = 0;"))


def fir_vectors(vectors: Sequence[tuple[int, int]]) -> Schedules:
    """One-dimensional schedules of the filter."""
    return lambda: (linear_schedule(FIR, {"S1": (vector,)}) for vector in vectors)


def product_vectors(largest: int) -> Schedules:
    """One-dimensional schedules of the product: coefficients other than zero without a common divisor."""
    numbers = [number for number in range(-largest, largest + 1) if number]
    vectors = [vector for vector in product(numbers, repeat=3) if gcd(*vector) == 1]
    return lambda: (linear_schedule(PRODUCT, {"S2": (vector,)}) for vector in vectors)


UNITS = [number for number in range(-10, 11) if number]
FIRST, SECOND = fir_vectors([(u, 1) for u in UNITS]), fir_vectors([(1, v) for v in UNITS])
SHORT, LONG = {"L": 50, "N": 100}, {"L": 50, "N": 1000}


def matrices(largest: int) -> Schedules:
    """Two-dimensional schedules of the filter."""
    return lambda: schedules(FIR, SHORT, largest, dimensions=2, commutative=True)


def cleared(largest: int) -> Schedules:
    """One-dimensional schedules of the product with initialisation."""
    return lambda: schedules(CLEARED, {"n": 100}, largest, commutative=True)


# fmt: off
TABLES = {
    "4.6a": Table(FIR, SHORT, FIRST, (99, 197), (
        (99, 197, 0, 1.3), (99, 197, 5.06, 1.5), (99, 197, 0.22, 2.3), (99, 197, 2.62, 1.4), (99, 197, 0.22, 3.7),
        (99, 198.8, 74.42, 1.0), (99, 2477.22, 1079.81, 0.9))),
    "4.6b": Table(FIR, SHORT, SECOND, (99, 197), (
        (100, 197, 0, 1.3), (100, 197, 5.34, 1.8), (100, 197, 0, 2.3), (100, 197, 3.01, 1.7), (100, 197, 0.06, 4.5),
        (100, 202.8, 76.52, 1.0), (100, 1410.89, 715.47, 0.9))),
    "4.7a": Table(FIR, LONG, FIRST, (99, 197), (
        (99, 197, 0, 11.0), (99, 197, 5.12, 1.5), (99, 197, 0.32, 2.3), (99, 197, 2.65, 1.4), (99, 197, 2.65, 1.7),
        (99, 198.8, 74.48, 1.0), (99, 24077.22, 10113.59, 0.9))),
    "4.7b": Table(FIR, LONG, SECOND, (99, 1079), (
        (100, 1079, 0, 3.0), (100, 1080.15, 0.99, 1.1), (100, 1079, 0, 2.0), (100, 1080.15, 0.94, 1.0),
        (100, 1079, 0, 4.9), (100, 1961, 525.51, 1.0), (100, 2877.9, 1042.92, 0.9))),
    "4.8a": Table(FIR, SHORT, matrices(1), (99, 197), (
        (99, 197, 0, 20.2), (99, 198, 0.31, 2.6), (99, 197, 0, 3.1), (99, 197, 0, 2.6), (99, 197, 0, 3.6),
        (99, 198.5, 0.53, 2.9), (99, 198.5, 0.48, 3.7))),
    "4.8b": Table(FIR, SHORT, matrices(2), (99, 197), (
        (99, 197, 0, 500.3), (99, 221.25, 19.78, 90.1), (99, 197, 0.01, 148.7), (99, 218, 19.02, 82.8),
        (99, 221.56, 2.75, 1247.2), (99, 272, 30.73, 84.4), (99, 343.25, 44.74, 86.9))),
    "4.9a": Table(PRODUCT, {"n": 10}, product_vectors(3), (160, 210), (
        (160, 210, 0, 10.8), (161, 285, 17.92, 15.0), (160, 285, 14.67, 28.4), (160, 285, 10.13, 19.5),
        (160, 285, 10.13, 19.5), (173.33, 285, 28.99, 14.2), (162.67, 285.5, 20.1, 15.3))),
    "4.9b": Table(PRODUCT, {"n": 100}, product_vectors(3), (16600, 22350), (
        (16600, 22350, 0, 27.9), (16601, 29850, 2459.26, 15.0), (16600, 29850, 2420.9, 19.0),
        (16601, 29850, 2459.3, 14.8), (16600, 29850, 1441.06, 121.7), (16733.33, 29850, 2573.34, 14.2),
        (16602.67, 29850, 2451.88, 15.3))),
    "4.9c": Table(PRODUCT, {"n": 10}, product_vectors(5), (136, 212), (
        (136, 212, 0, 65.0), (138, 285, 17.28, 658.5), (136, 285, 7.18, 234.0), (136, 285, 4.73, 154.0),
        (136, 285, 4.73, 154.0), (152, 285.81, 33.12, 77.8), (149.5, 622.85, 82.68, 82.0))),
    "4.10a": Table(CLEARED, {"n": 100}, cleared(1), (22400, 23880), (
        (22400, 31257, 0, 3.5), (29530, 39451, 5788.26, 1.6), (29530, 39451, 5788.26, 1.6),
        (29530, 39451, 5788.26, 1.6), (29530, 39451, 5788.26, 1.6), (29724, 39649, 5944.98, 2.2),
        (29530, 39850, 5865.26, 2.1))),
    "4.10b": Table(CLEARED, {"n": 100}, cleared(2), (19900, 24899), (
        (19899, 31257, 0, 103.8), (19899, 39525, 2861.27, 49.3), (19899, 39525, 2826.65, 57.6),
        (19899, 39525, 2861.27, 48.7), (19899, 39525, 1931.47, 294.8), (19999, 39825, 2949.43, 57.8),
        (19899, 39850, 2832.65, 61.0))),
    "4.10c": Table(CLEARED, {"n": 100}, cleared(3), (16600, 25040), (
        (16600, 31481, 0, 1083), (16601, 39525, 2076.05, 684), (16600, 39525, 2026.44, 933),
        (16601, 39525, 2075.97, 680), (16600, 39525, 980.15, 4767), (16733, 39833, 2184.61, 566),
        (16602, 39850, 2063.38, 593)), slow=True),
    "4.11a": Table(FIR, SHORT, FIRST, (99, 197), (
        (99, 197, 0, 1.3), (99, 197, 2.62, 1.1), (99, 197, 0.22, 1.1), (99, 197, 2.62, 1.1), (99, 197, 0.22, 3.0),
        (99, 198.8, 74.42, 1.0), (99, 2477, 1079.32, 1.0)), hybrid=True),
    "4.11b": Table(FIR, SHORT, SECOND, (99, 197), (
        (100, 197, 0, 1.3), (100, 197, 3.01, 1.2), (100, 197, 0, 1.1), (100, 197, 3.01, 1.2), (100, 197, 0, 3.7),
        (100, 202.8, 76.52, 1.1), (100, 1410, 714.75, 1.0)), hybrid=True),
    "4.12a": Table(FIR, LONG, FIRST, (99, 197), (
        (99, 197, 0, 11.2), (99, 197, 2.65, 1.1), (99, 197, 0.32, 1.1), (99, 197, 2.65, 1.1), (99, 197, 2.65, 1.1),
        (99, 198.8, 74.48, 1.0), (99, 24077, 10113.19, 1.0)), hybrid=True),
    "4.12b": Table(FIR, LONG, SECOND, (99, 1079), (
        (100, 1079, 0, 3.0), (100, 1079, 0, 0.9), (100, 1079, 0, 1.2), (100, 1079, 0, 0.9), (100, 1079, 0, 4.6),
        (100, 1961, 525.51, 1.0), (100, 2877, 1042.53, 0.9)), hybrid=True),
    "4.13a": Table(PRODUCT, {"n": 10}, product_vectors(3), (160, 210), (
        (160, 210, 0, 11.6), (160, 210, 0, 11.5), (160, 210, 0, 11.5), (160, 210, 0, 11.5), (160, 210, 0, 11.5),
        (173, 226, 10.81, 14.5), (162, 285, 9.23, 15.3)), hybrid=True),
    "4.13b": Table(PRODUCT, {"n": 100}, product_vectors(3), (16600, 22350), (
        (16600, 22350, 0, 29.0), (16601, 29850, 2459.26, 15.7), (16600, 29850, 2420.9, 19.7),
        (16601, 29850, 2459.26, 15.7), (16600, 29850, 1441.06, 117.9), (16733.3, 29850, 2573.34, 14.5),
        (16602.7, 29850, 2451.87, 15.5)), hybrid=True),
    "4.13c": Table(PRODUCT, {"n": 10}, product_vectors(5), (136, 212), (
        (136, 212, 0, 68.6), (136, 212, 0, 68.9), (136, 212, 0, 70.5), (136, 212, 0, 69.0), (136, 212, 0, 68.7),
        (152, 232, 18.88, 79.2), (149, 622, 80.23, 88.2)), hybrid=True),
}
# fmt: on


class Row(NamedTuple):
    """A method: its smallest and largest bound, distances to the exact ones without and with halving, and seconds."""

    method: str
    least: float
    most: float
    rmse: float
    halved: float
    seconds: float
    valid: bool
    printed: tuple[float, float, float, float]

    @property
    def is_as_accurate(self) -> bool:
        """Whether the bounds with halving are no further from the exact values than printed, which is rounded."""
        return self.halved <= self.printed[2] + ROUNDING


class Bounds(NamedTuple):
    """The bounds of all methods on one function, without and with halving, and the seconds without."""

    plain: tuple[float, ...]
    halved: tuple[float, ...]
    seconds: tuple[float, ...]


def largest_value(count: Pieces, method: Method, halvings: int = 0) -> float:
    """The bound on a count; a hybrid one as a whole number, which counts are."""
    value = number(bound(count, method, halvings=halvings)) or 0
    return float(floor(value) if isinstance(method, Hybrid) else value)


def count_of(table: Table, position: int, *, approximate: bool) -> Pieces:
    """The live elements of a schedule of a table."""
    lifetime = Lifetime(commutative=True)
    schedule = schedules_of(table)[position]
    return live_count(table.kernel, schedule, table.parameters, lifetime, approximate=approximate)


@cache
def schedules_of(table: Table) -> tuple[isl.UnionMap, ...]:
    """The schedules of a table, once in each process."""
    return tuple(table.schedules())


def bounds_of(name: str, position: int) -> Bounds:
    """The bounds of all methods on the live elements of a schedule of a table."""
    table = TABLES[name]
    count, approximate = (count_of(table, position, approximate=chosen) for chosen in (False, True))
    found: list[tuple[float, float, float]] = []
    for basic in BASIC.values():
        chosen = approximate if isinstance(basic, PolyApproximation) else count
        method = Hybrid(basic, SMALL_CHAMBER) if table.hybrid else basic
        start = time.process_time()
        plain = largest_value(chosen, method)
        seconds = time.process_time() - start
        found.append((plain, largest_value(chosen, method, HALVINGS), seconds))
    return Bounds(*(tuple(column) for column in zip(*found, strict=True)))


def distance(values: Sequence[float], exact: Sequence[float]) -> float:
    """The root mean square distance."""
    return sqrt(sum((value - best) ** 2 for value, best in zip(values, exact, strict=True)) / len(exact))


def rows_of(name: str, jobs: int | None = None) -> tuple[Row, ...]:
    """All methods, by some processes (None: one for each core)."""
    table = TABLES[name]
    positions = range(len(schedules_of(table)))
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        found = tuple(pool.map(bounds_of, repeat(name), positions, chunksize=CHUNK))
    exact = [each.plain[0] for each in found]
    return tuple(row_of(table, found, exact, label, method) for method, label in enumerate(BASIC))


def row_of(table: Table, found: Sequence[Bounds], exact: Sequence[float], label: str, method: int) -> Row:
    """A method, from the bounds on all schedules."""
    values, halved = ([each[kind][method] for each in found] for kind in (0, 1))
    valid = all(value >= best for row in (values, halved) for value, best in zip(row, exact, strict=True))
    seconds = sum(each.seconds[method] for each in found)
    far, near = distance(values, exact), distance(halved, exact)
    return Row(label, min(values), max(values), far, near, seconds, valid, table.printed[method])


def is_right(table: Table, rows: Sequence[Row]) -> bool:
    """Whether all bounds are valid and as accurate as printed, and the exact ones those of enumeration."""
    exact = rows[0]
    found = exact.least, exact.most
    return all(row.valid and row.is_as_accurate for row in rows) and found == table.exact


def show(name: str, table: Table, jobs: int | None) -> bool:
    """Print a table beside what the thesis printed; whether our numbers are right."""
    start = time.perf_counter()
    print(f"Table {name}: {dict(table.parameters)}")
    print(f"  {'':22}{'min':>10}{'max':>12}{'rmse':>10}{'halved':>10}{'s':>8}   {'printed':>10}")
    rows = rows_of(name, jobs)
    for row in rows:
        ours = f"{row.least:10.2f}{row.most:12.2f}{row.rmse:10.2f}{row.halved:10.2f}{row.seconds:8.2f}"
        least, most, rmse, seconds = row.printed
        worse = "" if row.is_as_accurate else "  WORSE"
        print(f"  {row.method:22}{ours}   {least:10.2f}{most:12.2f}{rmse:10.2f}{seconds:8.1f}{worse}", flush=True)
    print(f"  {time.perf_counter() - start:.0f} s")
    return is_right(table, rows)


def main() -> int:
    """Print the tables and judge them."""
    parser = argparse.ArgumentParser(description="Memory of schedules by all methods, beside the thesis.")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="4.6a; default: those that take under a minute each")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one for each core)")
    options = parser.parse_args()
    chosen = options.tables or [name for name, table in TABLES.items() if not table.slow]
    wrong = [name for name in chosen if not show(name, TABLES[name], options.jobs)]
    print(f"{len(chosen)} tables, wrong: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
