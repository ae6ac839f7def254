"""Every example, packaged for all flows: what compilers and readers say of it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

import loadstone as ls
from flow_devices import HARDWARE, STUBS
from kernels import ALL_EXAMPLES, largest_tiny, small_tiling
from loadstone.emit.project import Project
from loadstone.errors import UnsupportedError


def packaged(path: Path) -> Project:
    kernel = ls.parse(path)
    parameters = largest_tiny(kernel, (5,))
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


def check_everything(name: str, tmp_path: Path) -> None:
    folder = packaged(ALL_EXAMPLES[name]).write(tmp_path / "out") / "verilog"
    strict = ("-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I.", f"-I{STUBS / 'xrt/include'}")
    (header,) = folder.glob("*_driver.h")
    (folder / "driver.c").write_text(f'#include "{header.name}"\n')
    assert compiled(folder, "gcc", "-std=c99", "-pedantic", *strict, "-Wno-unused-function", "driver.c") == ""
    assert compiled(folder, "g++", "-std=c++17", *strict, "-Ixrt", "xrt/host.cpp") == ""
    for script in (*folder.glob("pynq/*.py"), *folder.glob("litex/*.py")):
        compile(script.read_text(), script.name, "exec")
    assert ElementTree.parse(folder / "component.xml").getroot().tag.endswith("component")
