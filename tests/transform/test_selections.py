"""Conditional updates as selections, against runs of the kernels that have them."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_privatise import PAIR, ROW, SIZES, SUM, check_same, parsed

import loadstone as ls
from loadstone.transform.selections import with_selections
from loadstone.trials import compare_executions

SELECTED = {
    "a maximum": f"{ROW} {{ int m = b[i][0]; {SUM} if (b[i][k] > m) m = b[i][k]; c[i] = m; }}",
    "a clamp": f"{ROW} {{ int t = a[i]; if (t > 9) t = 9; if (t < 0) t = -t; c[i] = t; }}",
    "branches": f"{ROW} {{ int t; if (a[i] > 3) t = a[i]; else t = x[i]; c[i] = t; }}",
    "a guarded quotient": f"{ROW} {{ int t; if (a[i] != 0) t = 100 / a[i]; else t = 0; c[i] = t; }}",
    "an index": f"{ROW} {{ int m = 0, p = 0; {SUM} if (b[i][k] > m) {{ m = b[i][k]; p = k; }} c[i] = p + m; }}",
    "a local array": f"{ROW} {{ int t[2]; t[0] = 0; t[1] = 1; if (a[i] > 3) t[1] = x[i]; c[i] = t[0] + t[1]; }}",
    "an element": f"{PAIR} if (b[i][j] > c[i]) c[i] = b[i][j];",
    "clamped elements": f"{ROW} {{ c[i] += a[i]; if (c[i] > 9) c[i] = 9; else if (c[i] < 0) c[i] = 0; }}",
    "branches of elements": f"{ROW} {{ if (a[i] > 3) c[i] = a[i]; else if (x[i] > 3) c[i] = x[i]; else c[i] = 0; }}",
    "where conditions nest": f"{ROW} if (a[i] > 3) {{ if (c[i] > a[i]) {{ c[i] = a[i]; x[i] = 1; }} else x[i] = 2; }}",
    "either of two arrays": f"{ROW} c[i] = a[i] > 3 ? x[i] : b[i][i];",
    "seen afterwards": f"{ROW} if (a[i] > 3) c[i] = a[i];",
    "carried": f"int m = 0; {ROW} {{ if (a[i] > m) m = a[i]; c[i] = m; }}",
}
SELECTED["of floating point"] = f"{ROW} {{ float t; if (a[i] > 3) t = a[i] / 3.0f; else t = 0.5f; c[i] = t * 9; }}"
CONDITIONAL = {
    "undefined before": f"{ROW} {{ int t; if (a[i] > 3) t = x[i]; if (a[i] > 3) c[i] = t; }}",
    "defined later": f"{ROW} {{ int t; if (a[i] > 3) t = x[i]; else if (a[i] > 1) t = 2; if (a[i] > 1) c[i] = t; }}",
    "outside of the array": f"{ROW} if (a[i] != a[i]) c[i + 1] = a[i];",
    "outside on one side": f"{ROW} c[i] = a[i] != a[i] ? c[i + 1] : 3;",
    "at a place from data": f"{ROW} if (a[i] == i + 1) c[a[i] - 1] = i;",
}


@pytest.mark.parametrize("name", SELECTED)
def test_conditional_updates_become_selections(name: str, tmp_path: Path) -> None:
    kernel = parsed(tmp_path, SELECTED[name])
    changed = with_selections(kernel)
    assert not kernel.exact
    assert changed.exact
    check_same(kernel, changed)
    for size in SIZES:
        assert compare_executions(changed, {"n": size}).is_right
    assert ls.network(kernel).processes


@pytest.mark.parametrize("name", CONDITIONAL)
def test_updates_that_stay_conditional(name: str, tmp_path: Path) -> None:
    kernel = parsed(tmp_path, CONDITIONAL[name])
    changed = with_selections(kernel)
    assert not changed.exact
    check_same(kernel, changed)


def test_what_may_lie_outside_is_read_where_it_is_needed_only(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, f"{ROW} {{ int t = 0; if (a[i] < 0) t = x[i + n + 9]; c[i] = t; }}")
    update = with_selections(kernel).statement("S1")
    assert update.write.exact
    assert [read.exact for read in update.reads] == [True, False, True]


FIXED = """
void f(int n, const int a[8], int best[8], int last[8][2]) {
  for (int i = 0; i < n; i++) {
    if (a[i] > best[i]) best[i] = a[i];
    if (best[i] > 5) last[i][1] = best[i];
    last[i][0] = a[i] > 3 ? last[i][1] : best[i];
  }
}
"""


def test_sure_accesses_tell_how_far_loops_run_on_arrays_of_fixed_size(tmp_path: Path) -> None:
    path = tmp_path / "fixed.c"
    path.write_text(FIXED)
    kernel = ls.parse(path)
    changed = with_selections(kernel)
    assert changed.exact
    assert changed.context.is_equal(kernel.context)
    check_same(kernel, changed)
    for size in (0, 1, 7, 8):
        assert compare_executions(changed, {"n": size}).is_right
    assert ls.network(kernel).processes
    path.write_text(FIXED.replace("a[i] > 3 ?", "a[i] > 3 && i > 4 ?").replace("? last[i]", "? last[i + 1]"))
    assert not with_selections(ls.parse(path)).exact
