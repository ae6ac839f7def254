"""What is asked about values of parameters does not change what is found for all of them."""

from __future__ import annotations

import islpy as isl

import loadstone as ls
from loadstone.analysis.dataflow import dependences
from loadstone.pipeline import parameter_values
from loadstone.poly.spaces import maps_of

STEPS_OF_TWO = """
void steps(int N, int M, int w[2 * M + N + 5], double a[2 * M + 1][M + N + 2]) {
#pragma scop
  for (int i = 2 * M + N + 4; i > -1; i--)
    w[i] = i + 2;
  for (int i = (0 > N - 2 ? 0 : N - 2); i < M + 1; ++i) {
    w[i] = w[i + 3] & 100;
    if (w[i] < 1)
      for (int j = M + N; j > -1; j -= 2)
        if (j % 4 == 0)
          a[i][j + 1] *= 2;
  }
  for (int i = 3; i > -1; i--)
    w[i + 1] &= w[i] % 5;
  for (int i = 1; i < N + 1; i++)
    w[i + 1] = w[i + 2] - M;
#pragma endscop
}
"""


def written(relation: isl.UnionMap) -> list[str]:
    return sorted(map(str, maps_of(relation)))


def test_dependences_are_written_alike_whatever_was_asked_before() -> None:
    """isl changes how a set is written that it is asked about; its scheduler answers by how dependences are written."""
    before, after = ls.parse(STEPS_OF_TWO), ls.parse(STEPS_OF_TWO)
    expected = dependences(before)
    assert parameter_values(after, {"N": 4, "M": 3}) == {"N": 4, "M": 3}
    found = dependences(after)
    assert [written(part) for part in (found.flow, found.all)] == [
        written(part) for part in (expected.flow, expected.all)
    ]
