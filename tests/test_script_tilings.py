"""Scripts, then tilings, then every back end: always the memory of the program as the user wrote it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import loadstone as ls
from loadstone.errors import UnsupportedError
from loadstone.model.evaluate import evaluate
from loadstone.transform.choice import choose_tiling, is_legal
from loadstone.transform.tiling import TiledKernel, Tiling, tiled, untiled
from random_triples import CHECKS, Triple, random_triple

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

PRODUCT = """
void product(int N, int x[N][N], int y[N][N], int z[N][N]) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
  S0: z[i][j] = 0;
      for (int k = 0; k < N; k++)
  S1:   z[i][j] += x[i][k] * y[k][j];
    }
#pragma endscop
}
"""
SCRIPTS = (
    "split S1 where k >= 4",
    "peel last 2 of S1.k",
    "duplicate S0 where j == 1",
    "expand z",
    "split S1 where k % 3 == 1\nsplit S1 where i < 2",
)
NEVER_RUNS = """
void never(int N, int a[N + 1]) {
#pragma scop
  for (int i = N; i < N; i++)
    S0: a[i] += i;
#pragma endscop
}
"""
IDLE = """
void idle(int N, int b[N], int d[N]) {
#pragma scop
  int t;
  for (int i = 0; i < N; i++) {
  S0: t = d[i];
    for (int k = 0; k <= N; k++)
  S1:   t = k >= N ? t + t : t + 1;
  S2: b[i] = t;
  }
#pragma endscop
}
"""
MIRRORED = """
void mirrored(int N, int a[N + 1], int b[N]) {
#pragma scop
  for (int i = 0; i < N; i++)
    b[i] = a[i] + a[i + 1 >= N ? 2 * N - 2 - i < 0 ? 0 : 2 * N - 2 - i : i + 1];
#pragma endscop
}
"""
STRIDED = """
void strided(int N, int a[2 * N + 2][N + 2], int c[2 * N + 2]) {
#pragma scop
  for (int i = 1; i <= 2 * N; i++)
    if (i % 2 != 0)
      for (int j = i; j < N; j++)
  S0:   a[i][j] = c[i] + j;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
  S1: c[i] += a[i][j];
#pragma endscop
}
"""
QUICK = (("plan", 4), ("c", 9), ("vitis", 96), ("intel", 2), ("threads", 15), ("network", 13))
SWEEP = range(1000)
SPECIAL = ((IDLE, "peel last 1 of S1.k"), (MIRRORED, "peel last 1 of S0.i"), (STRIDED, "expand a"))


def product_after(script: str, folder: Path) -> Triple:
    return kernel_after(PRODUCT, script, folder)


def kernel_after(text: str, script: str, folder: Path) -> Triple:
    path = folder / "kernel.c"
    path.write_text(text)
    original = ls.parse(path)
    kernel = ls.transformed(original, script).kernel
    rows = tuple({"N": size} for size in (0, 1, 3, 4, 5, 7))
    return Triple(1, original, (script,), choose_tiling(kernel, (4,)), rows)


def dated_instances(tiles: TiledKernel) -> None:
    """Theta dates the instances of each statement, and nothing else."""
    for statement in tiles.kernel.statements:
        assert tiles.theta[statement.name].domain().is_equal(statement.domain), statement.name


@pytest.mark.parametrize("script", SCRIPTS)
def test_tilings_date_the_instances_of_the_parts(script: str, tmp_path: Path) -> None:
    triple = product_after(script, tmp_path)
    assert is_legal(triple.tiles)
    for statement in triple.kernel.statements:
        assert statement.schedule.domain().is_equal(statement.domain), statement.name
    for tiles in (triple.tiles, tiled(triple.kernel, Tiling(3)), untiled(triple.kernel)):
        dated_instances(tiles)


@pytest.mark.parametrize("script", SCRIPTS[:4])
def test_a_product_in_parts_is_the_product(script: str, tmp_path: Path) -> None:
    triple = product_after(script, tmp_path)
    CHECKS["c"](triple)
    if script == SCRIPTS[0]:
        for way in ("plan", "network"):
            CHECKS[way](triple)


@pytest.mark.parametrize("way", ["c", "vitis", "intel"])
@pytest.mark.parametrize(("text", "script"), SPECIAL)
def test_programs_of_special_scripts_compile(text: str, script: str, way: str, tmp_path: Path) -> None:
    """Idle reads share an array; a subscript does not compare N with itself; the helpers of sizes are there."""
    CHECKS[way](kernel_after(text, script, tmp_path))


def test_a_kernel_without_loops_has_its_instances_only(tmp_path: Path) -> None:
    path = tmp_path / "scalar.c"
    path.write_text("void f(int N, int a[1]) {\n#pragma scop\nif (N > 3) a[0] = 1;\n#pragma endscop\n}\n")
    dated_instances(tiled(ls.parse(path), Tiling(4)))


@pytest.mark.parametrize("script", ["split S0 where i < 3", "expand a"])
def test_a_script_leaves_at_least_one_statement(script: str, tmp_path: Path) -> None:
    """All parts of a statement that never runs are empty; the kernel can be tiled all the same."""
    path = tmp_path / "never.c"
    path.write_text(NEVER_RUNS)
    result = ls.transformed(ls.parse(path), script)
    assert [s.name for s in result.kernel.statements] == ["S0"]
    assert ls.plan(result.kernel, Tiling(4)).exact


def test_expanded_arrays_have_no_negative_extents(tmp_path: Path) -> None:
    """Where no instance writes them they have no elements, and programs that allocate them run."""
    path = tmp_path / "difference.c"
    path.write_text(
        "void f(int n, int m, int s, int a[n]) { for (int i = 0; i < n - m; i++) { s = a[i]; a[i] = -s; } }"
    )
    kernel = ls.transformed(ls.parse(path), "expand s").kernel
    (extent,) = kernel.arrays["s_S0"].extents
    assert [evaluate(extent, {"n": 2, "m": m}, ()) for m in (0, 1, 2, 5)] == [2, 1, 0, 0]


@pytest.mark.parametrize(("way", "seed"), QUICK)
def test_random_triples(way: str, seed: int) -> None:
    triple = random_triple(seed)
    assert triple is not None
    dated_instances(triple.tiles)
    CHECKS[way](triple)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", SWEEP)
def test_many_random_triples(seed: int) -> None:
    """Every triple as a plan and as C; other back ends in turn, hardware now and then."""
    triple = random_triple(seed)
    if triple is None:
        pytest.skip("no legal script and tiling")
    turn = ("vitis", "network", "intel", "threads")[seed % 4]
    hardware = {0: ("hardware",), 6: ("network hardware",)}.get(seed % 12, ())
    for way in ("plan", "c", turn, *hardware):
        try:
            CHECKS[way](triple)
        except UnsupportedError:
            assert way.startswith("network") or not triple.kernel.exact
