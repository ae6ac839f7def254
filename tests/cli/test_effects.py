"""Options: none is ignored in silence, mistakes are named, and with --json errors are JSON as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernels import ROOT
from loadstone.cli.main import COMMANDS, main
from loadstone.cli.shared.parser import CommandParser
from loadstone.options import Choices, FlowOptions, HardwareOptions, IntegrationOptions, RunOptions, options_of

MATMUL = str(ROOT / "examples" / "matmul.c")


@pytest.mark.parametrize(
    "command",
    [
        "run {} --target c --memory paper",
        "run {} --target c --timeline",
        "run {} --target c --vcd x.vcd",
        "run {} --target c --depth 2 --unroll 2",
        "run {} --target hls --checked",
        "run {} --target c --flavour vitis",
        "run {} --target verilog --tile 8",
        "run {} --target verilog --depth 2",
        "run {} --target verilog --network",
        "run {} --target verilog --memory paper --checked",
        "run {} --target verilog --memory paper --simulator transactions --seed 1",
        "run {} --target verilog --memory paper --simulator transactions --no-baseline",
        "run {} --target verilog --memory paper --network --unroll 2",
        "run {} --target model --tile 8",
        "build {} --target c --bus axi -o out",
        "build {} --target verilog --tile 8 -o out",
        "build {} --target hls --read-ports 2 -o out",
        "run {} --target verilog --address-width 40",
        "build {} --target verilog --outstanding 2 -o out",
        "build {} --target c --reset low -o out",
        "build {} --network --target hls --reset high -o out",
        "synth {} --address-width 40",
        "synth {} --tile 8",
        "synth {} --unroll 2",
        "plan {} --quast -p n=4",
        "plan {} --quast --per-tile",
        "transform {} -p n=4",
        "transform {} --allow-illegal",
        "info {} --free-reductions",
        "run {} --target model --free-reductions",
        "reuse {} --type int=float --free-reductions -p n=3",
        "reuse {} --symbolic --seed 3",
        "reuse {} --symbolic --trace",
        "info {} --open-ends",
        "plan {} --pure f",
        "network {} --pure *",
        "network {} --compute-only --blocks 2",
        "plan {} --blocks 2",
        "explore {} --curve --blocks 2",
        "explore {} --blocks 2",
        "explore {} --split-buffers",
        "report {} -o x.html --plan-only --blocks 2",
        "report {} -o x.html --device xc7",
        "report {} -o x.html --plan-only --unroll 2",
        "report {} -o x.html --plan-only --synth",
        "report {} --compare a.json --tile 8",
        "report {} --compare a.json -p n=3",
    ],
)
def test_options_without_effect_are_errors(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.format(MATMUL).split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "has no effect" in err


def test_options_that_contradict_each_other_are_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["network", MATMUL, "--no-split", "--split", "depth"]) == 2
    assert "--split: not allowed with argument --no-split" in capsys.readouterr().err


def test_the_limit_is_that_of_vertices_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    triangle = "[n, m] -> { [i, j] : 0 <= i < n and 0 <= j < i + m and 2j <= n }"
    assert main(["count", triangle, "--vertices"]) == 0
    assert main(["count", triangle, "--vertices", "--limit", "100"]) == 2
    assert "the vertices cannot be decided" in capsys.readouterr().err


def test_what_one_of_several_kernels_leaves_open_may_be_told(tmp_path: Path) -> None:
    path = tmp_path / "several.c"
    scop = "#pragma scop\n  for (int i = 0; i < n; i++) a[i] = {};\n#pragma endscop\n"
    body = scop.format("f(i)") + scop.format("i")
    path.write_text(f"int f(int);\nvoid g(int n, int a[n]) {{\n{body}}}\n")
    assert main(["info", str(path), "--pure", "f"]) == 0
    assert main(["info", str(path), "--pure", "f", "--pure", "g"]) == 2
    assert main(["info", str(path), "--pure", "f", "--scop", "2"]) == 2


@pytest.mark.parametrize("command", ["build {} --target c --target verilog --tile 4 -p n=5 -o {}"])
def test_an_option_for_one_of_several_targets_has_an_effect(command: str, tmp_path: Path) -> None:
    assert main(command.format(MATMUL, tmp_path / "out").split()) == 0


def test_errors_are_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.c"
    path.write_text("void f(int n, int a[n]) {\n  for (int i = 0; i < n; i++)\n    a[i] = b;\n}\n")
    assert main(["info", str(path), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)["error"]
    assert found["file"] == str(path)
    assert (found["line"], found["column"]) == (3, 12)
    assert set(found) == {"message", "file", "line", "column", "hint"}


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("run", MATMUL, "-p", "n=x", "--json"), 2),
        (("run", MATMUL, "-p", "n=-5", "--json"), 2),
        (("run", MATMUL, "--nonsense", "--json"), 2),
        (("plan", MATMUL, "--type", "int=float", "--schedule", "{ S0[i,j,k] -> [-k, i, j] }", "--json"), 1),
    ],
)
def test_every_kind_of_error_is_json(
    arguments: tuple[str, ...], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == status
    assert json.loads(capsys.readouterr().out)["error"]["message"]


@pytest.mark.parametrize(
    "option", ["--address-width 31", "--address-width 65", "--outstanding 0", "--outstanding 65", "--reset both"]
)
def test_values_out_of_range(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", MATMUL, "--target", "verilog", "--bus", "axi", "-o", "out", *option.split()]) == 2
    assert option.split(maxsplit=1)[0] in capsys.readouterr().err


@pytest.mark.parametrize(("typed", "meant"), [("--unrol", "--unroll"), ("--tiel", "--tile")])
def test_options_that_are_nearly_right(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", MATMUL, typed, "4"]) == 2
    assert f"did you mean {meant}?" in capsys.readouterr().err


def test_reports_are_html(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", MATMUL, "-o", str(tmp_path / "x.pdf")]) == 2
    assert "HTML" in capsys.readouterr().err


def test_every_option_of_the_classes_is_one_of_run() -> None:
    parser = CommandParser()
    next(command for command in COMMANDS if command.name == "run").add_options(parser)
    fields = {option.dest for kind in (Choices, HardwareOptions, RunOptions) for option in options_of(kind)}
    assert fields <= set(parser.options)


def test_every_option_of_integration_is_one_of_build() -> None:
    parser = CommandParser()
    next(command for command in COMMANDS if command.name == "build").add_options(parser)
    assert {option.dest for kind in (IntegrationOptions, FlowOptions) for option in options_of(kind)} <= set(
        parser.options
    )


def test_help_has_groups(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    text = capsys.readouterr().out
    assert all(f"\n{title}:\n" in text for title in ("kernel", "tiling and local memories", "run", "hardware"))
