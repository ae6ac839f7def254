"""Scalars that are set and used in one iteration, against runs of the kernels that have them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import loadstone as ls
from loadstone.loops.accelerator import Accelerator
from loadstone.model.kernel import Kernel
from loadstone.options import Target
from loadstone.pipeline import plan_tiles
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.storage.local_plan import with_buffers
from loadstone.transform.choice import choose_tiling
from loadstone.transform.temporaries import without_temporaries
from loadstone.trials import compare_executions
from ready import run_accelerator

ARRAYS = "int n, int a[n], int b[n], short c[n], int m[n][n], unsigned char x[n], int h[256]"
GIVES_WAY = {
    "used twice": "for (int i = 0; i < n; i++) { int t = a[i] * b[i]; b[i] = t + t / 2; }",
    "a chain": "for (int i = 0; i < n; i++) { int t = a[i]; t = t * t; int u = t - b[i]; b[i] = u * t; }",
    "narrow": "for (int i = 0; i < n; i++) { signed char t = a[i] * 77; b[i] = t * 2; c[i] = t; }",
    "of an outer loop": "for (int i = 0; i < n; i++) { int t = a[i]; for (int j = 0; j < n; j++) m[i][j] += t; }",
    "in a condition": "for (int i = 0; i < n; i++) { int t = a[i] - b[i]; if (t > 0) b[i] = t; }",
    "set under a condition": "for (int i = 0; i < n; i++) { int t = 1; if (a[i] > 3) t = b[i]; b[i] = t * 2; }",
    "clamped": "for (int i = 0; i < n; i++) { short t = a[i] - 90; if (t < 0) t = 0; if (t > 9) t = 9; c[i] = t; }",
    "in branches": "for (int i = 0; i < n; i++) { int t; if (a[i] > b[i]) t = a[i]; else t = b[i]; c[i] = t; }",
    "two in branches": "for (int i = 0; i < n; i++) { int t, u; if (a[i] > 50) { t = a[i]; u = 1; } "
    "else { t = b[i] / (51 - a[i]); u = t; } b[i] = t * u; }",
    "sometimes": "for (int i = 0; i < n; i++) { int t = a[i] * 3; b[i] = c[i] > 5 ? t : c[i]; }",
    "a subscript": "for (int i = 0; i < n; i++) { int t = x[i]; h[t] += c[i]; }",
    "two of them": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { int t = a[j], u = t * t; m[i][j] = u; }",
}
STAYS = {
    "overwritten": "for (int i = 0; i < n; i++) { int t = a[i]; a[i] = b[i]; b[i] = t; }",
    "carried": "int t = 0; for (int i = 0; i < n; i++) { b[i] = t; t = a[i]; }",
    "a sum": "for (int i = 0; i < n; i++) { int t = 0; for (int j = 0; j < n; j++) t += m[i][j]; b[i] = t; }",
    "of two loops": "for (int i = 0; i < n; i++) { int t; for (int j = 0; j < 2; j++) t = a[i] + j; b[i] = t; }",
    "set before": "int t = a[0] / 3; for (int i = 0; i < n; i++) b[i] = t * c[i];",
    "many times": "for (int i = 0; i < n; i++) { int t = a[i]; "
    + " ".join(f"int t{k} = t{k - 1 if k else ''} * t{k - 1 if k else ''};" for k in range(12))
    + " b[i] = t11; }",
}


def parsed(folder: Path, body: str) -> Kernel:
    path = folder / "kernel.c"
    path.write_text(f"void f({ARRAYS}) {{\n#pragma scop\n{body}\n#pragma endscop\n}}\n")
    return ls.parse(path)


def check(kernel: Kernel, simpler: Kernel, parameters: dict[str, int]) -> None:
    """Both leave the same memory, and so does C that is printed from the simpler one."""
    expected = initial_memory(kernel, parameters)
    actual = {name: buffer for name, buffer in copied(expected).items() if name in simpler.arrays}
    execute(kernel, parameters, expected)
    execute(simpler, parameters, actual)
    assert not mismatches(expected, actual, live_out_arrays(kernel))
    assert compare_executions(simpler, parameters).is_right


@pytest.mark.parametrize("name", GIVES_WAY)
def test_values_take_the_place_of_scalars(name: str, tmp_path: Path) -> None:
    kernel = parsed(tmp_path, GIVES_WAY[name])
    simpler = without_temporaries(kernel)
    assert all(array.rank for array in simpler.arrays.values())
    assert any(not array.rank for array in kernel.arrays.values())
    for size in (0, 1, 7):
        check(kernel, simpler, {"n": size})


@pytest.mark.parametrize("name", STAYS)
def test_scalars_that_are_needed_stay(name: str, tmp_path: Path) -> None:
    kernel = parsed(tmp_path, STAYS[name])
    simpler = without_temporaries(kernel)
    assert any(not array.rank for array in simpler.arrays.values())
    check(kernel, simpler, {"n": 7})


def test_a_scalar_that_is_declared_outside(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text("""void f(int n, int a[n], int b[n]) {
  int t;
#pragma scop
  for (int i = 0; i < n; i++) {
    t = a[i] + 1;
    b[i] = t * t;
  }
#pragma endscop
}
""")
    kernel = ls.parse(path)
    simpler = without_temporaries(kernel)
    assert [statement.name for statement in simpler.statements] == ["S1"]
    check(kernel, simpler, {"n": 5})


EDGES = """void edges(int h, int w, unsigned char in[h][w], short out[h][w]) {
#pragma loadstone tile size(4, 4)
#pragma scop
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      int gx = in[y - 1][x + 1] + 2 * in[y][x + 1] - in[y - 1][x - 1] - 2 * in[y][x - 1];
      int gy = in[y + 1][x] - in[y - 1][x];
      out[y][x] = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
    }
#pragma endscop
}
"""


@pytest.mark.parametrize("target", ["c", "hls"])
def test_loops_with_temporaries_can_be_tiled(target: Target, tmp_path: Path) -> None:
    path = tmp_path / "edges.c"
    path.write_text(EDGES)
    tiles = choose_tiling(ls.parse(path))
    accelerator = Accelerator(with_buffers(plan_tiles(tiles), 2))
    for parameters in ({"h": 9, "w": 11}, {"h": 2, "w": 3}, {"h": 6, "w": 5}):
        assert run_accelerator(accelerator, parameters, target=target).is_right


def test_a_schedule_is_found_without_temporaries(tmp_path: Path) -> None:
    path = tmp_path / "edges.c"
    path.write_text(EDGES)
    tiles = choose_tiling(ls.parse(path), (4, 4), "auto")
    assert [statement.name for statement in tiles.kernel.statements] == ["S2"]


def random_body(source: random.Random) -> str:
    """Assignments of scalars and elements in a loop, each of what was assigned before or not."""
    cells = ["t", "u", "v", "a[i]", "b[i]", "b[i / 2]", "c[n - 1 - i]"]
    lines = [f"{name} = {source.choice(cells[3:])} + {k};" for k, name in enumerate(cells[:3])]
    for k in range(6):
        value = f"{source.choice(cells)} * {k + 2} - {source.choice(cells)}"
        guard = source.choice(["", "", "if (b[i] > 9) ", "if (t < u) "])
        cell = source.choice(cells)
        other = f" else {source.choice([cell, *cells])} = {source.choice(cells)} + {k};" if guard else ""
        lines.append(f"{guard}{cell} = {value};{other}")
    return f"int t, u, v; for (int i = 0; i < n; i++) {{ {' '.join(lines)} }}"


@pytest.mark.parametrize("seed", range(60))
def test_random_bodies(seed: int, tmp_path: Path) -> None:
    kernel = parsed(tmp_path, random_body(random.Random(seed)))
    check(kernel, without_temporaries(kernel), {"n": 6})


def test_random_bodies_are_of_both_kinds(tmp_path: Path) -> None:
    kernels = [parsed(tmp_path, random_body(random.Random(seed))) for seed in range(12)]
    fewer = [len(kernel.arrays) - len(without_temporaries(kernel).arrays) for kernel in kernels]
    assert {0, 1, 2} <= set(fewer)
