"""Imperfect nests: statements next to inner loops run with the last or first iteration of these."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadstone as ls
from kernels import FILTER, random_kernel
from loadstone.model.kernel import Statement
from loadstone.poly import fixed, pairs
from loadstone.transform.choice import choose_tiling, is_legal
from loadstone.transform.sink import sunk
from loadstone.transform.tiling import TiledKernel, Tiling, tiled

ALONE = """
void alone(int n, int a[n], int b[n][n]) {
  for (int i = 0; i < n; i++) {
    a[i] = i;
    for (int j = 0; j < n; j++)
      b[i][j] = a[i];
  }
}
"""


def kernel_of(text: str, folder: Path) -> ls.Kernel:
    path = folder / "kernel.c"
    path.write_text(text)
    return ls.parse(path)


def dates(tiles: TiledKernel, statement: str, **parameters: int) -> dict[tuple[int, ...], tuple[int, ...]]:
    return dict(pairs(fixed(tiles.theta[statement], parameters)))


def test_a_result_behind_its_loop_can_be_tiled(tmp_path: Path) -> None:
    kernel = kernel_of(FILTER, tmp_path)
    assert not is_legal(tiled(kernel, Tiling((1, 3))))
    chosen = choose_tiling(kernel, (1, 3))
    assert is_legal(chosen)
    assert dates(chosen, "S2", n=2, m=5) == {(0,): (0, 4), (1,): (1, 4)}
    assert dates(chosen, "S2", n=2, m=0) == {(0,): (0, 0), (1,): (1, 0)}


def test_what_can_be_tiled_stays_as_it_is(tmp_path: Path) -> None:
    kernel = kernel_of(ALONE, tmp_path)
    assert dates(choose_tiling(kernel, (2, 2)), "S0", n=2) == {(0,): (0, 0), (1,): (1, 0)}


@pytest.mark.parametrize("seed", range(30))
def test_sunk_statements_are_at_iterations_next_to_them(seed: int) -> None:
    """Enumerated, with the same outer dates: the largest date among the deeper statements before it in the text.

    If there are none, the smallest date among those behind it.
    """
    kernel, rows = random_kernel(seed)
    plain = tiled(kernel, Tiling(2))
    changed = sunk(plain)
    row = rows[-1]
    running = [s for s in kernel.statements if not s.domain.is_empty()]
    every = {s.name: dates(plain, s.name, **row) for s in running}
    for statement in running:
        expected = dict(every[statement.name])
        depth = len(statement.iterators)
        kept = len(plain.sizes) - max(len(s.iterators) for s in kernel.statements) + depth
        deeper = [
            other
            for other in running
            if len(other.iterators) > depth and places(other)[:depth] == places(statement)[:depth]
        ]
        before = [other.name for other in deeper if places(other)[depth] < places(statement)[depth]]
        behind = [other.name for other in deeper if places(other)[depth] > places(statement)[depth]]
        for instance, date in expected.items():
            near = [d for name in before or behind for d in every[name].values() if d[:kept] == date[:kept]]
            expected[instance] = (max if before else min)(near, default=date)
        assert dates(changed, statement.name, **row) == expected


def places(statement: Statement) -> list[int]:
    """The constants of the 2d+1 schedule, read off its text."""
    values = str(statement.schedule.range().sample_point()).split("[")[-1].split("]")[0].split(",")
    return [int(value) for value in values[::2]]


CENTRED = """
void centred(int n, int in[n + 2], int k[3], int out[n]) {
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int d = -1; d <= 1; d++)
      out[i] += in[i + d + 1] * k[d + 1];
  }
}
"""


def test_a_statement_before_a_loop_joins_its_first_iteration(tmp_path: Path) -> None:
    kernel = kernel_of(CENTRED, tmp_path)
    assert not is_legal(tiled(kernel, Tiling((4, 1))))
    chosen = choose_tiling(kernel, (4, 1))
    assert is_legal(chosen)
    assert dates(chosen, "S0", n=2) == {(0,): (0, -1), (1,): (1, -1)}
