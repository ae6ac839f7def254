"""Theorems 1, 5, 6 and 7 of RR-7697 on random instances, as isl formulas on the examples, and the papers' own sets."""

from __future__ import annotations

import random
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import EXAMPLES, ROOT
from loadstone.transfer import Plan, make_plan
from loadstone.transfer.tile_accesses import existing_tiles, tile_accesses
from loadstone.transform.tiling import TiledKernel, Tiling, requested, tiled
from set_formulas import (
    Elements,
    isl_theorem_1,
    isl_theorem_5,
    isl_theorem_6,
    isl_theorem_7,
    theorem_1,
    theorem_5,
    theorem_6,
    theorem_7,
    union,
    violated,
)
from strip_oracle import moves

INSTANCES = 3000
HEAVY = {
    "heat-3d",
    "seidel-2d",
    "jacobi-2d",
    "fdtd-2d",
    "idwt97",
    "adi",
    "deriche",
    "correlation",
    "ludcmp",
    "nussinov",
}
HEAVIEST = {"heat-3d", "seidel-2d"}


def random_instance(source: random.Random) -> tuple[list[Elements], list[Elements], list[Elements]]:
    """In, Out over-approximated and Out under-approximated for a few tiles and elements."""
    tiles, elements = source.randint(1, 5), range(source.randint(1, 6))

    def some(among: Elements, probability: float) -> Elements:
        return frozenset(e for e in elements if e in among and source.random() < probability)

    every: Elements = frozenset(elements)
    reads = [some(every, 0.3) for _ in range(tiles)]
    over = [some(every, 0.4) for _ in range(tiles)]
    return reads, over, [some(written, 0.5) for written in over]


def test_theorems_5_to_7_on_random_instances() -> None:
    source = random.Random(7697)
    for _ in range(INSTANCES):
        reads, over, under = random_instance(source)
        store = theorem_5(over)
        load = theorem_6(reads, over, under, store)
        assert theorem_7(reads, over, under) == (load, store)
        assert not violated(reads, over, under, load, store)


def test_theorem_6_is_theorem_1_where_accesses_are_exact() -> None:
    source = random.Random(7648)
    for _ in range(INSTANCES):
        reads, writes, _ = random_instance(source)
        load, store = theorem_1(reads, writes)
        assert theorem_6(reads, writes, writes, store) == load
        assert not violated(reads, writes, writes, load, store)


def test_the_candidate_that_the_report_rejects_is_invalid() -> None:
    """Load(T) = In'(T) \\ (In'(t < T) u Out(t < T)) misses what is perhaps overwritten before it is read."""
    source = random.Random(1)
    found: set[str] = set()
    for _ in range(INSTANCES):
        reads, over, under = random_instance(source)
        store = theorem_5(over)
        read = [r | (s - u) for r, s, u in zip(reads, store, under, strict=True)]
        load = [read[t] - union(read[:t]) - union(over[:t]) for t in range(len(read))]
        found |= violated(reads, over, under, load, store)
    assert "Theorem 3 (i)" in found


def check_formulas(path: Path) -> None:
    """The plan that keeps dead stores against all formulas, for the tiling of the source."""
    kernel = ls.parse(path)
    tiles = requested(kernel, kernel.tiling) if kernel.tiling else tiled(kernel, Tiling())
    plan = make_plan(tiles, keep_dead_stores=True)
    for name, accesses in tile_accesses(tiles).items():
        reads, over, under = accesses.reads, accesses.may_writes, accesses.must_writes
        store = isl_theorem_5(over)
        first, last = isl_theorem_7(reads, over, under)
        assert plan[name].store.is_equal(store)
        assert plan[name].store.is_equal(last)
        assert plan[name].load.is_equal(first)
        assert plan[name].load.is_equal(isl_theorem_6(reads, over, under, store))
        if kernel.exact:
            assert plan[name].load.is_equal(isl_theorem_1(reads, over)[0])


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem not in HEAVY], ids=lambda p: p.stem)
def test_plans_equal_the_set_formulas(path: Path) -> None:
    check_formulas(path)


@pytest.mark.sweep
@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem in HEAVY - HEAVIEST], ids=lambda p: p.stem)
def test_heavy_plans_equal_the_set_formulas(path: Path) -> None:
    check_formulas(path)


def polymul(schedule: str) -> Plan:
    kernel = ls.parse(ROOT / "examples" / "polymul.c")
    return make_plan(tiled(kernel, Tiling((10, 10), f"[N] -> {{ S2[i,j] -> [{schedule}] }}")))


def relation(*pieces: str) -> isl.Map:
    """A map of the reference in our names: I is T0, T is T1."""
    union_of_pieces = "; ".join(f"[T1] -> {piece}" for piece in pieces)
    return isl.Map.read_from_str(isl.DEFAULT_CONTEXT, f"[N, T0] -> {{ {union_of_pieces} }}")


LOAD_0 = "c[m] : T1 = 0 and 0 <= 10T0 <= N and 0 <= m <= 2N-10T0 and N-10T0-9 <= m <= N-10T0+9"
LOAD_T = "c[m] : T1 >= 1 and 0 <= 10T0 <= N and m <= 2N-10T0 and N-10T0+10T1 <= m <= N-10T0+10T1+9"
LOAD_OMEGA = (
    "c[m] : 0 <= 10T0 <= N and T1 >= 0 and 10T1+N <= 10T0+m <= 2N and 10T0+m <= 9+10T1+N",
    "c[m] : 0 <= 10T0 <= N and T1 = 0 and 10T0+m <= N-1 and N <= 9+10T0+m and 0 <= m",
)
STORE = (
    "c[m] : 0 <= 10T0 <= N and T1 >= 0 and 10T1+10 <= N and 10T1 <= m and N-10T0-9+10T1 <= m and m <= N-10T0+10T1+9 "
    "and m <= 2N-10T0 and (m <= 10T1+9 or m <= N-10T0+10T1)",
    "c[m] : 0 <= 10T0 <= N and T1 >= 0 and N-9 <= 10T1 <= N and 10T1 <= m <= 2N-10T0 and N-10T0-9+10T1 <= m",
)


def test_polynomial_product_by_columns_backwards() -> None:
    """RR-7697, sections 2.2 and 3.2: Load and Store of c for theta (N-j, i)."""
    plan = polymul("N-j, i")
    assert plan["c"].load.is_equal(relation(LOAD_0, LOAD_T))
    assert plan["c"].load.is_equal(relation(*LOAD_OMEGA))
    assert plan["c"].store.is_equal(relation(*STORE))


def test_polynomial_product_along_the_diagonals() -> None:
    """RR-7697, theta (i+j, i): c is stored in the last tile of a strip, but not always loaded in the first one."""
    plan = polymul("i+j, i")
    tiles = existing_tiles(plan.tiles)
    assert plan["c"].store.domain().is_subset(tiles.lexmax())
    late = isl.Set.read_from_str(
        isl.DEFAULT_CONTEXT, "[N, T0] -> { [T1] : T1 > 0 and 10T0-N < 10T1 <= 9+10T0-N and 10T1 <= N }"
    )
    loading = plan["c"].load.domain()
    assert loading.subtract(tiles.lexmin()).is_subset(late)
    assert late.subtract(loading).is_empty()


SAMPLES = {
    "N-j, i": {
        25: {
            (0, 0): ((0, 9), (16, 25), (16, 34), (16, 25)),
            (0, 1): ((10, 19), None, (35, 44), (26, 35)),
            (0, 2): ((20, 25), None, (45, 50), (36, 50)),
            (1, 0): ((0, 9), (6, 15), (6, 24), (6, 15)),
            (1, 1): ((10, 19), None, (25, 34), (16, 25)),
            (1, 2): ((20, 25), None, (35, 40), (26, 40)),
            (2, 0): ((0, 9), (0, 5), (0, 14), (0, 9)),
            (2, 1): ((10, 19), None, (15, 24), (10, 19)),
            (2, 2): ((20, 25), None, (25, 30), (20, 30)),
        },
        9: {(0, 0): ((0, 9), (0, 9), (0, 18), (0, 18))},
    },
    "i+j, i": {
        25: {
            (0, 0): ((0, 9), (0, 9), (0, 9), (0, 9)),
            (1, 0): ((0, 9), (1, 19), (10, 19), None),
            (1, 1): ((10, 19), (0, 0), None, (10, 19)),
            (2, 0): ((0, 9), (11, 25), (20, 29), None),
            (2, 1): ((10, 19), (1, 10), None, None),
            (2, 2): ((20, 25), (0, 0), None, (20, 29)),
            (3, 0): ((5, 9), (21, 25), (30, 34), None),
            (3, 1): ((10, 19), (11, 20), (35, 39), None),
            (3, 2): ((20, 25), (5, 10), None, (30, 39)),
            (4, 1): ((15, 19), (21, 25), (40, 44), None),
            (4, 2): ((20, 25), (15, 20), (45, 49), (40, 49)),
            (5, 2): ((25, 25), (25, 25), (50, 50), (50, 50)),
        },
        20: {
            (0, 0): ((0, 9), (0, 9), (0, 9), (0, 9)),
            (1, 0): ((0, 9), (1, 19), (10, 19), None),
            (1, 1): ((10, 19), (0, 0), None, (10, 19)),
            (2, 0): ((0, 9), (11, 20), (20, 29), None),
            (2, 1): ((10, 19), (1, 10), None, None),
            (2, 2): ((20, 20), (0, 0), None, (20, 29)),
            (3, 1): ((10, 19), (11, 20), (30, 39), None),
            (3, 2): ((20, 20), (10, 10), None, (30, 39)),
            (4, 2): ((20, 20), (20, 20), (40, 40), (40, 40)),
        },
    },
}


@pytest.mark.parametrize(("schedule", "size"), [(s, n) for s, samples in SAMPLES.items() for n in samples])
def test_samples_of_the_polynomial_product(schedule: str, size: int) -> None:
    plan = polymul(schedule)
    sides = (plan["a"].load, plan["b"].load, plan["c"].load, plan["c"].store)
    for position, side in enumerate(sides):
        expected = {
            tile: set(range(interval[0], interval[1] + 1))
            for tile, row in SAMPLES[schedule][size].items()
            if (interval := row[position]) is not None
        }
        found = moves(side, plan.tiles, {"N": size})
        assert {tile: {element[0] for _, element in cells} for tile, cells in found.items()} == expected


MATMUL = """void matmul(int N, int a[N + 1][N + 1], int b[N + 1][N + 1], int c[N + 1][N + 1]) {
#pragma scop
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= N; j++)
      for (int k = 0; k <= N; k++)
S:      c[i][j] += a[i][k] * b[k][j];
#pragma endscop
}
"""

STRIP = "0 <= 32T0 <= N and 0 <= 32T1 <= N"
MATMUL_SETS = {
    ("a", "load"): "a[x,y] : 32T0 <= x <= 32T0+31 and 32T2 <= y <= 32T2+31 and 0 <= x <= N and 0 <= y <= N",
    ("b", "load"): "b[x,y] : 32T2 <= x <= 32T2+31 and 32T1 <= y <= 32T1+31 and 0 <= x <= N and 0 <= y <= N",
    ("c", "load"): "c[x,y] : T2 = 0 and 32T0 <= x <= 32T0+31 and 32T1 <= y <= 32T1+31 and 0 <= x <= N and 0 <= y <= N",
    ("c", "store"): "c[x,y] : 32T2 <= N <= 32T2+31 and 32T0 <= x <= 32T0+31 and 32T1 <= y <= 32T1+31 and 0 <= x <= N "
    "and 0 <= y <= N",
}


def matmul_plan(folder: Path) -> tuple[TiledKernel, Plan]:
    source = folder / "matmul.c"
    source.write_text(MATMUL)
    tiles = tiled(ls.parse(source), Tiling(32))
    return tiles, make_plan(tiles)


def test_matrix_product_of_the_other_report(tmp_path: Path) -> None:
    """RR-7648, III-A: a and b by blocks, c stays local over the strip."""
    _, plan = matmul_plan(tmp_path)
    for (array, side), text in MATMUL_SETS.items():
        expected = isl.Map.read_from_str(isl.DEFAULT_CONTEXT, f"[N, T0, T1] -> {{ [T2] -> {text} and {STRIP} }}")
        assert getattr(plan[array], side).is_equal(expected)
    assert plan["a"].store.is_empty()
    assert plan["b"].store.is_empty()
