"""Names of files and variables that mean something else in what is generated: every back end takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loadstone as ls
from loadstone.errors import ToolError
from loadstone.rtl.programs import ghdl, icarus
from loadstone.rtl.programs.command import find_program

KERNEL = """void k(int n, int T0[n], int T1[n][n], int NULL[n], int EOF[n]) {
  int beta, TT0;
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      T0[i] += T1[i][j] * NULL[j] + beta * EOF[i] + TT0;
#pragma endscop
}
"""
"""Tile coordinates, macros of headers, and local scalars that nothing sets."""
WAYS: dict[str, dict[str, Any]] = {
    "c": {"target": "c", "checked": True},
    "hls": {"target": "hls"},
    "model": {"target": "model"},
    "network": {"target": "c", "network": True},
    "verilog": {"target": "verilog", "simulator": "icarus"},
    "vhdl": {"target": "vhdl"},
}
PROGRAMS = {"verilog": "iverilog", "vhdl": "ghdl", "hls": "g++"}


def needs(way: str) -> None:
    try:
        find_program(PROGRAMS.get(way, "gcc"), "")
    except ToolError:
        pytest.skip(f"there is no {PROGRAMS.get(way, 'gcc')}")


@pytest.mark.parametrize("way", ["c", "hls", "model", "network", "verilog"])
def test_variables(way: str) -> None:
    check(ls.parse(KERNEL), way, {"n": 5})


def test_variables_in_vhdl() -> None:
    check(ls.parse(KERNEL), "vhdl", {"n": 5})


def check(kernel: ls.Kernel, way: str, parameters: dict[str, int]) -> None:
    needs(way)
    tiling = ls.Tiling(3) if way in ("c", "hls", "network") else None
    assert ls.run(kernel, tiling, parameters=parameters, **WAYS[way]).is_right


def test_variables_on_a_bus() -> None:
    """The languages' own compilers read the accelerator."""
    needs("verilog")
    needs("vhdl")
    module = ls.accelerator(ls.parse(KERNEL), ls.Tiling(3), parameters={"n": 5}, bus="axi").design.module
    assert icarus.lint(module) == ""
    assert ghdl.lint(module) == ""


@pytest.mark.parametrize("name", ["1dloop-invar.c", "dep-1,1.c", "qr.inner.c", "for.c"])
def test_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("for (i = 0; i < 10; i++)\n  a[i] = b[i] + 1;\n")
    kernel = ls.parse(path)
    assert kernel.name.isidentifier()
    check(kernel, "c", {})


def test_a_file_in_every_language(tmp_path: Path) -> None:
    path = tmp_path / "1dloop-invar,1.c"
    path.write_text("for (i = 0; i < 10; i++)\n  a[i] = b[i] + 1;\n")
    for way in ("hls", "network", "verilog", "vhdl"):
        check(ls.parse(path), way, {})


def test_tile_coordinates_do_not_take_the_names_of_parameters() -> None:
    text = (
        KERNEL.replace("int n", "int T0")
        .replace("[n]", "[T0]")
        .replace("< n", "< T0")
        .replace("int T0[T0]", "int a[T0]")
    )
    kernel = ls.parse(text.replace("T0[i]", "a[i]"))
    assert ls.plan(kernel, ls.Tiling(3)).tiles.coordinates == ("TTT0", "TTT1")
