"""Why a statement cannot start an instance in each cycle: the real cause, on chip and with external memory."""

from __future__ import annotations

import loadstone as ls
from loadstone.emit.hdl.description import statement_times

SCALAR = """void k(int n, float a[n], float *r) {
  float acc = 0;
#pragma scop
  for (int i = 0; i < n; i++)
    acc += a[i];
  *r = acc;
#pragma endscop
}
"""
ROWS = """void k(int n, float a[n][n], float r[n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      r[i] += a[i][j];
#pragma endscop
}
"""
SELECTED = """void k(int n, int b[n], float r[n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    r[b[i]] += 1;
#pragma endscop
}
"""


def test_a_scalar_waits_for_its_operator() -> None:
    found = statement_times(ls.accelerator(ls.parse(SCALAR), parameters={"n": 8}).on_chip)["S0"]
    assert found["interval"] > 1
    assert found["reason"] == f"acc is read 1 iteration after it is written, and takes {found['interval']} cycles"


def test_an_array_selected_by_data_waits_for_its_address() -> None:
    found = statement_times(ls.accelerator(ls.parse(SELECTED), parameters={"n": 8}).on_chip)["S0"]
    assert found["reason"] == "it does not know in time which word of r it touches"


def test_with_external_memory() -> None:
    design = ls.accelerator(ls.parse(ROWS), ls.Tiling(4), parameters={"n": 8}).design
    found = statement_times(design)["S0"]
    assert found["reason"].startswith("a word of r is read 4 iterations after it is written, and takes ")
