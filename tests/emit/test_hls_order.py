"""The order inside of a tile in HLS C++: sums over each other, with the same results."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

import loadstone as ls
from kernels import ROOT

PRODUCT = """
void product(int n, float c[n][n], float a[n][n], float b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] = c[i][j] + a[i][k] * b[k][j];
}
"""
CHAIN = """
void chain(int n, float s[n]) {
  for (int i = 1; i < n; i++)
    s[i] = s[i - 1] * 0.5f + s[i];
}
"""
GEMM, LU = (str(ROOT / "examples" / "polybench" / f"{name}.c") for name in ("gemm", "lu"))
CASES = [
    (PRODUCT, 8, {"n": 19}, None, None),
    (PRODUCT, (4, 16, 8), {"n": 17}, None, 512),
    (PRODUCT, (4, 16, 8), {"n": 17}, 2, 128),
    (LU, 8, {"n": 13}, None, None),
    (GEMM, (4, 16, 4), {"ni": 5, "nj": 18, "nk": 9}, 2, 256),
]


def loops(text: str, sizes: int | tuple[int, ...]) -> list[str]:
    """The iterators and intervals of the loops of a tile."""
    kernel = ls.parse(text)
    made = ls.build(kernel, target="hls", sizes=sizes, parameters=dict.fromkeys(kernel.parameters, 20)).files
    source = next(text for path, text in made.items() if path.endswith(".cpp") and "testbench" not in path)
    body = source.partition("static void compute_tile")[2].partition("\n}")[0]
    return [first or second for first, second in re.findall(r"for \(int (\w+)|pipeline (II=\d+)", body)]


@pytest.mark.parametrize(("text", "sizes", "values", "unroll", "width"), CASES)
def test_another_order_computes_the_same(
    text: str, sizes: int | tuple[int, ...], values: Mapping[str, int], unroll: int | None, width: int | None
) -> None:
    outcome = ls.run(ls.parse(text), parameters=values, target="hls", sizes=sizes, unroll=unroll, bus_width=width)
    assert outcome.is_right
    assert outcome.order is not None


def test_sums_are_interleaved() -> None:
    assert loops(PRODUCT, 8) == ["k", "i", "j", "II=1"]
    assert loops(PRODUCT.replace("float", "int"), 8) == ["i", "j", "k", "II=1"]


def test_a_chain_keeps_its_order_and_interval() -> None:
    assert loops(CHAIN, 8) == ["i", "II=7"]


def test_an_interval_that_the_source_asks_for() -> None:
    asked = PRODUCT.replace("  for (int i", "#pragma HLS PIPELINE II=2\n  for (int i", 1)
    assert loops(asked, 8)[-1] == "II=2"


def test_short_loops_are_not_interleaved() -> None:
    assert loops(PRODUCT, (2, 2, 16)) == ["i", "j", "k", "II=4"]
