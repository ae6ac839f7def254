"""Lanes in HLS C++: unrolled loops and banks, against the original program."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

import loadstone as ls
from kernels import FILTER, ROOT, ROWS_LATER
from loadstone.options import Choices, HardwareOptions
from loadstone.pipeline import Compilation

MATMUL = (ROOT / "examples" / "matmul.c").read_text()
DIAGONAL = """
void diagonal(int n, short a[n][2 * n], long out[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      out[i][j] = a[i][i + j] + out[i][j];
}
"""
BACKWARDS = """
void backwards(int n, unsigned char a[n + 1], unsigned char b[n]) {
  for (int i = n - 1; i >= 0; i--)
    b[i] = a[n - i] + a[n - 1 - i];
}
"""
CASES = [
    (MATMUL, 8, (4, 8), ({"n": 9}, {"n": 1})),
    (MATMUL, 7, 3, ({"n": 15},)),
    (FILTER, (5, 3), 2, ({"n": 11, "m": 4}, {"n": 0, "m": 1})),
    (ROWS_LATER, (6, 4), (2, 4), ({"n": 13, "m": 5},)),
    (DIAGONAL, (4, 8), (2, 2), ({"n": 9},)),
    (BACKWARDS, 8, 4, ({"n": 17}, {"n": 7})),
]


def hls(text: str, sizes: int | tuple[int, ...], unroll: int | tuple[int, ...], values: Mapping[str, int]) -> str:
    files = ls.build(ls.parse(text), parameters=values, target="hls", sizes=sizes, unroll=unroll).files
    return next(content for path, content in files.items() if path.endswith(".cpp") and "testbench" not in path)


@pytest.mark.parametrize(("text", "sizes", "unroll", "rows"), CASES)
def test_lanes_compute_what_the_original_does(
    text: str, sizes: int | tuple[int, ...], unroll: int | tuple[int, ...], rows: tuple[Mapping[str, int], ...]
) -> None:
    for values in rows:
        outcome = ls.run(ls.parse(text), parameters=values, target="hls", sizes=sizes, unroll=unroll)
        assert outcome.is_right
        assert outcome.lanes is not None
        assert outcome.lanes.count > 1, outcome.lanes.reason


def test_banks_are_memories_of_their_own() -> None:
    text = hls(MATMUL, 8, (4, 8), {"n": 20})
    assert text.count("#pragma HLS unroll") == 2
    plan = ls.plan(ls.parse(MATMUL), ls.Tiling(8))
    for array, banks in (("c", 32), ("a", 4), ("b", 8)):
        cells = plan[array].buffer.all_cells({"n": 20}) // banks
        assert f"int {array}_local[{cells}][{banks}]" in text
        assert f"#pragma HLS array_partition variable={array}_local complete dim=2" in text
    assert "unroll" not in hls(MATMUL, 8, 1, {"n": 20})


def test_loops_over_groups_are_pipelined() -> None:
    body = hls(MATMUL, 8, 4, {"n": 20}).partition("static void compute_tile")[2].partition("\n}")[0]
    lines = (
        *("#pragma HLS pipeline II=1", r"#pragma HLS loop_tripcount min=\d max=\d"),
        *(r"for \(int j_lane = 0; j_lane < 4; j_lane\+\+\) \{", "#pragma HLS unroll"),
    )
    assert re.search(r"\n\s*".join(lines), body)


def test_lanes_that_a_pragma_suggests() -> None:
    kernel = ls.parse(MATMUL.replace("#pragma scop", "#pragma scop\n#pragma HLS UNROLL factor=2", 1))
    outcome = ls.run(kernel, parameters={"n": 5}, target="hls", sizes=4)
    assert outcome.is_right
    assert outcome.suggestion is not None
    assert outcome.as_json()["lanes"]["count"] == 2


def test_where_there_are_no_lanes() -> None:
    kernel = ls.parse(MATMUL)
    with pytest.raises(ls.InputError, match="flavour intel has no lanes"):
        ls.run(kernel, parameters={"n": 5}, target="hls", flavour="intel", unroll=2)
    with pytest.raises(ls.InputError, match="no effect"):
        ls.run(kernel, parameters={"n": 5}, target="c", unroll=2)
    lu = ls.parse(str(ROOT / "examples" / "polybench" / "lu.c"))
    choices = Choices(sizes=4, split_buffers=True)
    found = Compilation(lu, choices, {"n": 9}, hardware=HardwareOptions(unroll=2)).unrolled("vitis", {"n": 9})
    assert (found.count, found.reason) == (1, "local memories are in parts, which have no banks")
