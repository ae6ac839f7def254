"""Ports of HLS C++: one to read and one to write where an array is loaded and stored, and beats of a wide bus."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.options import Flavour

Files = dict[str, str]

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


BLEND = """
void blend(int n, short x[n], unsigned char y[n], double z[n]) {
  for (int i = 0; i < n; i++)
    z[i] = z[i] + x[i] * y[i];
}
"""
STENCIL = """
void stencil(int n, int m, float a[n + 2][m + 2], float b[n + 2][m + 2]) {
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++)
      b[i][j] = a[i - 1][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i][j];
}
"""
TRIANGLE = """
void triangle(int n, int a[n][n], int b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      b[i][j] = b[i][j] + a[j][i];
}
"""
STRIDED = """
void strided(int n, int a[2 * n], bool b[n]) {
  for (int i = 0; i < n; i++)
    b[i] = a[2 * i] > 3;
}
"""
WIDE = [
    (BLEND, 8, None, 512, ({"n": 0}, {"n": 1}, {"n": 7}, {"n": 9}, {"n": 31}), {"z": 8, "x": 16, "y": 16}),
    (BLEND, 16, 4, 64, ({"n": 37},), {"z": 1, "x": 4, "y": 8}),
    (STENCIL, (4, 16), 4, 512, ({"n": 5, "m": 33}, {"n": 1, "m": 1}), {"a": 16, "b": 16}),
    (TRIANGLE, 8, None, 128, ({"n": 7}, {"n": 17}), {"a": 4, "b": 4}),
    (MATMUL, 8, (4, 8), 256, ({"n": 19}, {"n": 7}), {"a": 8, "b": 8, "c": 8}),
    (MATMUL, (4, 8, 8), (2, 2), 512, ({"n": 9},), {"a": 16, "b": 8, "c": 8}),
    (IN_PLACE, (1, 4, 16), None, 64, ({"n": 5, "m": 37},), {"a": 2}),
]


def files(text: str, sizes: int | tuple[int, ...], flavour: Flavour = "vitis", width: int | None = None) -> Files:
    kernel = ls.parse(text)
    values = dict.fromkeys(kernel.parameters, 9)
    made = ls.build(kernel, target="hls", sizes=sizes, parameters=values, flavour=flavour, bus_width=width)
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


@pytest.mark.parametrize(("text", "sizes", "unroll", "width", "rows", "expected"), WIDE)
def test_beats_carry_what_the_original_computes(
    text: str,
    sizes: int | tuple[int, ...],
    unroll: int | tuple[int, ...] | None,
    width: int,
    rows: tuple[Mapping[str, int], ...],
    expected: Mapping[str, int],
) -> None:
    for values in rows:
        kernel = ls.parse(text)
        outcome = ls.run(kernel, parameters=values, target="hls", sizes=sizes, unroll=unroll, bus_width=width)
        assert outcome.is_right
        assert outcome.beats is not None
        assert outcome.beats.sizes == expected


def test_beats_in_the_text() -> None:
    made = files(MATMUL, 16, width=512)
    text = made["matmul.cpp"]
    assert "const hls::vector<int, 16> *a" in top(made["matmul.hpp"])
    assert "a, b, c_out begin and end at multiples of 64 bytes." in made["matmul.hpp"]
    assert "hls::stream<hls::vector<int, 16>> &c_words" in text
    assert "queue<hls::vector<int, 16>, 32> c_words;" in text
    assert "#pragma HLS interface m_axi port=a bundle=gmem_a offset=slave depth=6 " in text
    assert "#pragma HLS array_partition variable=a_local complete dim=2" in text
    assert re.search(r"pipeline II=1\n.*\n.*\n +const hls::vector<int, 16> bus_words = a\[first_beat \+ k_\];", text)
    assert "hls_vector.h" not in files(MATMUL, 16)


def test_where_there_are_no_beats() -> None:
    outcome = ls.run(ls.parse(STRIDED), parameters={"n": 9}, target="hls", sizes=4, bus_width=64)
    assert outcome.is_right
    assert outcome.beats is not None
    assert outcome.beats.sizes == {"a": 1, "b": 1}
    assert set(outcome.beats.reasons) == {"a", "b"}
    with pytest.raises(ls.InputError, match="no two elements of any array fit 32 bits"):
        files(MATMUL, 16, width=32)
    with pytest.raises(ls.InputError, match="flavour intel moves single elements"):
        files(MATMUL, 16, "intel", 64)
    with pytest.raises(ls.InputError, match="no effect"):
        ls.run(ls.parse(MATMUL), parameters={"n": 5}, target="c", bus_width=64)
