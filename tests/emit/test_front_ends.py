"""Generated hardware and its testbenches in every front end that there is: none has anything to say."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import loadstone as ls
import slang
from hdl_projects import PROGRAMS, VERILATOR
from kernels import ALL_EXAMPLES, ROOT, largest_tiny, small_tiling
from loadstone.emit.project import Project
from loadstone.errors import ToolError, UnsupportedError
from loadstone.rtl import Module, bit, emit_verilog, unsigned
from loadstone.rtl.programs import yosys
from rtl_designs import designs

WHERE = ("chip", "axi", "avalon")
LIMIT_OF_ICARUS_11 = "sorry: constant selects in always_* processes"

pytestmark = pytest.mark.skipif(not slang.is_installed(), reason="needs pyslang")


def printed_by(folder: Path, *command: str) -> str:
    """What a program prints; it must succeed."""
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return (result.stdout + result.stderr).strip()


def sources_in(folder: Path) -> tuple[list[str], list[str]]:
    """The files of a design in a folder, and those around it in simulation."""
    around = folder / "tb" / "files.f"
    benches = around.read_text().split() if around.exists() else [p.name for p in folder.glob("testbench.*")]
    return (folder / "files.f").read_text().split(), benches


def of_slang(folder: Path) -> str:
    design, benches = sources_in(folder)
    return slang.lint_files(folder, [*design, *benches], "testbench")


def of_verilator(folder: Path) -> str:
    """All warnings for a design, and those that are usual for its testbench."""
    if not Path(VERILATOR).is_file():
        return ""
    design, benches = sources_in(folder)
    top = Path(design[-1]).stem
    quiet = (VERILATOR, "--lint-only", "--quiet", "-Wno-fatal")
    timed = ("--timing", "--timescale", "1ns/1ps", "--top-module", "testbench", *design, *benches)
    return printed_by(folder, *quiet, "-Wall", "--top-module", top, *design) + printed_by(folder, *quiet, *timed)


def of_icarus(folder: Path) -> str:
    if shutil.which("iverilog") is None:
        return ""
    design, benches = sources_in(folder)
    command = ("iverilog", "-g2012", "-Wall", "-s", "testbench", "-o", "testbench.vvp", *design, *benches)
    printed = printed_by(folder, *command)
    return "\n".join(line for line in printed.splitlines() if LIMIT_OF_ICARUS_11 not in line)


def of_yosys(folder: Path) -> str:
    """Its warnings, and those of its own check of the netlist."""
    try:
        yosys.version()
    except ToolError:
        return ""
    design, _ = sources_in(folder)
    reading = (f"tee -q -a read.log read_verilog -sv {file}" for file in design)
    checking = (f"hierarchy -check -top {Path(design[-1]).stem}", "proc", "check -assert")
    yosys.run(design[-1], (*reading, *(f"tee -q -a read.log {each}" for each in checking), yosys.COUNT), folder)
    return "\n".join(re.findall(r"^Warning.*", (folder / "read.log").read_text(), re.MULTILINE))


def of_ghdl(folder: Path) -> str:
    if shutil.which("ghdl") is None:
        return ""
    design, benches = sources_in(folder)
    printed = printed_by(folder, "ghdl", "-a", "--std=08", *design, *benches)
    return printed + printed_by(folder, "ghdl", "-e", "--std=08", "testbench")


FRONT_ENDS: dict[str, tuple[Callable[[Path], str], ...]] = {
    "verilog": (of_slang, of_verilator, of_icarus, of_yosys),
    "vhdl": (of_ghdl,),
}


def complaints(project: Project, folder: Path) -> dict[str, str]:
    """What front ends say of a project, by their names."""
    place = project.write(folder)
    found = {of.__name__: of(place / target) for target, each in FRONT_ENDS.items() for of in each}
    return {name: text for name, text in found.items() if text}


def example(path: Path, where: str) -> Project:
    """The hardware of an example: on the chip, or with a bus of a protocol for both data and registers."""
    kernel = ls.parse(path)
    parameters = largest_tiny(kernel, (2, 3, 5))
    targets, tiling = tuple(PROGRAMS), small_tiling(kernel)
    match where:
        case "chip":
            return ls.build(kernel, target=targets, parameters=parameters)
        case "avalon":
            return ls.build(kernel, tiling, target=targets, parameters=parameters, bus="avalon", bus_width=64, burst=16)
        case _:
            return ls.build(kernel, tiling, target=targets, parameters=parameters, bus="axi")


def built(stem: str, values: tuple[int, ...], **options: Any) -> Project:
    kernel = ls.parse(ROOT / f"examples/{stem}.c")
    parameters = dict(zip(kernel.parameters, values, strict=True))
    return ls.build(kernel, target=tuple(PROGRAMS), parameters=parameters, **options)


def samples() -> Iterator[Project]:
    yield built("matmul", (5,))
    yield built("threshold", (7, 5))
    yield built("matmul", (5,), bus="axi", sizes=(4, 4, 4))
    yield built("vector_sum", (61,), bus="avalon", sizes=(8,))


@pytest.mark.parametrize("position", range(4))
def test_some_designs(position: int, tmp_path: Path) -> None:
    assert complaints(list(samples())[position], tmp_path / "out") == {}


EXPONENTIALS = """
void exponentials(int m, int n, float a[m][n], double logs[n], float b[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      b[i][j] = expf(-a[i][j] * a[i][j]);
  for (int j = 0; j < n; j++)
    logs[j] = log(fabs(logs[j]) + 1.0);
}
"""
NEWEST: dict[str, tuple[str, dict[str, Any]]] = {
    "lanes of two loops": ("matmul.c", {"unroll": (4, 8), "bus_width": 512, "sizes": (8, 8, 8)}),
    "lanes and beats on avalon": ("matmul.c", {"unroll": (2, 2), "bus": "avalon", "bus_width": 256, "burst": 8}),
    "three widths": ("styles/product_bytes.c", {"unroll": 4, "bus_width": 128, "outstanding": 2}),
    "an order in tiles": ("polybench/gesummv.c", {"bus_width": 256, "address_width": 64}),
    "functions": (EXPONENTIALS, {"bus_width": 256, "reset": "high"}),
    "a stencil": ("polybench/jacobi-2d.c", {"bus_width": 128, "prefix": "one"}),
    "fixed point": ("fir_fixed.c", {"bus": "avalon", "bus_width": 64, "reset": "low"}),
    "data places": ("histogram.c", {"bus_width": 64}),
}
"""Hardware with what came last: source, options."""


@pytest.mark.parametrize("name", NEWEST)
def test_newest_designs(name: str, tmp_path: Path) -> None:
    source, options = NEWEST[name]
    kernel = ls.parse(source if source is EXPONENTIALS else ROOT / "examples" / source)
    chosen: dict[str, Any] = {"bus": "axi", "parameters": largest_tiny(kernel, (5, 7)), **options}
    assert complaints(ls.build(kernel, target=tuple(PROGRAMS), **chosen), tmp_path / "out") == {}


@pytest.mark.parametrize("module", designs(), ids=lambda module: module.name)
def test_all_that_modules_can_say(module: Module) -> None:
    assert slang.lint(module) == ""


def test_slang_sees_two_drivers(tmp_path: Path) -> None:
    m = Module("counter")
    value = m.register("value", unsigned(4), reset=3)
    with m.clocked(), m.when(m.input("enable", bit)):
        m.assign(value, (value + 1).wrapped(value.bits))
    m.output("count", value)
    assert slang.lint(m) == ""
    text = emit_verilog(m).replace("always @", "always_ff @")
    (tmp_path / "counter.sv").write_text(text)
    assert "driven by always_ff" in slang.lint_files(tmp_path, ["counter.sv"], "counter")


@pytest.mark.sweep
@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("name", ALL_EXAMPLES)
def test_all_examples(name: str, where: str, tmp_path: Path) -> None:
    try:
        project = example(ALL_EXAMPLES[name], where)
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[0])
    assert complaints(project, tmp_path / "out") == {}
