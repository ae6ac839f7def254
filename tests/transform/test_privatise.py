"""Temporaries in places of their own: each rule, against runs of the kernels as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadstone as ls
from loadstone.analysis import flow_of_reads
from loadstone.emit.c.of_accelerator import allocated_program
from loadstone.loops.description import accelerator_info
from loadstone.model.kernel import Kernel
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.transform.choice import choose_tiling, is_legal, tiled_as
from loadstone.transform.privatise.own_cell import kept_in_own_cells
from loadstone.transform.privatise.webs import with_webs
from loadstone.transform.selections import with_selections
from loadstone.transform.tiling import Tiling
from loadstone.trials import memory_of
from random_triples import CHECKS, Triple

ARRAYS = "int n, int a[n], int b[n][n], int c[n], int d[n][n], short h[n], int x[2 * n + 8], short g[n][n]"
SIZES = (0, 1, 2, 5)
ROW = "for (int i = 0; i < n; i++)"
PAIR = f"{ROW} for (int j = 0; j < n; j++)"
FEW = "for (int k = 0; k < 3; k++)"
SUM = "for (int k = 0; k < n; k++)"

KEPT = {
    "a product": (f"{PAIR} {{ int s = 0; {SUM} s += b[i][k] * b[k][j]; d[i][j] = s; }}", "d[i][j]"),
    "a maximum": (f"{ROW} {{ int s = b[i][0]; {SUM} if (b[i][k] > s) s = b[i][k]; c[i] = s; }}", "c[i]"),
    "read after the copy": (f"{PAIR} {{ int s = 0; {SUM} s += b[i][k]; d[i][j] = s; x[i + j] = s + 1; }}", "d[i][j]"),
    "copied twice": (f"{ROW} {{ int s = 0; {SUM} s += b[i][k]; c[i] = s; x[i] = s; }}", "c[i]"),
    "element read before": (f"{ROW} {{ int s = c[i]; {SUM} s += b[i][k]; c[i] = s; }}", "c[i]"),
    "one element for all": (f"{ROW} {{ int s = a[i]; {SUM} s += b[i][k]; c[0] = s; }}", "c[0]"),
    "a local array": (
        f"{ROW} {{ int t[2]; for (int u = 0; u < 2; u++) {{ t[u] = a[i]; {SUM} t[u] += b[i][k] * u; }}"
        " for (int u = 0; u < 2; u++) x[2 * i + u] = t[u]; }",
        "x[2i + u]",
    ),
    "changed at the end": (f"{ROW} {{ int s = 0; {SUM} s += b[i][k]; c[i] = s / 2 + a[i]; }}", "c[i]"),
    "clamped": (f"{ROW} {{ int s = 0; {SUM} s += b[i][k]; if (s > 9) s = 9; c[i] = s; }}", "c[i]"),
    "declared outside": (f"int s; {PAIR} {{ s = 1; {SUM} s += b[i][k]; d[i][n - 1 - j] = s; }}", "d[i][n - j - 1]"),
}
NOT_KEPT = {
    "copied sometimes": f"{PAIR} {{ int s = 0; {SUM} s += b[i][k]; if (j < i) d[i][j] = s; g[i][j] = s + 1; }}",
    "copied where data say so": f"{ROW} {{ int s = 0; {SUM} s += b[i][k]; if (a[i] > 3) c[i] = s; }}",
    "of another type": f"{ROW} {{ int s = 0; {SUM} s += b[i][k]; h[i] = s; }}",
    "changed by the copy": f"{ROW} {{ int s = 0; {SUM} s += b[i][k]; c[i] = 2 * s + c[i]; }}",
    "element read meanwhile": f"{ROW} {{ int s = 0; {SUM} s += b[i][k] * c[i]; c[i] = s; }}",
    "element written meanwhile": f"{ROW} {{ int s = 0; {SUM} {{ c[k] = k; s += b[i][k]; }} c[i] = s; }}",
    "another element read meanwhile": f"{ROW} {{ int s = 0; {SUM} s += b[i][k] * c[k]; c[i] = s; }}",
    "stored at each step": f"{ROW} {{ int s = 0; for (int j = 0; j < n; j++) {{ s += b[i][j]; d[i][j] = s; }} }}",
    "two at once": f"{ROW} {{ int t[2]; for (int u = 0; u < 2; u++) t[u] = a[i] + u; "
    "for (int u = 0; u < 2; u++) { c[i] = t[u]; h[i] += t[u]; } }",
    "overwritten before it is read again": f"{ROW} {{ int s = a[i]; c[i] = s; c[i] += 1; h[i] = s + 1; }}",
}
EXPANDED = {
    "a row": (f"{ROW} {{ int s = 0; {SUM} s += b[i][k]; h[i] = s / 2; }}", (2, 2), ("s along i",)),
    "a pixel": (
        f"{PAIR} {{ int s = 0; {SUM} s += b[i][k] * b[k][j]; g[i][j] = s / 2; }}",
        (2, 2, 2),
        ("s along i, j",),
    ),
    "in order inside": (f"{PAIR} {{ int s = 0; {FEW} s += x[i + k]; g[i][j] = s / 2; }}", (2, 2, 4), ("s along i",)),
    "no need": (f"{ROW} {{ int s = 0; {SUM} s += b[i][k]; h[i] = s / 2; }}", (1, 2), ()),
    "carried in a row": (
        f"{ROW} {{ int p = 0; for (int j = 0; j < n; j++) {{ d[i][j] = b[i][j] - p; p = b[i][j] + p / 2; }} }}",
        (2, 2),
        ("p along i",),
    ),
    "two of them": (
        f"{PAIR} {{ int s = 0; int t = 1; {SUM} {{ s += b[i][k]; t += s; }} g[i][j] = s * t; }}",
        (2, 2, 2),
        ("s along i, j", "t along i, j"),
    ),
    "a local row": (
        f"{ROW} {{ int t[4]; for (int u = 0; u < 4; u++) t[u] = x[i + u]; "
        "for (int u = 0; u < 4; u++) x[i + u] += 2 * t[u]; }",
        (1, 2),
        (),
    ),
    "a shift register": (
        "int w[3]; for (int k = 0; k < 3; k++) w[k] = 0; "
        f"{ROW} {{ for (int k = 2; k > 0; k--) w[k] = w[k - 1]; w[0] = a[i]; "
        "int s = 0; for (int k = 0; k < 3; k++) s += w[k] * x[k]; h[i] = s / 2; }",
        (4, 4),
        ("w along i", "s along i"),
    ),
}


def parsed(folder: Path, body: str) -> Kernel:
    path = folder / "kernel.c"
    path.write_text(f"void f({ARRAYS}) {{\n#pragma scop\n{body}\n#pragma endscop\n}}\n")
    return ls.parse(path)


def check_same(kernel: Kernel, changed: Kernel) -> None:
    """Both leave the same memory."""
    for size in SIZES:
        expected, actual = (initial_memory(each, {"n": size}) for each in (kernel, changed))
        actual |= {name: cells for name, cells in copied(expected).items() if not kernel.arrays[name].local}
        execute(kernel, {"n": size}, expected)
        execute(changed, {"n": size}, actual)
        assert not mismatches(expected, actual, live_out_arrays(kernel)), size


@pytest.mark.parametrize("name", KEPT)
def test_values_are_kept_where_they_end(name: str, tmp_path: Path) -> None:
    body, element = KEPT[name]
    kernel = parsed(tmp_path, body)
    changed = kept_in_own_cells(with_webs(with_selections(kernel)))
    assert element in [change.element for change in changed.privatised]
    assert not {change.temporary for change in changed.privatised} & set(changed.arrays)
    check_same(kernel, changed)


@pytest.mark.parametrize("name", NOT_KEPT)
def test_values_that_cannot_be_kept_where_they_end(name: str, tmp_path: Path) -> None:
    kernel = parsed(tmp_path, NOT_KEPT[name])
    split = with_webs(with_selections(kernel))
    assert kept_in_own_cells(split) is split


@pytest.mark.parametrize("name", EXPANDED)
def test_as_few_loops_as_the_tiling_needs(name: str, tmp_path: Path) -> None:
    body, sizes, expected = EXPANDED[name]
    kernel = parsed(tmp_path, body)
    tiles = choose_tiling(kernel, sizes)
    assert is_legal(tiles)
    found = (f"{change.temporary} along {', '.join(change.loops)}" for change in tiles.kernel.privatised)
    assert tuple(found) == expected
    check_same(kernel, tiles.kernel)
    CHECKS["plan"](Triple(0, kernel, (), tiles, tuple({"n": size} for size in SIZES)))


def test_values_carried_along_a_loop_are_read_where_they_were_written(tmp_path: Path) -> None:
    body, sizes, _ = EXPANDED["a shift register"]
    kernel = choose_tiling(parsed(tmp_path, body), sizes).kernel
    shift = kernel.statement("S1")
    assert str(shift.write.relation).startswith("[n] -> { S1[i, k] -> w[1 + i, k]")
    assert str(shift.reads[0].relation).startswith("[n] -> { S1[i, k] -> w[i, -1 + k]")


def test_webs_have_arrays_of_their_own(tmp_path: Path) -> None:
    body = f"int t; {ROW} {{ t = a[i]; c[i] = t * t; }} {ROW} {{ t = x[i]; {SUM} t += k; h[i] = t; }}"
    kernel = parsed(tmp_path, body)
    split = with_webs(kernel)
    assert set(split.arrays) - set(kernel.arrays) == {"t_2"}
    assert [s.write.array for s in split.statements] == ["t", "c", "t_2", "t_2", "h"]
    assert {key: str(flow) for key, flow in flow_of_reads(kernel).items()} == {
        key: str(flow) for key, flow in flow_of_reads(split).items()
    }
    check_same(kernel, split)


DECLARED_BEFORE = """void f(int n, int b[n][n], short c[n], int d[n][n]) {
  int s, t[2];
#pragma scop
  for (int i = 0; i < n; i++) {
    s = 0;
    t[0] = 1;
    t[1] = 2;
    for (int k = 0; k < n; k++) {
      s += b[i][k];
      t[k % 2] += s;
    }
    c[i] = s / 2 + t[0] * t[1];
  }
#pragma endscop
}
"""


def test_temporaries_declared_before_the_kernel(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(DECLARED_BEFORE)
    kernel = ls.parse(path)
    tiles = choose_tiling(kernel, (2, 2))
    assert is_legal(tiles)
    assert [(change.temporary, change.array) for change in tiles.kernel.privatised] == [("s", "s_2"), ("t", "t_2")]
    CHECKS["c"](Triple(0, kernel, (), tiles, tuple({"n": size} for size in SIZES)))


def test_schedules_of_the_user_are_kept(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, KEPT["a product"][0])
    schedule = "[n] -> { S0[i, j] -> [j, i, 0]; S1[i, j, k] -> [j, i, k]; S2[i, j] -> [j, i, n - 1] }"
    tiles = tiled_as(kernel, Tiling(2, schedule))
    assert [change.text() for change in tiles.kernel.privatised] == ["s is kept in d[i][j]"]
    assert is_legal(tiles)
    assert set(tiles.theta) == {"S0", "S1"}
    check_same(kernel, tiles.kernel)


def test_a_temporary_between_strips_is_external_and_said_so(tmp_path: Path) -> None:
    body, sizes, _ = EXPANDED["a shift register"]
    kernel = parsed(tmp_path, body)
    tiles = choose_tiling(kernel, sizes)
    triple = Triple(0, kernel, (), tiles, tuple({"n": size} for size in SIZES))
    changes = {each["temporary"]: each for each in accelerator_info(triple.accelerator)["privatised"]}
    assert changes["w"]["external"]
    assert "external scratch array 'w' of n + 1 x 3 elements" in changes["w"]["text"]
    assert allocated_program(triple.accelerator).remark == "w is scratch memory of (n + 1) * (3) elements."
    assert not changes["s"]["external"]
    memory = memory_of(tiles.kernel, {"n": 5}, 0, initial_memory(kernel, {"n": 5}))
    assert memory["w"].extents == (6, 3)
    CHECKS["c"](triple)
