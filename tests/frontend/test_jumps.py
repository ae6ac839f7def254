"""Loops that are left early, that count in several ways or in none: what runs is what the source does."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import tiny_parameters
from loadstone.model.kernel import Kernel
from random_jumps import kernel_with_jumps

HEAD = "void f(int n, int m, int a[40], int b[40])"
SIZES = (0, 1, 2, 5, 7, 13)
AFFINE = {
    "break": "for (int i = 0; i < n; i++) { a[i] = 1; if (i == m) break; b[i] = a[i]; }",
    "break of each row": (
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { a[j] += i; if (i == j) break; b[j] = 2; }"
    ),
    "break downwards": "for (int i = n; i > 0; i -= 2) { a[i] = 1; if (i < m) break; b[i] = a[i]; }",
    "break behind a quotient": "for (int i = (n + m) / 2; i >= 0; i -= 2) { if (i + i >= 6) break; a[i + 1] *= 3; }",
    "break in a branch": (
        "for (int i = 0; i < n; i++) { if (i > 3) { a[i] = 5; if (i > m) break; } else b[i] = 1; a[i] += 2; }"
    ),
    "no condition": "for (int i = 0;; i++) { a[i] = 1; if (i >= n) break; b[i] = 3; }",
    "while (1)": "int i = 0; while (1) { if (i >= n) break; a[i] = b[i]; i += 3; }",
    "continue": (
        "for (int i = 0; i < n; i++) { if (i == m) continue; a[i] = b[i]; if (i % 3 == 1) continue; b[i] = 4; }"
    ),
    "both": "for (int i = 0; i < n; i++) { if (i < 2) continue; if (i == m) break; if (i > 9) continue; a[i] = b[i]; }",
    "inner loop": (
        "for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) { if (j > i) break; a[j] += b[i]; } b[i] = a[i]; }"
    ),
    "local": "for (int i = 0; i < n; i++) { int k = 2 * i - m; if (k > 3) break; a[i] = k; }",
    "step in the middle": "int i = 0; while (i < n) { a[i] = b[i]; i += 2; b[i] = a[i]; }",
    "two counters": "int i = 0, j = n; while (i < j) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; }",
    "second counter": "int k = 3; for (int i = 0; i < n; i += 2) { a[i] = b[k]; k++; b[k] = i; } a[0] = k;",
    "two counters behind": "int i = 0, k = 3; while (i < n) { i++; a[i] = b[i]; k += 2; b[k] = i; } b[0] = i + k;",
    "counter read before": "int i = 0; a[39] = i; while (i < n) { a[i] = 0; i++; } b[39] = i;",
    "do": "int i = 2; do { a[i] = b[i]; i += 3; } while (i < n); a[0] = i;",
    "value behind steps": (
        "int i; for (i = 3; i < n; i += 4) a[i] = 1; b[0] = i; for (i = n; i > -3; i -= 5) b[i + 4] = 2; b[1] = i;"
    ),
    "counter set twice": (
        "int i = 0; for (i = 0; i < n; i++) a[i] = 0; i = m; b[0] = i; for (i = 2; i < n; i++) a[i] += 5; b[1] = i;"
    ),
}
DATA = {
    "break": "for (int i = 0; i < n; i++) { if (b[i] > 20) break; a[i] = b[i]; }",
    "break with work": "for (int i = 0; i < n; i++) { a[i] = 1; if (b[i] > 20) { b[i] = 3; break; } a[i] = 2; }",
    "continue": "for (int i = 0; i < n; i++) { if (b[i] > 20) continue; a[i] = b[i]; }",
    "continue deep": (
        "for (int i = 0; i < n; i++) { if (b[i] > 9) { if (a[i] > 9) continue; b[i] = 1; } a[i] += b[i]; }"
    ),
    "mixed": (
        "for (int i = 0; i < n; i++) { if (i == m) break; if (b[i] > 30) continue; if (i > 2 && a[i] > 30) "
        "break; a[i] = 7; }"
    ),
    "condition changes": "for (int i = 0; i < n; i++) { if (a[i] > 9) { a[i] = 0; continue; } a[i] += 1; }",
    "inner": (
        "for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) { if (b[j] > i) break; a[j] += 1; } b[i] = a[i]; }"
    ),
    "both loops": (
        "for (int i = 0; i < n; i++) { if (a[i] > 35) break; for (int j = 0; j < m; j++) { if (j == i) "
        "break; b[j]++; } }"
    ),
}


def kernel_of(body: str) -> Kernel:
    return ls.parse(f"{HEAD}\n{{\n{body}\n}}\n")


@pytest.mark.parametrize("body", [*AFFINE.values(), *DATA.values()], ids=[*AFFINE, *(f"data: {name}" for name in DATA)])
def test_what_runs_is_what_the_source_does(body: str) -> None:
    kernel = kernel_of(body)
    checked = 0
    for values in tiny_parameters(kernel, SIZES):
        assert ls.run(kernel, parameters=values, target="model").is_right, values
        checked += 1
    assert checked >= 4


@pytest.mark.parametrize("body", AFFINE.values(), ids=AFFINE)
def test_affine_control_is_exact(body: str) -> None:
    assert kernel_of(body).exact


@pytest.mark.parametrize("body", [AFFINE["break of each row"], AFFINE["two counters"], AFFINE["do"], DATA["mixed"]])
@pytest.mark.parametrize("size", [0, 1, 13])
def test_the_plan_does_what_the_source_does(body: str, size: int) -> None:
    kernel = kernel_of(body)
    values = dict.fromkeys(kernel.parameters, size)
    assert ls.run(kernel, parameters=values, target="c", checked=True).is_right


@pytest.mark.parametrize(
    ("body", "domain"),
    [
        (AFFINE["break"].replace("m", "5"), "0 <= i < n and i <= 5"),
        ("for (int i = 0;; i++) { a[i] = 1; if (i == 9) break; }", "0 <= i <= 9"),
        ("for (int i = 0; i < n; i++) { if (i % 2) continue; a[i] = 1; }", "0 <= i < n and i mod 2 = 0"),
        ("for (int i = 0; i < n; i++) { if (i >= 3 && i != 4) break; a[i] = 1; }", "0 <= i < n and i <= 2"),
    ],
)
def test_domains(body: str, domain: str) -> None:
    kernel = kernel_of(body)
    first = kernel.statements[0].domain
    assert first.is_equal(isl.Set(f"[n] -> {{ S0[i] : {domain} }}").align_params(first.get_space()))


def test_a_loop_that_only_a_break_ends_assumes_it() -> None:
    kernel = kernel_of("for (int i = 0;; i++) { a[i] = 1; if (i == n) break; }")
    (assumption,) = kernel.assumptions
    assert assumption.condition.is_equal(isl.Set("[n] -> { : n >= 0 }"))
    assert "does not end" in assumption.reason


@pytest.mark.parametrize("seed", range(24))
def test_random_kernels_with_jumps(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(kernel_with_jumps(seed, may=seed % 2 == 1).source)
    kernel = ls.parse(path)
    for values in list(tiny_parameters(kernel, (0, 1, 7)))[-3:]:
        assert ls.run(kernel, parameters=values, target="model").is_right, values
