"""C++ of HLS: the subset, streams, pragmas, and kernels through every back end."""

from __future__ import annotations

import json
import re
import subprocess
from math import e
from pathlib import Path
from random import Random
from typing import Any

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.analysis.hls_pragmas import pragma_outcomes
from loadstone.cli.main import main
from loadstone.errors import InputError
from loadstone.hardware.datapath.functions import hardware_functions
from loadstone.model.definitions import calls
from loadstone.model.kernel import Kernel
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import compile_original
from loadstone.trials import trial

EXAMPLES = sorted((ROOT / "examples").glob("*.cpp"))


def read(tmp_path: Path, text: str, name: str = "kernel.cpp") -> Kernel:
    path = tmp_path / name
    path.write_text(text)
    return ls.parse(path)


def agrees(kernel: Kernel, parameters: dict[str, int]) -> bool:
    """Whether the interpreter leaves the memory that the user's own C++ leaves."""
    memory = initial_memory(kernel, parameters, seed=Random(1).randint(0, 99))
    expected, interpreted = copied(memory), copied(memory)
    compile_original(kernel).run(parameters, expected)
    execute(kernel, parameters, interpreted)
    return not mismatches(expected, interpreted, live_out_arrays(kernel))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("target", ["c", "hls"])
def test_examples_agree_with_their_own_text(path: Path, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    checked = ["--checked"] if target == "c" else []
    assert main(["run", str(path), "--target", target, *checked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mismatches"] == 0


@pytest.mark.parametrize("name", ["fir_ap", "blend_stream"])
def test_hardware(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(ROOT / "examples" / f"{name}.cpp")
    assert main(["run", path, "--target", "verilog", "--simulator", "icarus", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mismatches"] == 0


def test_network(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(ROOT / "examples" / "blend_stream.cpp")
    assert main(["run", path, "--target", "c", "--network", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mismatches"] == 0


def test_generated_testbench_compares_with_the_original(tmp_path: Path) -> None:
    path = str(ROOT / "examples" / "blend_stream.cpp")
    assert main(["build", path, "--target", "c", "-o", str(tmp_path / "out")]) == 0
    folder = tmp_path / "out" / "c"
    assert "out.write(blended(in.read(), back[y][x], w));" in (folder / "reference.cpp").read_text()
    made = subprocess.run(["make", "-s", "run"], cwd=folder, capture_output=True, text=True, check=False)
    assert "0 words differ" in made.stdout, made.stderr


OVERLOADED = """
#include <cmath>
void act(int n, const float x[64], const double d[64], const int k[64], const long w[64], float y[64], double z[64]) {
  for (int i = 0; i < n; i++) {
    y[i] = std::abs(x[i] - 0.5f) + std::exp(-x[i]) * std::pow(x[i], 2.0f) + std::floor(9.0f * x[i]);
    z[i] = std::abs(d[i] - 0.5) + std::sin(x[i]) + std::abs(k[i] - 7) + std::abs(w[i] - 7) + std::pow(x[i], 2);
  }
}
"""


def test_functions_of_the_library_are_those_of_the_types_of_their_arguments(tmp_path: Path) -> None:
    kernel = read(tmp_path, OVERLOADED)
    called = {call.function for call in calls(kernel)}
    assert called == {"fabsf", "fabs", "abs", "llabs", "expf", "powf", "pow", "floorf", "sinf"}
    assert agrees(kernel, {"n": 64})


def test_the_original_in_cpp_calls_the_functions_of_hardware(tmp_path: Path) -> None:
    """Also for numbers that are known, and where compilers take a power for a product."""
    kernel = read(tmp_path, OVERLOADED.replace("std::floor(9.0f * x[i])", "std::exp(1.0f)"))
    text = hardware_functions(kernel)
    right, other = (
        trial(kernel, {"n": 64}, functions=functions)[0]["y"].cells
        for functions in (text, text.replace("return result;", "return 2 * result;"))
    )
    start = initial_memory(kernel, {"n": 64})["x"].cells
    doubled = [4 * (before - abs(x - 0.5) - e) + abs(x - 0.5) + 2 * e for before, x in zip(right, start, strict=True)]
    assert other == pytest.approx(doubled, rel=1e-4)


SUBSET = """
#include <cstdint>
#include <iostream>
#include "ap_int.h"
namespace dsp { namespace inner { constexpr int N = 3 * 4, M = -N + 17; } typedef ap_uint<inner::N - 2> word; }
using namespace dsp;
using pair_t = ap_int<inner::M>;
template <typename T, int K> T scaled(T x) { return T(x * K) >> 1; }
static bool is_odd(const word &x) { return (x & 1) == true; }
void add(word &to, const word (&from)[inner::N], int at) { to += from[at]; }
int main() { std::cout << "not a kernel" << std::endl; auto x = new int; return 0; }
#pragma loadstone default(n = 9)
void top(const unsigned n, const word (&a)[inner::N], const std::uint8_t b[inner::N], pair_t c[inner::N], word &sum)
{
#pragma scop
  sum = 0;
  for (unsigned i = 0; i < n; ++i) {
    pair_t local(is_odd(a[i]) ? static_cast<pair_t>(3) : pair_t(b[i]));
    c[i] = scaled<pair_t, -3>(local) + std::max(a[i], word(7));
    add(sum, a, i);
  }
#pragma endscop
}
"""


def test_subset(tmp_path: Path) -> None:
    kernel = read(tmp_path, SUBSET)
    assert {name: array.type.described for name, array in kernel.arrays.items() if array.live_out} == {
        "sum": "uint(10)",
        "c": "int(5)",
    }
    assert kernel.arrays["sum"].rank == 0
    assert agrees(kernel, {"n": 9})


GLOBALS = """
const int N = 6;
ap_int<9> table[N], last;
int size;
void put(int at, ap_int<9> x) { table[at] += x; last = x; }
void top(const ap_int<5> a[N])
{
  for (ap_uint<3> i = 0; i < N; i++)
    if (i < size)
      put(i, a[i] * 3);
}
"""


def test_variables_of_the_file(tmp_path: Path) -> None:
    kernel = read(tmp_path, GLOBALS)
    assert agrees(kernel, {"size": 4})


@pytest.mark.parametrize(
    "loop", ["ap_uint<3> i = 0; i < 8; i++", "ap_uint<3> i = 5; i >= 0; i--", "ap_uint<4> i = 0; i < n; i++"]
)
def test_counters_that_wrap_are_refused(tmp_path: Path, loop: str) -> None:
    with pytest.raises(InputError, match="may wrap"):
        read(tmp_path, f"void f(int n, int a[20]) {{ for ({loop}) a[i] = 1; }}")


STREAMS = """
#include <hls_stream.h>
typedef ap_uint<6> word;
void pass(hls::stream<word> &from, hls::stream<word> &to, int rows, int cols)
{
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < cols; c++)
      to << from.read();
}
void top(hls::stream<word> &in, hls::stream<word> &out, hls::stream<int> &sums, int rows, int cols)
{
#pragma HLS DATAFLOW
  hls::stream<word> mid("mid");
  pass(in, mid, rows, cols);
  pass(mid, out, rows, cols);
  for (int k = 1; k <= 4; k++) {
    sums.write(k);
    for (int j = 0; j < 3; j++)
      sums.write(k * j);
  }
  sums.write(7);
}
"""


def test_streams_are_arrays_in_order(tmp_path: Path) -> None:
    kernel = read(tmp_path, STREAMS)
    shown = {name: len(array.extents) for name, array in kernel.arrays.items()}
    assert shown == {"in": 2, "mid": 2, "out": 2, "sums": 1}
    assert [str(s.write.relation.range()) for s in kernel.statements if s.name == "S4"] == [
        "[rows, cols] -> { sums[16] }"
    ]
    assert agrees(kernel, {"rows": 3, "cols": 5})


@pytest.mark.parametrize(
    ("body", "message", "line"),
    [
        ("if (i > 2) x[i] = s.read();", "accessed under a condition", 4),
        ("x[i] = s.read() - s.read();", "order of these accesses", 4),
        ("for (int j = 0; j < i; j++) x[j] = s.read();", "do not depend on outer loops", 4),
        ("for (int j = 8; j > 0; j--) x[j] = s.read();", "count up by one", 4),
        ("x[i] = s.empty();", "method 'empty' is not supported", 4),
        ("for (int j = 0; j < n; j++) x[j] = s.read(); x[0] = s.read();", "position in 's' is not affine", 4),
        ("x[i] = i; } struct p { int a; } q; {", "structures are not supported in C++", 4),
    ],
)
def test_streams_without_an_affine_order_are_refused(tmp_path: Path, body: str, message: str, line: int) -> None:
    text = (
        f"\nvoid f(int n, hls::stream<int> &s, int x[9]) {{\n  for (int i = 0; i < 9; i++) {{\n    {body}\n  }}\n}}\n"
    )
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(tmp_path, text)
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert span.line == line


PRAGMAS = """
#define LANES 3
void f(int n, int a[64], int b[64][6], int s)
{
#pragma HLS INTERFACE m_axi port=a bundle=mem latency=30
#pragma HLS interface mode=s_axilite port=return
#pragma HLS INTERFACE axis port=b
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=2
#pragma HLS ARRAY_PARTITION variable=b type=complete dim=1
#pragma HLS ARRAY_PARTITION variable=b type=cyclic factor=4 dim=2
#pragma HLS BIND_STORAGE variable=a type=ram_2p impl=lutram
#pragma HLS BIND_STORAGE variable=s type=ram_2p
#pragma HLS FROBNICATE
  for (int i = 0; i < n; i++) {
#pragma HLS UNROLL factor = 2
    for (int j = 0; j < 6; j++) {
#pragma HLS PIPELINE II=3 rewind
#pragma HLS UNROLL factor=4
      b[i][j] += a[i] * s;
    }
  }
}
"""


def fates(kernel: Kernel) -> list[tuple[str, str]]:
    return [(outcome.pragma.directive, outcome.fate) for outcome in pragma_outcomes(kernel)]


@pytest.mark.parametrize("name", ["kernel.c", "kernel.cpp"])
def test_each_pragma_has_an_outcome(tmp_path: Path, name: str) -> None:
    kernel = read(tmp_path, PRAGMAS, name)
    assert fates(kernel) == [
        ("INTERFACE", "kept"),
        ("INTERFACE", "met"),
        ("INTERFACE", "ignored"),
        ("ARRAY_PARTITION", "kept"),
        ("ARRAY_PARTITION", "ignored"),
        ("ARRAY_PARTITION", "kept"),
        ("BIND_STORAGE", "kept"),
        ("BIND_STORAGE", "ignored"),
        ("FROBNICATE", "ignored"),
        ("UNROLL", "ignored"),
        ("PIPELINE", "kept"),
        ("UNROLL", "used"),
    ]
    assert [pragma.loop for pragma in kernel.pragmas][-3:] == ["i", "j", "j"]
    assert all(outcome.reason for outcome in pragma_outcomes(kernel))


def test_kept_pragmas_stand_in_hls_output(tmp_path: Path) -> None:
    (tmp_path / "kernel.c").write_text(PRAGMAS)
    common = ["build", str(tmp_path / "kernel.c"), "--target", "hls", "--tile", "8,6", "-p", "n=20"]
    for lanes in (["--unroll", "1"], []):
        assert main([*common, *lanes, "-o", str(tmp_path / f"out{len(lanes)}")]) == 0
    text, with_lanes = ((tmp_path / folder / "hls" / "f.cpp").read_text() for folder in ("out2", "out0"))
    assert (
        "#pragma HLS interface m_axi port=a bundle=mem offset=slave depth=64 max_read_burst_length=256 latency=30"
        in text
    )
    assert "#pragma HLS array_partition cyclic variable=a_local factor=2" in text
    assert "#pragma HLS bind_storage variable=a_local type=ram_2p impl=lutram" in text
    assert "/* not kept: HLS ARRAY_PARTITION variable=b type=cyclic factor=4 dim=2: rows of the buffer" in text
    assert text.count("#pragma HLS pipeline II=3") == 1
    assert "factor=4 dim=2: the banks of lanes divide the buffer */" in with_lanes


def run_json(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_unroll_suggests_lanes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kernel.c").write_text(PRAGMAS)
    common = [
        "run",
        str(tmp_path / "kernel.c"),
        "--target",
        "verilog",
        "--memory",
        "paper",
        "--tile",
        "8,6",
        "-p",
        "n=20",
    ]
    common += ["--simulator", "transactions"]
    suggested = run_json(common, capsys)["lanes"]
    assert (suggested["asked"], suggested["suggested_by"]) == (4, "HLS UNROLL factor=4")
    assert "suggested_by" not in run_json([*common, "--unroll", "2"], capsys)["lanes"]
    assert "lanes" not in run_json([*common, "--unroll", "1"], capsys)
