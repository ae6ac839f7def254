"""Every example, packaged for all flows: what compilers and readers say of it."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

import loadstone as ls
from flow_devices import HARDWARE, STUBS
from kernels import ALL_EXAMPLES, is_too_large, largest_tiny, small_tiling
from loadstone.emit.project import Project
from loadstone.errors import UnsupportedError


def packaged(path: Path) -> Project:
    kernel = ls.parse(path)
    parameters = largest_tiny(kernel, (5,))
    if is_too_large(kernel, parameters):
        pytest.skip("its size is fixed, and too large")
    try:
        made = ls.accelerator(kernel, small_tiling(kernel), parameters=parameters, bus="axi", address_width=64)
        return ls.build(made, target="verilog", flows=HARDWARE)
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[0])


def compiled(folder: Path, *command: str) -> str:
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return result.stdout + result.stderr if result.returncode else result.stderr


@pytest.mark.sweep
@pytest.mark.parametrize("name", ALL_EXAMPLES)
def test_everything_compiles(name: str, tmp_path: Path) -> None:
    check_everything(name, tmp_path)


def test_a_temporary_in_memory_is_no_argument(tmp_path: Path) -> None:
    check_everything("polybench/2mm.c", tmp_path)


NAMES = """
void @(int card, int error, int a[card], int Card[card], int Results[card], int READY[card], int xrt[card],
       int c_place[card], int c[card], int std[card], int memory[card], int _memory[card], int setting[card]) {
  for (int i = 0; i < card; i++) {
    c[i] = a[i] + Card[i] + READY[i] * error + xrt[i] + c_place[i] + std[i] - memory[i] + 2 * _memory[i];
    Results[i] = c[i] - setting[i];
  }
}
"""
"""What drivers, host programs and wrappers call things of their own."""


@pytest.mark.parametrize("name", ["instance", "soc", "results", "event_manager"])
def test_names_that_files_of_flows_need(name: str, tmp_path: Path) -> None:
    made = ls.accelerator(
        ls.parse(NAMES.replace("@", name)), ls.Tiling(4), parameters={"card": 9}, bus="axi", address_width=64
    )
    folder = ls.build(made, target="verilog", flows=HARDWARE).write(tmp_path / "out") / "verilog"
    check_files(folder)
    for path, others in (("pynq/*_driver.py", {"Results"}), ("litex/*_litex.py", {"Soc", "Platform"})):
        (script,) = folder.glob(path)
        tree = ast.parse(script.read_text())
        bound = [each.name for each in tree.body if isinstance(each, ast.ClassDef)]
        bound += [alias.name for each in tree.body if isinstance(each, ast.ImportFrom) for alias in each.names]
        assert len({*bound}) == len(bound), bound
        assert others & {*bound} == (others if "pynq" in path else set())
    program = ls.build(made, target="hls", flows=("vitis", "xrt")).write(tmp_path / "program") / "hls"
    assert compiled(program, "g++", "-std=c++17", *STRICT, "-Isim", "xrt/host.cpp") == ""


def check_everything(name: str, tmp_path: Path) -> None:
    check_files(packaged(ALL_EXAMPLES[name]).write(tmp_path / "out") / "verilog")


STRICT = ("-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I.", f"-I{STUBS / 'xrt/include'}")


def check_files(folder: Path) -> None:
    (header,) = folder.glob("*_driver.h")
    (folder / "driver.c").write_text(f'#include "{header.name}"\n')
    assert compiled(folder, "gcc", "-std=c99", "-pedantic", *STRICT, "-Wno-unused-function", "driver.c") == ""
    assert compiled(folder, "g++", "-std=c++17", *STRICT, "-Ixrt", "xrt/host.cpp") == ""
    for script in (*folder.glob("pynq/*.py"), *folder.glob("litex/*.py")):
        compile(script.read_text(), script.name, "exec")
    assert ElementTree.parse(folder / "component.xml").getroot().tag.endswith("component")
