"""Static variables of a kernel: memory that the caller gives, in the original program as in generated ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadstone as ls
from loadstone.errors import InputError
from loadstone.frontend.c.original import without_statics
from loadstone.model.kernel import Kernel

DELAY = """
void fir(int n, const int x[n], int y[n]) {
  static int delay[3];
  for (int i = 0; i < n; i++) {
    for (int t = 2; t > 0; t--)
      delay[t] = delay[t - 1];
    delay[0] = x[i];
    int acc = 0;
    for (int t = 0; t < 3; t++)
      acc += delay[t] * (t + 1);
    y[i] = acc;
  }
}
"""
INNER = """
void difference(int n, const int x[n], int y[n]) {
  #pragma scop
  for (int i = 0; i < n; i++) {
    static int last = 4, unused;
    static const int sign[2] = {1, -1};
    y[i] = (x[i] - last) * sign[i % 2];
    last = x[i];
  }
  #pragma endscop
}
"""
FIR_CPP = """
#include "ap_int.h"
void fir(int n, const ap_int<12> x[16], ap_int<20> y[16]) {
  static ap_int<12> d[3];
  for (int i = 0; i < n; i++) {
    for (int t = 2; t > 0; t--) d[t] = d[t - 1];
    d[0] = x[i];
    ap_int<20> acc = 0;
    for (int t = 0; t < 3; t++) acc += d[t] * (t + 1);
    y[i] = acc;
  }
}
"""


def read(tmp_path: Path, text: str, name: str = "kernel.c") -> Kernel:
    path = tmp_path / name
    path.write_text(text)
    return ls.parse(path)


@pytest.mark.parametrize(
    ("text", "name", "state"),
    [(DELAY, "fir.c", "delay"), (INNER, "difference.c", "last"), (FIR_CPP, "fir.cpp", "d")],
)
def test_programs_and_originals_have_the_same_state(text: str, name: str, state: str, tmp_path: Path) -> None:
    kernel = read(tmp_path, text, name)
    array = kernel.arrays[state]
    assert array.initialised
    assert array.live_out
    for target in ("model", "c"):
        outcome = ls.run(kernel, parameters={"n": 9}, target=target)
        assert outcome.is_right, outcome


def test_constants_stay_in_the_text(tmp_path: Path) -> None:
    kernel = read(tmp_path, INNER)
    assert set(kernel.arrays) == {"x", "y", "last", "sign"}
    assert kernel.original is not None
    assert "sign[2] = {1, -1}" in kernel.original.text
    assert "last = 4" not in kernel.original.text


def test_declarations_that_go_leave_their_lines() -> None:
    text = "a = 1;\nstatic int\n  d[2] = {0, 1}, e;\nstatic const int k[1] = {d};\nd[0] = e;\n"
    assert without_statics(text, ["d", "e"]) == "a = 1;\n;\n\nstatic const int k[1] = {d};\nd[0] = e;\n"


def test_a_static_variable_has_a_name_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the static variable 'last' has the name of another one"):
        read(tmp_path, INNER.replace("int n,", "int n, int last,"))
