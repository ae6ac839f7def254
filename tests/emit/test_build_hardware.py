"""Folders of generated hardware: testbenches pass in simulators, see what is wrong, and pages say what is there."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

import loadstone as ls
from hdl_projects import PROGRAMS, VERILATOR, change_word, declared_ports, fails, make, needs, passes
from kernels import EXAMPLES, ROOT
from loadstone.cli.main import main
from loadstone.errors import InputError, UnsupportedError
from ready import make_hardware, run_hardware

MATMUL = str(ROOT / "examples" / "matmul.c")

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("make") is None, reason="needs gcc, make")
needs_verilator = pytest.mark.skipif(not Path(VERILATOR).is_file(), reason="needs verilator")
needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs iverilog")

HOSTILE = """
#include <stdbool.h>
int best;
float words;
_Bool any;
void write(int ns, int failure, float address, int line[ns], _Bool mark[failure], _Bool c[ns], short c_in[ns],
           double clk[failure]) {
  double error;
  best = -1;
  for (int i = 0; i < ns; i++) {
    if (line[i] > best)
      best = line[i];
    c_in[i] = c_in[i] + failure;
    words += line[i] * address;
    any = any || line[i] > 90;
    c[i] = line[i] > 20;
  }
  for (int i = 0; i < failure; i++) {
    mark[i] = mark[i] && best > 3;
    error = (clk[i] - clk[i]) / (clk[i] - clk[i]);
    clk[i] = error - clk[i];
  }
}
"""


def example(stem: str) -> Path:
    return next(path for path in EXAMPLES if path.stem == stem)


@cache
def built(stem: str, *values: int) -> ls.Project:
    kernel = ls.parse(example(stem))
    return ls.build(kernel, target=tuple(PROGRAMS), parameters=dict(zip(kernel.parameters, values, strict=True)))


@pytest.mark.parametrize("target", PROGRAMS)
@pytest.mark.parametrize(
    ("stem", "values", "words"),
    [
        ("matmul", (5,), 25),
        ("matmul", (1,), 2),
        ("threshold", (7, 5), 42),
        ("threshold", (1, 1), 4),
        ("fir", (3, 11), 11),
        ("fir", (1, 1), 2),
        ("trisolv", (6,), 6),
        ("trisolv", (1,), 2),
    ],
)
def test_testbenches_pass(stem: str, values: tuple[int, ...], words: int, target: str, tmp_path: Path) -> None:
    """All words of the memories of outputs are compared; a memory has at least two, and room for a row of one."""
    needs(PROGRAMS[target])
    folder = built(stem, *values).write(tmp_path / "out")
    compared, _ = passes(folder / target, "run")
    assert compared == words


@needs_icarus
@pytest.mark.parametrize(("stem", "values"), [("matmul", (5,)), ("threshold", (7, 5)), ("trisolv", (1,))])
def test_cycles_are_those_of_run(stem: str, values: tuple[int, ...], tmp_path: Path) -> None:
    kernel = ls.parse(example(stem))
    parameters = dict(zip(kernel.parameters, values, strict=True))
    outcome = run_hardware(make_hardware(kernel, parameters), parameters, simulator="icarus")
    folder = built(stem, *values).write(tmp_path / "out")
    assert passes(folder / "verilog", "run")[1] == outcome.cycles
    assert json.loads((folder / "hardware.json").read_text())["statements"] == outcome.statements


@pytest.mark.parametrize("target", PROGRAMS)
@pytest.mark.parametrize(("sizes", "words"), [((7, 5), 27), ((0, 1), 11)])
def test_scalars_and_names(target: str, sizes: tuple[int, int], words: int, tmp_path: Path) -> None:
    """Names that testbenches could use themselves, words of one bit, not-a-numbers, and memories of two cycles."""
    needs(PROGRAMS[target])
    (tmp_path / "names.c").write_text(HOSTILE)
    kernel = ls.parse(tmp_path / "names.c")
    parameters = dict(zip(kernel.parameters, sizes, strict=True))
    made = ls.build(kernel, target=target, parameters=parameters, memory_latency=2, read_ports=2)
    folder = made.write(tmp_path / "out")
    assert passes(folder / target, "run")[0] == words
    bench = folder / target / f"testbench.{'sv' if target == 'verilog' else 'vhd'}"
    text = bench.read_text()
    changed = re.sub(r"(best_out.*?h|word_best_out := x\")([0-9a-f]{8})", r"\g<1>12345678", text)
    assert changed != text
    bench.write_text(changed)
    printed = fails(folder / target)
    assert "best is" in printed
    assert f"FAIL: 1 of {words} words differ" in printed


@pytest.mark.parametrize("target", PROGRAMS)
def test_a_testbench_sees_what_is_wrong(target: str, tmp_path: Path) -> None:
    needs(PROGRAMS[target])
    folder = built("matmul", 5).write(tmp_path / "out") / target
    assert "FAIL: not done after 3 cycles" in fails(folder, "LIMIT=3")
    change_word(folder / "data" / "c_word.hex", 24)
    assert "FAIL: 1 of 25 words differ" in fails(folder)
    change_word(folder / "data" / "c_word.hex", 24)
    change_word(folder / "data" / "a_data.hex", 7)
    assert "FAIL: 5 of 25 words differ" in fails(folder)
    change_word(folder / "data" / "a_data.hex", 7)
    assert passes(folder, "run")[0] == 25


@needs_icarus
def test_a_testbench_sees_wrong_hardware(tmp_path: Path) -> None:
    folder = built("matmul", 5).write(tmp_path / "out") / "verilog"
    source = next(folder.glob("multiply*.sv"))
    text = source.read_text()
    assert " * " in text
    source.write_text(text.replace(" * ", " + "))
    assert "of 25 words differ" in fails(folder)


@needs_verilator
@pytest.mark.parametrize(("stem", "values"), [("matmul", (5,)), ("threshold", (1, 3)), ("trisolv", (6,))])
def test_lint_is_clean(stem: str, values: tuple[int, ...], tmp_path: Path) -> None:
    folder = built(stem, *values).write(tmp_path / "out") / "verilog"
    result = make(folder, "lint", f"VERILATOR={VERILATOR}")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@needs_verilator
def test_lint_finds_something(tmp_path: Path) -> None:
    folder = built("matmul", 5).write(tmp_path / "out") / "verilog"
    (folder / "matmul_top.sv").write_text("module matmul_top (input logic clk); endmodule\n")
    assert "UNUSED" in make(folder, "lint", f"VERILATOR={VERILATOR}").stderr


@needs_verilator
@pytest.mark.sweep
def test_the_testbench_in_verilator(tmp_path: Path) -> None:
    folder = built("matmul", 5).write(tmp_path / "out") / "verilog"
    assert passes(folder, "run-verilator", f"VERILATOR={VERILATOR}") == (25, 130)


@pytest.mark.sweep
@pytest.mark.parametrize("target", PROGRAMS)
@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_all_examples(path: Path, size: int, target: str, tmp_path: Path) -> None:
    needs(PROGRAMS[target])
    kernel = ls.parse(path)
    values = {name: size + k for k, name in enumerate(kernel.parameters)}
    try:
        made = ls.build(kernel, target=target, parameters=values)
    except UnsupportedError as error:
        pytest.skip(str(error))
    except InputError as error:
        if "not defined for" not in str(error):
            raise
        pytest.skip(str(error))
    passes(made.write(tmp_path / "out") / target, "run")


@pytest.mark.parametrize("target", PROGRAMS)
def test_the_page_tells_of_every_port(target: str) -> None:
    files = built("threshold", 7, 5).files
    page, info = files[f"{target}/README.md"], json.loads(files["hardware.json"])
    ports = {port["name"]: port for port in info["ports"]}
    assert set(ports) == declared_ports(files["verilog/threshold.sv"])
    for name, port in ports.items():
        assert f"| `{name}` | {port['direction']} | {port['width']}" in page
    assert "`mark[i0][i1]` at `5*i0 + i1`" in page
    assert "| rows | rows | 0 | 7 |" in page


def test_the_description() -> None:
    info = json.loads(built("threshold", 7, 5).files["hardware.json"])
    assert (info["kernel"], info["top"]) == ("threshold", "threshold_top")
    assert info["parameters"]["cols"] == {"port": "cols", "least": 0, "greatest": 5, "testbench": 5}
    mark = info["arrays"]["mark"]
    assert (mark["extents"], mark["strides"], mark["words"], mark["output"]) == ([7, 5], [5, 1], 35, True)
    assert not info["arrays"]["image"]["output"]
    assert info["memories"] == {"latency": 1, "read_ports": "auto"}


def test_the_list_has_all_sources_in_order() -> None:
    files = built("matmul", 5).files
    for target, ending in (("verilog", "sv"), ("vhdl", "vhd")):
        listed = files[f"{target}/files.f"].split()
        sources = {path.removeprefix(f"{target}/") for path in files if path.endswith(f".{ending}")}
        assert {*listed, f"testbench.{ending}"} == sources
        assert listed[-1] == f"matmul_top.{ending}"
        for position, path in enumerate(listed):
            used = [other for other in listed if other != path and calls(files[f"{target}/{path}"], Path(other).stem)]
            assert {*used} <= {*listed[:position]}


def calls(text: str, module: str) -> bool:
    return re.search(rf"^ *(?:\w+ : entity work\.)?{module}\b", text, re.MULTILINE) is not None


def test_programs_and_hardware_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["build", MATMUL, "-p", "n=9", "--tile", "4", "--json", "--target"]
    assert main([*common, "c", "-o", str(tmp_path / "c")]) == 0
    alone = json.loads(capsys.readouterr().out)["files"]
    assert main([*common, "c", "--target", "verilog", "--memory-latency", "2", "-o", str(tmp_path / "both")]) == 0
    both = json.loads(capsys.readouterr().out)["files"]
    assert {*alone} < {*both}
    assert {path.split("/")[0] for path in {*both} - {*alone}} == {"verilog", "hardware.json"}
    assert (tmp_path / "c" / "plan.json").read_text() == (tmp_path / "both" / "plan.json").read_text()
    assert json.loads((tmp_path / "both" / "hardware.json").read_text())["memories"]["latency"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-p", "n=0", "--network"), "process networks are not written as verilog"),
        (("-p", "m=3"), "'m' is not a parameter of the kernel"),
        (("-p", "n=-3"), "not defined for n = -3"),
    ],
)
def test_errors(options: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", MATMUL, *options, "--target", "verilog", "-o", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert "hint:" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("given", [{}, {"rows": 3}])
def test_parameters_that_nobody_gives_are_chosen(
    given: Mapping[str, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "threshold.c"
    path.write_text(re.sub(r"#pragma loadstone default.*", "", example("threshold").read_text()))
    options = [part for name, value in given.items() for part in ("-p", f"{name}={value}")]
    assert main(["build", str(path), *options, "--target", "vhdl", "--json", "-o", str(tmp_path / "out")]) == 0
    assert set(json.loads(capsys.readouterr().out)["chosen"]) == {"rows", "cols"} - set(given)
