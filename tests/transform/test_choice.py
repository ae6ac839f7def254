"""Which tiling is chosen: one is always found, hints lead further, and isl's scheduler cannot hold anything up."""

from __future__ import annotations

import re
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import ROOT, random_kernel
from loadstone.analysis import dependences
from loadstone.cli.main import main
from loadstone.errors import IllegalTransformation, InputError
from loadstone.model.kernel import Kernel
from loadstone.transform import choice
from loadstone.transform.automatic import scheduler
from loadstone.transform.automatic.nests import nest_by_nest
from loadstone.transform.choice import check_tiling, choose_tiling, is_legal
from loadstone.transform.legality import violation
from loadstone.transform.tiling import TiledKernel, Tiling

SYMMETRIC = """
void symmetric(int m, int n, double C[m][n], double A[m][m], double B[m][n]) {
  double t;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      t = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += B[i][j] * A[i][k];
        t += B[k][j] * A[i][k];
      }
      C[i][j] = C[i][j] + B[i][j] * A[i][i] + t;
    }
}
"""
SWEEPS = """
void sweeps(int n, int steps, double a[n], double b[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i - 1] + a[i] + a[i + 1];
    for (int i = 1; i < n - 1; i++)
      a[i] = b[i];
  }
}
"""
SCATTERED = """
void scattered(int n, int steps, int p[n], int q[n], double a[n], double b[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      a[p[i]] = b[i] / 2;
    for (int i = 0; i < n; i++)
      b[i] = a[q[i]];
  }
}
"""
SCALED_FIRST = SYMMETRIC.replace(
    "  double t;\n",
    "  double t;\n  for (int i = 0; i < m; i++)\n    for (int j = 0; j < n; j++)\n      B[i][j] = 2 * B[i][j];\n",
)


def written(text: str, folder: Path) -> Kernel:
    path = folder / "kernel.c"
    path.write_text(text)
    return ls.parse(path)


@pytest.mark.parametrize("text", [SYMMETRIC, SWEEPS, SCATTERED, SCALED_FIRST])
@pytest.mark.parametrize("schedule", [None, "auto"])
def test_a_tiling_is_always_found(text: str, schedule: str | None, tmp_path: Path) -> None:
    tiles = choose_tiling(written(text, tmp_path), schedule=schedule)
    check_tiling(tiles)
    assert ": " in tiles.choice or (text in (SYMMETRIC, SCALED_FIRST) and schedule is None)


def test_nests_keep_what_is_legal_for_them(tmp_path: Path) -> None:
    kernel = written(SCALED_FIRST, tmp_path)
    known = dependences(kernel)
    tiles = nest_by_nest(kernel, Tiling(), known, lambda found, among: violation(found, among) is None)
    assert violation(tiles, known) is None
    assert tiles.sizes == (1, 1, 1, 1, 32, 32)
    assert tiles.choice == "the loops as they stand; in sequence"
    assert tiles.theta["S0"].is_subset(isl.Map("{ S0[i, j] -> [0, 0, 0, 0, i, j] }"))
    assert tiles.theta["S2"].is_subset(isl.Map("{ S2[i, j, k] -> [1, i, j, 1, 0, k] }"))


@pytest.mark.parametrize("seed", range(24))
def test_nest_by_nest_is_always_legal(seed: int) -> None:
    kernel, _ = random_kernel(seed, may=seed % 5 == 4)
    known = dependences(kernel)
    tiles = nest_by_nest(kernel, Tiling((2, 3)), known, lambda found, among: violation(found, among) is None)
    assert violation(tiles, known) is None
    sequential = nest_by_nest(kernel, Tiling(3), known, lambda found, _: False)
    assert violation(sequential, known) is None


def test_a_scheduler_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> str:
        while True:
            pass

    monkeypatch.setattr(scheduler, "SCHEDULER_SECONDS", 0.2)
    monkeypatch.setattr(scheduler, "_schedule_text", endless)
    tiles = choose_tiling(written(SWEEPS, tmp_path), schedule="auto")
    assert is_legal(tiles)
    assert tiles.choice.startswith("nest by nest, in sequence")
    assert tiles.sizes == (1, 1, 32)


def test_sizes_hold_in_whatever_way_the_kernel_is_tiled(tmp_path: Path) -> None:
    tiles = choose_tiling(written(SWEEPS, tmp_path), (4,))
    assert is_legal(tiles)
    assert tiles.sizes == (4, 4)
    assert choose_tiling(written(SWEEPS, tmp_path), (4, 6)).sizes == (4, 6)


def test_sizes_that_no_way_allows_are_refused_with_a_hint_that_helps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(SCATTERED, tmp_path)
    words = ["plan", str(tmp_path / "kernel.c"), "--tile", "4,4"]
    assert main(words) != 0
    refused = capsys.readouterr().err
    assert "must run before" in refused
    hint = re.search(r"hint: (--schedule auto) finds a legal one", refused)
    assert hint is not None
    assert main([*words, *hint.group(1).split()]) == 0
    assert re.search(r"^chosen +isl's bands, statements fused: .+$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    "schedule", ["{ S0[t, i] -> [i, t]; S1[t, i] -> [i, t] }", "{ S0[t, i] -> [-t, i]; S1[t, i] -> [t, i] }"]
)
@pytest.mark.parametrize("strip", [1, 2])
def test_a_hint_after_a_schedule_helps_with_the_other_options_as_they_are(
    schedule: str, strip: int, tmp_path: Path
) -> None:
    kernel = written(SWEEPS, tmp_path)
    with pytest.raises(IllegalTransformation, match="--schedule auto finds a legal one"):
        check_tiling(choose_tiling(kernel, (4, 8), schedule, strip))
    check_tiling(choose_tiling(kernel, (4, 8), "auto", strip))


def test_a_strip_deeper_than_all_loops_is_refused_with_a_hint_that_helps(tmp_path: Path) -> None:
    kernel = written("void f(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = 1; }", tmp_path)
    for schedule in (None, "auto"):
        with pytest.raises(InputError, match="--strip 1"):
            choose_tiling(kernel, None, schedule, 3)
        check_tiling(choose_tiling(kernel, None, schedule, 1))


def test_dependences_and_legality_are_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[TiledKernel] = []

    def counted(tiles: TiledKernel, *known: object) -> object:
        asked.append(tiles)
        return violation(tiles, *known)  # type: ignore[arg-type]

    monkeypatch.setattr(choice, "violation", counted)
    kernel = written("void f(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = 1; }", tmp_path)
    assert dependences(kernel) is dependences(kernel)
    check_tiling(choose_tiling(kernel))
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("name", "sizes"), [("gemver", (1, 5, 5)), ("atax", (1, 5, 1, 5)), ("durbin", (1, 1, 5)), ("lu", (5, 5, 5))]
)
def test_dimensions_of_size_1_keep_it_where_they_must(name: str, sizes: tuple[int, ...]) -> None:
    kernel = ls.parse(str(ROOT / f"examples/polybench/{name}.c"))
    for given in (5, (5,)):
        found = choose_tiling(kernel, given)
        assert is_legal(found)
        assert found.sizes == sizes
