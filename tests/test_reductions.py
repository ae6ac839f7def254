"""Reductions in the order of tiles: which ones may change it, that their bits stay, and that all follows that order."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

import loadstone as ls
from loadstone.analysis import dependences
from loadstone.cli.main import main
from loadstone.errors import IllegalTransformation
from loadstone.model.kernel import Kernel
from loadstone.poly import fixed
from loadstone.poly.enumeration import pairs
from loadstone.simulate.interpreter import instances_in_order
from loadstone.simulate.memory import copied, initial_memory
from loadstone.simulate.rounding import rounding_errors
from loadstone.transform.choice import check_tiling, choose_tiling
from loadstone.transform.reductions.orderless import operator_of
from loadstone.transform.tiling import TiledKernel
from loadstone.trials import rounding, trial
from oracle import flow_pairs, memory_pairs, relation_pairs, traced
from random_reductions import reduced_triple
from random_triples import CHECKS, Triple

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
QUICK = (("plan", 1), ("c", 0), ("c", 6), ("vitis", 2), ("network", 3), ("threads", 4))
SWEEP = range(300)


def parsed(statement: str, kind: str, folder: Path) -> Kernel:
    path = folder / "kernel.c"
    path.write_text(
        f"#include <stdbool.h>\nvoid f(int n, {kind} x[2 * n], int a[n][n], float e[n][n], short s[n][n]) {{\n"
        f"  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++) {{\n      {statement}\n    }}\n}}\n"
    )
    return ls.parse(path)


@pytest.mark.parametrize(
    ("kind", "statement", "operator"),
    [
        ("int", "x[i + j] += a[i][j];", "+"),
        ("int", "x[i + j] = a[i][j] - 3 + x[i + j];", "+"),
        ("unsigned char", "x[i + j] -= a[i][j];", "+"),
        ("short", "x[i + j] *= s[i][j];", "*"),
        ("unsigned", "x[i + j] ^= a[i][j];", "^"),
        ("int", "x[i + j] = x[i + j] > a[i][j] ? x[i + j] : a[i][j];", "max"),
        ("int", "x[i + j] = x[i + j] < s[i][j] ? x[i + j] : s[i][j];", "min"),
        ("int", "x[i + j] = a[i][j] - x[i + j];", None),
        ("int", "x[i + j] = x[i + j] + x[i + j];", None),
        ("int", "x[i + j] = (char)x[i + j] + a[i][j];", None),
        ("int", "x[i + j] += e[i][j];", None),
        ("int", "x[i + j] += x[i];", None),
        ("short", "x[i + j] = x[i + j] > a[i][j] ? x[i + j] : a[i][j];", None),
        ("unsigned", "x[i + j] = x[i + j] > a[i][j] ? x[i + j] : a[i][j];", "max"),
        ("bool", "x[i + j] ^= a[i][j];", None),
        ("float", "x[i + j] += e[i][j];", "+"),
        ("float", "x[i + j] = fmaxf(x[i + j], e[i][j]);", "max"),
        ("float", "x[i + j] = fminf(2 * e[i][j], x[i + j]);", "min"),
        ("float", "x[i + j] = e[i][j] > x[i + j] ? e[i][j] : x[i + j];", "max"),
        ("double", "x[i + j] = x[i + j] > e[i][j] ? x[i + j] : e[i][j];", "max"),
        ("float", "x[i + j] = x[i + j] > a[i][j] ? x[i + j] : a[i][j];", "max"),
        ("float", "x[i + j] = fmaxf(x[i + j], x[i]);", None),
    ],
)
def test_which_updates_are_reductions(kind: str, statement: str, operator: str | None, tmp_path: Path) -> None:
    kernel = parsed(statement, kind, tmp_path)
    assert operator_of(kernel.statements[-1], kernel) == operator


def test_saturating_sums_stay_in_order(tmp_path: Path) -> None:
    kernel = parsed("x[i + j] += e[i][j];", "float", tmp_path)
    fixed_point = ls.parse(tmp_path / "kernel.c", types={"float": "fixed(16,8,saturate)"})
    assert operator_of(kernel.statements[0], kernel) == "+"
    assert operator_of(fixed_point.statements[0], fixed_point) is None


def test_only_exact_reductions_change_their_order_unasked(tmp_path: Path) -> None:
    theta = "{ S0[i, j] -> [i, j] }"
    tiles = choose_tiling(parsed("x[i + j] += a[i][j];", "int", tmp_path), (2, 2), theta)
    check_tiling(tiles)
    assert tiles.choice == "updates of x in the order of the tiles"
    with pytest.raises(ls.IllegalTransformation):
        check_tiling(choose_tiling(parsed("x[i + j] += e[i][j];", "float", tmp_path), (2, 2), theta))
    kernel = parsed("x[i + j] += e[i][j];", "float", tmp_path)
    tiles = choose_tiling(kernel, (2, 2), theta, free_reductions=True)
    check_tiling(tiles)
    assert tiles.rounded == {"x"}


def test_extrema_of_floating_point_change_their_order_on_request(tmp_path: Path) -> None:
    """Which zero of several is the greatest depends on the order."""
    theta = "{ S0[i, j] -> [i, j] }"
    kernel = parsed("x[i + j] = fmaxf(x[i + j], e[i][j]);", "float", tmp_path)
    with pytest.raises(IllegalTransformation):
        check_tiling(choose_tiling(kernel, (2, 2), theta))
    tiles = choose_tiling(kernel, (2, 2), theta, free_reductions=True)
    check_tiling(tiles)
    assert tiles.rounded == {"x"}


NARROWED = """void f(int h, int w, int a[h + 4][w + 4], short out[h][w]) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int sum = 0;
      for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4; s++)
          sum += a[y + r][x + s];
      out[y][x] = sum >> 3;
    }
}
"""


@needs_gcc
@pytest.mark.parametrize("way", ["plan", "c", "network"])
def test_expanded_accumulators_are_summed_in_the_order_of_the_tiles(way: str, tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(NARROWED)
    kernel = ls.parse(path)
    tiles = choose_tiling(kernel, (2, 2, 2, 2))
    check_tiling(tiles)
    assert tiles.choice == "updates of sum in the order of the tiles"
    assert [change.text() for change in tiles.kernel.privatised] == ["sum is expanded along y, x"]
    CHECKS[way](Triple(0, kernel, (), tiles, ({"h": 3, "w": 5},)))


def test_an_order_that_needs_no_change_stays(tmp_path: Path) -> None:
    kernel = parsed("x[i] += a[i][j];", "int", tmp_path)
    tiles = choose_tiling(kernel, (2, 2))
    assert tiles.kernel is kernel
    assert not tiles.choice


def test_reads_of_the_result_stay_in_their_place(tmp_path: Path) -> None:
    kernel = parsed("x[i + j] += a[i][j]; a[i][j] = x[i + j];", "int", tmp_path)
    with pytest.raises(ls.IllegalTransformation):
        check_tiling(choose_tiling(kernel, (2, 2), "{ S0[i, j] -> [i, j]; S1[i, j] -> [i, j] }"))


def test_signed_sums_in_another_order_wrap_around_by_definition(tmp_path: Path) -> None:
    kernel = parsed("x[i + j] += a[i][j];", "int", tmp_path)
    files = ls.build(kernel, ls.Tiling((2, 2), "{ S0[i, j] -> [i, j] }"), target="c").files
    assert any("(int)((unsigned int)" in str(text) for text in files.values())


def executed(tiles: TiledKernel, values: dict[str, int]) -> list[tuple[str, tuple[int, ...]]]:
    """The instances in the order of the tiling, by brute force."""
    dated = [
        (time, (statement.name, point))
        for statement in tiles.kernel.statements
        for point, time in pairs(fixed(tiles.instance_to_order(statement.name), values))
    ]
    return [instance for _, instance in sorted(dated)]


@pytest.mark.parametrize("seed", [0, 8])
def test_the_kernel_runs_in_the_order_of_its_tiles(seed: int) -> None:
    tiles = reduced_triple(seed).tiles
    assert "in the order of the tiles" in tiles.choice
    values = {"n": 4}
    assert [(name, tuple(point)) for name, point in instances_in_order(tiles.kernel, values)] == executed(tiles, values)


@pytest.mark.parametrize("seed", [0, 3])
def test_dependences_are_those_of_the_order_that_is_executed(seed: int) -> None:
    kernel = reduced_triple(seed).tiles.kernel
    if not kernel.exact:
        pytest.skip("conditional updates are approximated")
    values = {"n": 4}
    known, trace = dependences(kernel), traced(kernel, values)
    assert relation_pairs(known.flow, values) == flow_pairs(trace)
    assert relation_pairs(known.output, values) == memory_pairs(trace, earlier_writes=True)
    assert relation_pairs(known.anti, values) == memory_pairs(trace, earlier_writes=False)


FLOATS = """
void floats(int n, float a[n][n], float x[2 * n], float y[2 * n], int c[2 * n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      x[i + j] += a[i][j] * 3.0f;
      c[i + j] += 1;
    }
  for (int i = 0; i < 2 * n; i++)
    y[i] = x[i] / 3.0f;
}
"""
ACROSS = "{ S0[i, j] -> [0, i, j]; S1[i, j] -> [0, i, j]; S2[i] -> [1, i, 0] }"


def float_run(folder: Path, *options: str) -> list[str]:
    path = folder / "floats.c"
    path.write_text(FLOATS)
    return ["run", str(path), "-p", "n=9", "--schedule", ACROSS, "--tile", "1,4,4", "--json", *options]


@needs_gcc
@pytest.mark.parametrize("options", [(), ("--target", "hls"), pytest.param(("--network",), marks=pytest.mark.sweep)])
def test_free_reductions_are_bit_identical_to_the_order_executed_and_within_bounds(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(float_run(tmp_path)) == 1
    assert "must run before" in capsys.readouterr().err
    assert main(float_run(tmp_path, "--free-reductions", *options)) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["match"]
    reordered = found["reordered"]
    assert reordered["arrays"] == ["x"]
    assert 0 < reordered["difference"] <= reordered["bound"] < 1e-4
    assert reordered["beyond"] == 0


def test_a_difference_beyond_the_bound_is_found(tmp_path: Path) -> None:
    path = tmp_path / "floats.c"
    path.write_text(FLOATS)
    kernel = ls.parse(path)
    tiles = choose_tiling(kernel, (1, 4, 4), ACROSS, free_reductions=True)
    memory, _ = trial(kernel, {"n": 9})
    exact = rounding(kernel, tiles, {"n": 9}, memory)
    assert exact is not None
    assert (exact.differing, exact.beyond) == (0, 0)
    memory["x"].cells[8] += 1e-3
    memory["c"].cells[3] += 1
    wrong = rounding(kernel, tiles, {"n": 9}, memory)
    assert wrong is not None
    assert (wrong.differing, wrong.beyond) == (2, 2)


def test_bounds_hold_for_every_order_of_a_sum(tmp_path: Path) -> None:
    """Against rational arithmetic; the bound is no larger than that of the classical analysis allows."""
    kernel = parsed("x[0] += e[i][j];", "float", tmp_path)
    values = {"n": 12}
    start = initial_memory(kernel, values)
    terms = [Fraction(value) for value in start["e"].cells]
    exact = Fraction(start["x"].cells[0]) + sum(terms)
    after = copied(start)
    bound = rounding_errors(kernel, values, after)["x"][0,]
    magnitude = float(abs(Fraction(start["x"].cells[0])) + sum(map(abs, terms)))
    assert abs(Fraction(after["x"].cells[0]) - exact) <= bound
    assert bound <= 1.001 * len(terms) * 2.0**-24 * magnitude


def test_free_reductions_without_a_reduction_that_rounds_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parsed("x[i + j] += a[i][j];", "int", tmp_path)
    assert main(["plan", str(tmp_path / "kernel.c"), "--free-reductions"]) == 2
    assert "--free-reductions has no effect on a kernel without floating-point" in capsys.readouterr().err


@needs_gcc
@pytest.mark.parametrize(("way", "seed"), QUICK)
def test_random_reductions(way: str, seed: int) -> None:
    CHECKS[way](reduced_triple(seed))


@needs_gcc
@pytest.mark.sweep
@pytest.mark.parametrize("seed", SWEEP)
def test_many_random_reductions(seed: int) -> None:
    triple = reduced_triple(seed)
    turn = ("vitis", "network", "intel", "threads")[seed % 4]
    hardware = {0: ("hardware",), 12: ("network hardware",)}.get(seed % 24, ())
    for way in ("plan", "c", turn, *hardware):
        try:
            CHECKS[way](triple)
        except ls.UnsupportedError:
            assert way.startswith("network") or not triple.kernel.exact


EXTREMA = """
void extrema(int n, int m, const int a[n][m][m], int low[n], short third[n]) {
  for (int i = 0; i < n; i++) {
    int least = a[i][0][0], sum = 0;
    for (int j = 0; j < m; j++)
      for (int k = 0; k < m; k++) {
        sum += a[i][j][k];
        if (a[i][j][k] < least)
          least = a[i][j][k];
      }
    low[i] = least;
    third[i] = sum / 3;
  }
}
"""


@needs_gcc
def test_accumulators_that_are_expanded_run_in_the_order_of_the_tiles(tmp_path: Path) -> None:
    """The loops stay as they stand: a sum that ends in no element, and a minimum by a condition."""
    path = tmp_path / "kernel.c"
    path.write_text(EXTREMA)
    kernel = ls.parse(path)
    tiles = choose_tiling(kernel, (2, 2, 3))
    check_tiling(tiles)
    assert tiles.choice == "updates of low, sum in the order of the tiles"
    assert tiles.sizes == (2, 2, 3)
    assert "sum is expanded along i" in [change.text() for change in tiles.kernel.privatised]
    rows = tuple({"n": n, "m": m} for n, m in ((1, 1), (3, 2), (5, 7)))
    CHECKS["c"](Triple(1, kernel, (), tiles, rows))
