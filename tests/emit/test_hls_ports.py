"""Ports of HLS C++: one to read and one to write where an array is loaded and stored."""

from __future__ import annotations

import re

import pytest

import loadstone as ls
from kernels import ROOT

MATMUL = (ROOT / "examples" / "matmul.c").read_text()
IN_PLACE = """
void in_place(int n, int m, int a[n][m]) {
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < n; i++)
      for (int j = 1; j < m; j++)
        a[i][j] = a[i][j] + 3 * a[i][j - 1];
}
"""
TAKEN = """
void taken(int n, int c[n], int c_out[n], int c_out2[n]) {
  for (int i = 0; i < n; i++)
    c[i] = c[i] + c_out[i] * c_out2[n - 1 - i];
}
"""


def files(text: str, sizes: int | tuple[int, ...], flavour: str = "vitis") -> dict[str, str]:
    kernel = ls.parse(text)
    made = ls.build(kernel, target="hls", sizes=sizes, parameters=dict.fromkeys(kernel.parameters, 9), flavour=flavour)
    return {path.rpartition("/")[2]: text for path, text in made.files.items()}


def top(text: str) -> str:
    found = re.search(r"\w+_top\(([^)]*)\)", text)
    assert found is not None
    return found[1]


def test_what_is_loaded_and_stored_has_a_port_for_each() -> None:
    made = files(MATMUL, 4)
    assert top(made["matmul.hpp"]).startswith("int n, const int *c, const int *a, const int *b, int *c_out, ")
    assert "c_out is the memory of c, or another one" in made["matmul.hpp"]
    ports = re.findall(r"m_axi port=(\w+) bundle=(\w+) .*?(max.*)", made["matmul.cpp"])
    assert ("c", "gmem_c", "max_read_burst_length=256") in ports
    assert ("c_out", "gmem_c_out", "max_write_burst_length=256") in ports
    assert "int *c," in top(files(MATMUL, 4, "intel")["matmul.hpp"])


def test_what_is_loaded_again_after_a_store_has_one_port() -> None:
    made = files(IN_PLACE, (1, 4, 4))["in_place.cpp"]
    assert "int *a," in top(made)
    assert "a_out" not in made


@pytest.mark.parametrize(("text", "sizes"), [(MATMUL, 4), (IN_PLACE, (1, 4, 4)), (TAKEN, 4)])
def test_divided_ports_compute_what_the_original_does(text: str, sizes: int | tuple[int, ...]) -> None:
    parameters = dict.fromkeys(ls.parse(text).parameters, 9)
    assert ls.run(ls.parse(text), parameters=parameters, target="hls", sizes=sizes).is_right


def test_ports_have_names_of_their_own() -> None:
    assert "int *c_out3" in top(files(TAKEN, 4)["taken.cpp"])


def test_addresses_do_not_divide() -> None:
    made = files(IN_PLACE, (1, 5, 3))["in_place.cpp"]
    addresses = re.findall(r"int a_cell\(.*?\n}", made, re.DOTALL)
    assert addresses
    assert "%" not in addresses[0]
    assert "remainder_" in addresses[0] or "& " in addresses[0]


def test_streams_of_the_vendor_wait_for_threads() -> None:
    made = files(MATMUL, 4)["matmul.cpp"]
    assert made.index("#define HLS_STREAM_THREAD_SAFE") < made.index("#include <hls_stream.h>")
