"""Values handed from one instance to the next, in the cycles of the thesis [Devos, Figure 5.12]."""

from __future__ import annotations

from pathlib import Path

from statement_cycles import Cycles, cycles, figure_5_12

import loadstone as ls


def test_figure_5_12() -> None:
    """9 cycles as generated, 7 with registers, 8 where i = 1."""
    (statement,) = figure_5_12().statements
    assert cycles(statement) == Cycles(9, 7, 8)


def test_only_what_the_instance_before_has_read_is_handed_on(tmp_path: Path) -> None:
    """a[i][j - 1] is, a[i - 1][j] and a[i][j + 1] are not; neither is what is read for the second time by a[2 * j]."""
    source = "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) x[i][j] = {};"
    for value, expected in (
        ("a[i][j] + a[i][j - 1]", Cycles(7, 6, 7)),
        ("a[i][j] + a[i - 1][j]", Cycles(7, 7, 7)),
        ("a[i][j] + a[i][j - 2]", Cycles(7, 7, 7)),
        ("a[i][j - 1] + a[i][j] + a[i][j + 1]", Cycles(8, 6, 8)),
        ("a[i][2 * j] + a[i][j]", Cycles(7, 7, 7)),
    ):
        path = tmp_path / "kernel.c"
        body = source.format(value)
        path.write_text(f"void f(int n, int a[n][2 * n], int x[n][n]) {{\n#pragma scop\n{body}\n#pragma endscop\n}}")
        assert cycles(ls.parse(path).statements[0]) == expected, value
