"""Hardware of kernels in simulators, bit by bit against the original program."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import loadstone as ls
from kernels import CLASHES, EXAMPLES, ROOT, STYLED, random_kernel, tiny_parameters
from loadstone.errors import InputError, UnsupportedError
from loadstone.hardware.compute import unit as compute
from loadstone.hardware.compute.memories import make_memory
from loadstone.hardware.datapath.functions import hardware_functions
from loadstone.hardware.on_chip import OnChipDesign
from loadstone.model.kernel import Kernel
from loadstone.rtl import Simulation, unsigned, vectors
from loadstone.rtl.programs import ghdl, icarus, verilator
from loadstone.rtl.vectors import Cycle
from loadstone.simulate.hardware.on_chip import HardwareRun, OnChipSimulator
from loadstone.simulate.memory import initial_memory
from loadstone.trials import trial
from ready import make_hardware, run_hardware

needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog is not installed")
needs_ghdl = pytest.mark.skipif(shutil.which("ghdl") is None, reason="GHDL is not installed")
DEEP = ("adi", "correlation", "ludcmp", "cholesky", "gramschmidt", "heat-3d", "deriche")
"""Examples with long divisions, roots and functions, or many statements, which take seconds."""
IN_VERILATOR = ("matmul", "threshold", "fir_fixed", "gemm", "trisolv")

OPERATIONS = """
void operations(int n, int a[n], int b[n], unsigned int u[n], short s[n], unsigned char c[n], long long w[n],
                float f[n], long long r[n][{count}], float g[n][13])
{{
#pragma scop
  for (int i = 0; i < n; i++) {{
{lines}
    g[i][0] = f[i] + a[i];
    g[i][1] = f[i] > 0.5f ? f[i] : -f[i];
    g[i][2] = sqrtf(fabsf(f[i])) / (f[i] + 2.0f);
    g[i][3] = (int)(f[i] * 100.0f);
    g[i][4] = fminf(f[i], 0.75f) * fmaxf(f[i], 0.25f);
    g[i][5] = !f[i] || (f[i] <= 0.5f && a[i]);
    g[i][6] = (float)(0.1 * f[i]);
    g[i][7] = (unsigned char)(f[i] * 200.0f) - i;
    g[i][8] = floorf(9.0f * f[i] - 4.0f);
    g[i][9] = ceilf(9.0f * f[i] - 4.0f) + truncf(4.0f - 9.0f * f[i]);
    g[i][10] = roundf(a[i] * 0.5f);
    g[i][11] = rintf(a[i] * 0.5f) - nearbyintf(f[i]);
    g[i][12] = copysignf(f[i], a[i] - 5.0f);
  }}
#pragma endscop
}}
"""
INTEGER_EXPRESSIONS = (
    *("a[i] + b[i]", "a[i] - b[i]", "a[i] * b[i]", "a[i] / (b[i] | 1)", "a[i] % (b[i] | 1)", "-a[i]", "~a[i]", "!a[i]"),
    *("u[i] / (u[i] % 7 + 1)", "u[i] - a[i]", "u[i] > a[i]", "a[i] > b[i]", "a[i] >= 0 && b[i] < 3", "a[i] || b[i]"),
    *("a[i] << 3", "a[i] >> 2", "u[i] >> 5", "a[i] << (b[i] & 15)", "a[i] >> (c[i] & 31)", "u[i] >> (c[i] & 31)"),
    *("a[i] & b[i]", "a[i] | u[i]", "s[i] ^ c[i]", "s[i] * c[i]", "(short)(s[i] * s[i])", "(unsigned char)a[i]"),
    *("w[i] * w[i] + a[i]", "w[i] / (s[i] | 1)", "w[i] % 1000", "(long long)u[i] * a[i]", "abs(a[i]) + abs(s[i])"),
    *("a[i] < b[i] ? a[i] : b[i]", "c[i] ? s[i] : -1", "(a[i] * 8) / 8", "a[i] * 0 + i", "(_Bool)a[i] + (_Bool)c[i]"),
    *("a[i] * 2147483647", "s[i] / 4", "s[i] % 4", "c[i] - c[i] / 3", "i * i - n", "a[i] >> 31", "w[i] >> 40"),
    *("a[i] / 2", "a[i] % 1024", "u[i] / 16", "u[i] % 8", "c[i] / 128", "w[i] / 65536 % 4", "(s[i] - c[i]) / 8 % 2"),
    *("a[i] / (-2147483647 - 1)", "a[i] % 2147483647", "a[i] / 1073741824", "s[i] / 1", "s[i] % 1", "-s[i] / 4 * 4"),
)


FUNCTIONS = """
#include <math.h>
void functions(int n, {type} f[n], {type} g[n][5])
{{
#pragma scop
  for (int i = 0; i < n; i++) {{
    g[i][0] = exp{f}(8 * f[i] - 3);
    g[i][1] = log{f}(f[i] + {one} / 1024);
    g[i][2] = pow{f}(f[i] + {one} / 2, 3 - i);
    g[i][3] = sin{f}(1000 * f[i]) + sin{f}({one} * 5 / 2);
    g[i][4] = cos{f}(40 - f[i]);
  }}
#pragma endscop
}}
"""


FLOATS = FUNCTIONS.format(type="float", f="f", one="1.0f")
DOUBLES = FUNCTIONS.format(type="double", f="", one="1.0")


def checked(
    design: OnChipDesign, parameters: Mapping[str, int], simulator: OnChipSimulator = "icarus", seed: int = 0
) -> dict[str, int]:
    """The cycles and instances of a run whose results are right."""
    outcome = run_hardware(design, parameters, simulator=simulator, seed=seed)
    assert outcome.is_right, f"{outcome.verdict}: {outcome.kernel} {dict(parameters)}"
    return {key: outcome.as_json()[key] for key in ("cycles", "instances")}


def parsed(text: str) -> Kernel:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.c"
        path.write_text(text)
        return ls.parse(path)


def small(kernel: Kernel) -> dict[str, int]:
    """The largest of the tiny parameters with few instances, or the smallest there are."""
    return list(tiny_parameters(kernel, (1, 2, 3)))[-1]


@needs_icarus
@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem not in DEEP], ids=lambda p: p.stem)
def test_every_example_runs_as_hardware(path: Path) -> None:
    kernel = ls.parse(path)
    largest = small(kernel)
    design = make_hardware(kernel, largest)
    checked(design, largest)
    for parameters in list(tiny_parameters(kernel, (0, 1)))[:1]:
        if all(low <= parameters[name] <= high for name, (low, high) in design.limits.items()):
            checked(design, parameters, seed=1)


@needs_icarus
@pytest.mark.parametrize("form", ["fixed(24,12,nearest,saturate)", "fixed(20,9,nearest-even)", "fixed(18,8)"])
@pytest.mark.parametrize("name", ["gemm", "jacobi-1d", "trisolv", "atax"])
def test_fixed_point_runs_as_hardware(name: str, form: str) -> None:
    kernel = ls.parse(ROOT / f"examples/polybench/{name}.c", types={"double": form})
    checked(make_hardware(kernel, small(kernel)), small(kernel))


@pytest.mark.parametrize("name", IN_VERILATOR)
def test_examples_run_in_verilator(name: str) -> None:
    kernel = ls.parse(next(path for path in EXAMPLES if path.stem == name))
    parameters = small(kernel)
    checked(make_hardware(kernel, parameters, memory_latency=2, read_ports=2), parameters, "verilator")


@pytest.mark.sweep
@pytest.mark.parametrize("form", ["", "int", "fixed(32,16,nearest,saturate)"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_all_examples_run_in_verilator(path: Path, form: str) -> None:
    if form and "double" not in path.read_text():
        pytest.skip("it has no double")
    if form == "int" and ("/" in path.read_text().split("*/")[-1] or "sqrt" in path.read_text()):
        pytest.skip("quotients and roots of integers need not exist")
    try:
        kernel = ls.parse(path, types={"double": form} if form else None)
    except InputError:
        pytest.skip(f"it calls a function that {form} has not")
    parameters = list(tiny_parameters(kernel, (2, 3, 5)))[-1]
    checked(make_hardware(kernel, parameters), parameters, "verilator")


def run_random(
    seed: int, may: bool, types: Mapping[str, str] | None = None, simulator: OnChipSimulator = "icarus"
) -> None:
    try:
        kernel, rows = random_kernel(seed, may=may, types=types)
    except InputError:
        pytest.skip("it calls a function that fixed point has not")
    largest = {name: max(row[name] for row in rows) for name in kernel.parameters}
    design = make_hardware(kernel, largest, memory_latency=1 + seed % 2, read_ports=1 + seed % 3)
    for row in rows[:3]:
        checked(design, row, simulator, seed)


@needs_icarus
@pytest.mark.parametrize("may", [False, True])
@pytest.mark.parametrize("seed", [4, 5, 8, 12, 14, 20, 21, 22, 24, 28, STYLED + 4, STYLED + 12])
def test_random_kernels_run_as_hardware(seed: int, may: bool) -> None:
    run_random(seed, may)


@needs_icarus
@pytest.mark.sweep
@pytest.mark.parametrize("may", [False, True])
@pytest.mark.parametrize("seed", [*range(100, 250), *range(STYLED, STYLED + 60)])
def test_many_random_kernels_run_as_hardware(seed: int, may: bool) -> None:
    types = {"double": "fixed(30,14,nearest)"} if seed % 3 == 0 else None
    run_random(seed, may, types, "verilator" if seed % 5 == 0 else "icarus")


@needs_icarus
def test_every_operator_computes_as_c_does() -> None:
    lines = "\n".join(f"    r[i][{k}] = {text};" for k, text in enumerate(INTEGER_EXPRESSIONS))
    kernel = parsed(OPERATIONS.format(count=len(INTEGER_EXPRESSIONS), lines=lines))
    for seed in range(2):
        checked(make_hardware(kernel, {"n": 11}), {"n": 11}, seed=seed)


@needs_icarus
@needs_ghdl
@pytest.mark.parametrize("name", ["matmul", "histogram"])
def test_simulators_agree_cycle_by_cycle(name: str) -> None:
    kernel = ls.parse(ROOT / f"examples/{name}.c")
    design = make_hardware(kernel, {"n": 2})
    memory = initial_memory(kernel, {"n": 2})
    run = HardwareRun(design, {"n": 2}, memory)
    cycles: list[Cycle] = [*run.filling(), *run.starting(), *({} for _ in range(40))]
    rows = [simulator.trace(design.module, cycles) for simulator in (vectors, verilator, icarus, ghdl)]
    assert rows[0][-1]["done"] == 1
    assert all(row == rows[0] for row in rows)


@needs_ghdl
@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem not in DEEP][::4], ids=lambda p: p.stem)
def test_texts_have_no_warnings(path: Path) -> None:
    kernel = ls.parse(path)
    module = make_hardware(kernel, small(kernel), memory_latency=2, read_ports=2).module
    assert verilator.lint(module) == ""
    assert ghdl.lint(module) == ""


@needs_icarus
def test_integer_sums_start_an_instance_every_cycle() -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    run = checked(make_hardware(kernel, {"n": 9}), {"n": 9})
    assert run["instances"] == 9**3
    assert run["cycles"] - run["instances"] <= 6


@needs_icarus
def test_quotients_by_powers_of_two_are_shifts() -> None:
    """A filter that divides by 4 starts an instance every third cycle; a divider of 10 bits takes 12 more."""
    text = "void f(int n, unsigned char a[n]) {{\n#pragma scop\nfor (int i = 1; i < n; i++) {}\n#pragma endscop\n}}"
    kernel = parsed(text.format("a[i] = (3 * a[i - 1] + a[i]) / 4;"))
    found = run_hardware(make_hardware(kernel, {"n": 20}), {"n": 20})
    assert found.is_right
    assert found.as_json()["statements"]["S0"]["interval"] == 3


@needs_ghdl
@needs_icarus
def test_a_selection_at_a_border_reads_nothing_behind_it() -> None:
    text = "void f(int a[12], int b[12]) {\n#pragma scop\nfor (int i = 0; i < 12; i++)\n"
    kernel = parsed(f"{text}b[i] = (i >= 1 ? b[i - 1] : 7) + (i < 11 ? a[i + 1] : 0);\n#pragma endscop\n}}")
    for simulator in ("icarus", "ghdl", "verilator"):
        checked(make_hardware(kernel, {}), {}, simulator)


@needs_icarus
def test_floating_point_sums_start_every_cycle_where_they_are_interleaved() -> None:
    kernel = ls.parse(ROOT / "examples/polybench/gemm.c")
    sizes = {"ni": 3, "nj": 12, "nk": 4}
    plain = run_hardware(make_hardware(kernel, sizes), sizes).as_json()
    assert plain["statements"]["S1"]["interval"] == 7
    assert "1 iteration after" in plain["statements"]["S1"]["reason"]
    swapped = ls.transformed(kernel, "distribute S1.j before S1\ninterchange S1.j S1.k").kernel
    outcome = run_hardware(make_hardware(swapped, sizes), sizes)
    run = outcome.as_json()
    assert outcome.is_right
    assert run["statements"]["S1"]["interval"] == 1
    assert run["cycles"] < run["instances"] + 40 < plain["cycles"]


@needs_icarus
def test_subnormal_numbers_are_kept_or_flushed() -> None:
    kernel = parsed(
        "void f(int n, float a[n], float b[n]) {\n#pragma scop\nfor (int i = 0; i < n; i++) b[i] = a[i] * 1e-38f;\n"
        "#pragma endscop\n}"
    )
    kept, flushed = (make_hardware(kernel, {"n": 4}, flush_subnormals=choice) for choice in (False, True))
    checked(kept, {"n": 4})
    memory = initial_memory(kernel, {"n": 4})
    HardwareRun(flushed, {"n": 4}, memory).execute("icarus")
    assert memory["b"].cells == [0.0] * 4


@needs_icarus
def test_names_may_clash() -> None:
    kernel = parsed(CLASHES)
    checked(make_hardware(kernel, {"n": 4}), {"n": 4})


@needs_icarus
def test_a_waveform_is_written(tmp_path: Path) -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    run_hardware(make_hardware(kernel, {"n": 2}), {"n": 2}, simulator="icarus", vcd=tmp_path / "wave.vcd")
    assert "$enddefinitions" in (tmp_path / "wave.vcd").read_text()


@needs_icarus
def test_ports_limit_the_interval() -> None:
    kernel = ls.parse(ROOT / "examples/polybench/jacobi-1d.c")
    sizes = {"tsteps": 1, "n": 40}
    runs = [run_hardware(make_hardware(kernel, sizes, read_ports=k), sizes) for k in (1, 2, 3)]
    assert [(run.statements or {})["S0"]["interval"] for run in runs] == [3, 2, 1]
    assert all(run.is_right for run in runs)
    assert (runs[0].cycles or 0) > 2 * (runs[2].cycles or 0) > 0


@needs_icarus
def test_without_waiting_results_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = ls.parse(ROOT / "examples/polybench/trisolv.c")

    def never(*_: object) -> bool:
        return False

    monkeypatch.setattr(compute, "may_follow", never)
    assert not run_hardware(make_hardware(kernel, {"n": 5}), {"n": 5}).is_right


@pytest.mark.parametrize("latency", [1, 2])
@pytest.mark.parametrize("reads", [1, 2])
def test_a_read_sees_writes_up_to_the_cycle_before_its_word(latency: int, reads: int) -> None:
    source = random.Random(latency)
    simulation = Simulation(make_memory("words", unsigned(8), 5, latency=latency, reads=reads))
    words = [0] * 5
    asked: list[list[int]] = []
    for cycle in range(300):
        if cycle >= latency:
            expected = [words[address] for address in asked[cycle - latency]]
            assert [simulation.get(f"read_{k}_data") for k in range(reads)] == expected
        writes, address, data = source.randrange(2), source.randrange(5), source.randrange(256)
        asked.append([source.randrange(5) for _ in range(reads)])
        simulation.set("write_enable", writes)
        simulation.set("write_address", address)
        simulation.set("write_data", data)
        for k in range(reads):
            simulation.set(f"read_{k}_enable", 1)
            simulation.set(f"read_{k}_address", asked[-1][k])
        simulation.step()
        if writes:
            words[address] = data


def test_it_starts_again_with_other_parameters_and_after_a_reset() -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    design = make_hardware(kernel, {"n": 3})
    simulation = Simulation(design.module)

    def start(n: int) -> None:
        simulation.set("n", n)
        simulation.set("start", 1)
        simulation.step()
        simulation.set("start", 0)

    def cycles() -> int:
        for taken in range(1, 200):
            if simulation.get("done"):
                return taken
            simulation.step()
        raise AssertionError("it does not end")

    start(3)
    assert cycles() > 27
    start(0)
    assert cycles() < 10
    start(3)
    simulation.step(5)
    simulation.set("rst", 1)
    simulation.step()
    simulation.set("rst", 0)
    assert simulation.get("ready") == 1
    start(2)
    assert 8 < cycles() < 20


def test_the_page_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "datapaths.md").read_text()
    scope: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        exec(block, scope)
    assert "found" in scope


def test_what_hardware_cannot_do_is_refused_at_its_line() -> None:
    kernel = parsed(FLOATS.replace("expf", "tgammaf"))
    with pytest.raises(UnsupportedError, match=r"kernel\.c:7:15: error: hardware cannot do the function 'tgammaf'"):
        make_hardware(kernel, {"n": 3})


@pytest.mark.parametrize(
    ("text", "simulator"),
    [
        (FLOATS, "verilator"),
        pytest.param(DOUBLES, "verilator", marks=pytest.mark.sweep),
        pytest.param(FLOATS, "icarus", marks=(needs_icarus, pytest.mark.sweep)),
        pytest.param(FLOATS, "ghdl", marks=(needs_ghdl, pytest.mark.sweep)),
        pytest.param(DOUBLES, "ghdl", marks=(needs_ghdl, pytest.mark.sweep)),
    ],
    ids=["float_verilator", "double_verilator", "float_icarus", "float_ghdl", "double_ghdl"],
)
def test_functions_agree_bit_by_bit_with_the_original_that_calls_the_same(
    text: str, simulator: OnChipSimulator
) -> None:
    design = make_hardware(parsed(text), {"n": 23})
    for n in (0, 1, 23):
        checked(design, {"n": n}, simulator)


def test_the_original_calls_the_functions_of_hardware_also_for_numbers_that_are_known() -> None:
    """Here they return 1 more than they should: twice in a sum of two, one of them of a number."""
    kernel = parsed(FLOATS)
    text = hardware_functions(kernel)
    right, other = (
        trial(kernel, {"n": 4}, functions=functions)[0]["g"].cells
        for functions in (text, text.replace("return result;", "return result + 1;"))
    )
    found = [after - before for before, after in zip(right, other, strict=True)]
    assert found == pytest.approx([1, 1, 1, 2, 1] * 4, abs=1e-2)


def test_folders_hold_the_functions_of_hardware_in_c() -> None:
    kernel = parsed(FLOATS)
    assert ls.build(kernel, target="verilog", parameters={"n": 3}).files["functions.c"] == hardware_functions(kernel)
    plain = ls.parse(ROOT / "examples/dma.c")
    assert "functions.c" not in ls.build(plain, target="verilog", parameters={"n": 3}).files


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", ["verilator", pytest.param("ghdl", marks=needs_ghdl)])
def test_deriche_runs_as_hardware(simulator: OnChipSimulator) -> None:
    kernel = ls.parse(ROOT / "examples/polybench/deriche.c")
    design = make_hardware(kernel, {"w": 9, "h": 8})
    for w, h in ((2, 2), (7, 3), (9, 8)):
        checked(design, {"w": w, "h": h}, simulator)
