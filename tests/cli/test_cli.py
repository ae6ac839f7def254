"""The command line: speed of --help, JSON on standard output alone, exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import islpy as isl
import pytest

from kernels import EXAMPLES, ROOT
from loadstone.cli.main import COMMANDS, main

MATMUL = str(ROOT / "examples" / "matmul.c")


def printed_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(list(arguments)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_help_names_every_command() -> None:
    result = subprocess.run([sys.executable, "-m", "loadstone", "--help"], capture_output=True, text=True, check=True)
    assert all(command.name in result.stdout for command in COMMANDS)


def test_help_loads_no_stage() -> None:
    """Heavy libraries are what makes start-up slow: none of them may be loaded for --help."""
    code = (
        "import sys\nfrom loadstone.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'islpy', 'pycparser', 'pcpp', 'rich'} & set(sys.modules)\nassert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


@pytest.mark.parametrize(
    ("words", "unused"),
    [
        (("info",), ("emit", "hardware", "networks", "rtl", "simulate")),
        (("build", "--target", "hls", "--unroll", "2"), ("hardware", "rtl", "simulate")),
    ],
)
def test_commands_load_their_own_stages(words: tuple[str, ...], unused: tuple[str, ...], tmp_path: Path) -> None:
    command, *options = words
    arguments = [command, str(ROOT / "examples/matmul.c"), *options]
    arguments += ["-o", str(tmp_path / "out")] if command == "build" else []
    code = (
        f"import sys\nfrom loadstone.cli.main import main\nmain({arguments})\n"
        "print(*sorted({name.split('.')[1] for name in sys.modules if name.startswith('loadstone.')}))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert set(said.splitlines()[-1].split()).isdisjoint(unused)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_info_json_is_read_back_by_isl(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    info = json.loads(json.dumps(printed_json(capsys, "info", str(path), "--json")))
    isl.Set(info["context"])
    for statement in info["statements"]:
        isl.Set(statement["domain"])
        for text in (statement["schedule"], *statement["reads"], *statement["writes"]):
            isl.Map(text)
    for text in info["dependences"].values():
        isl.UnionMap(text)


def test_info_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", MATMUL]) == 0
    out = capsys.readouterr().out
    assert "kernel matmul" in out
    assert "S0 (line" in out


def test_run_compares_three_ways(capsys: pytest.CaptureFixture[str]) -> None:
    result = printed_json(capsys, "run", MATMUL, "-p", "n=5", "--json")
    assert result["match"] is True
    assert result["outputs"] == {"c": 25}


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    tools = printed_json(capsys, "doctor", "--json")["tools"]
    assert {"gcc", "verilator", "yosys", "nextpnr", "ghdl", "iverilog", "chromium"} <= tools.keys()


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("loadstone ")


def test_usage_errors_exit_with_2() -> None:
    for arguments in ([], ["nonsense"], ["info"], ["run", MATMUL, "-p", "n"], ["plan", MATMUL, "--tile", "0"]):
        assert main(arguments) == 2


def test_a_limit_that_is_reached_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(ROOT / "examples" / "idwt97.c"), "--limit", "1000"]) == 2
    assert "--limit" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["info"], ["run", "-p", "n=9"], ["build", "-p", "n=9", "-o", "out"]])
def test_a_command_ends_when_its_processor_time_is_up(words: list[str], tmp_path: Path) -> None:
    """Two hundred statements of one array have 40,000 dependences, and more time than a second is spent within isl."""
    body = "".join(f"a[i] = a[i - 1] + a[i] + {k};" for k in range(200))
    path = tmp_path / "large.c"
    path.write_text(
        f"void f(int n, int a[n]) {{\n#pragma scop\nfor (int i = 1; i < n; i++) {{ {body} }}\n#pragma endscop\n}}"
    )
    command = [sys.executable, "-m", "loadstone", *words, str(path), "--json", "--time", "1"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 2
    assert json.loads(result.stdout)["error"]["message"] == "more than 1 seconds of processor time"
    assert "--time" in result.stderr


def test_a_kernel_that_leaves_its_array_is_an_input_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "beyond.c"
    path.write_text("void f(int n, int a[n]) { for (int i = 0; i <= n; i++) a[i] = i; }")
    assert main(["run", str(path), "-p", "n=3"]) == 2
    assert "leaves an array: S0(3)" in capsys.readouterr().err


def test_network_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The figures of RR-9131 for Jacobi-1D: channels 4, 5 and 6 are FIFOs again after the split."""
    path = str(ROOT / "examples" / "jacobi1d_sa.c")
    found = printed_json(capsys, "network", path, "-p", "T=9", "-p", "N=12", "--split", "depth", "--json")
    assert {process["name"]: process["kind"] for process in found["processes"]} == {
        "load_a": "load",
        "S0": "compute",
        "store_a": "store",
    }
    for process in found["processes"]:
        assert isl.Map(process["schedule"]).domain().is_equal(isl.Set(process["domain"]))
    parts = [channel for channel in found["channels"] if channel["split_from"] in ("c4", "c5", "c6")]
    assert [channel["id"] for channel in parts][:3] == ["c4.1", "c4.2", "c4.3"]
    assert {channel["pattern"] for channel in parts} == {"fifo"}
    assert all(isinstance(channel["size"], int) and not isl.Map(channel["relation"]).is_empty() for channel in parts)
    assert set(found["summary"]) == {"channels", "fifo", "fifo_size", "total_size", "before"}
    assert found["summary"]["before"]["channels"] == 7
    assert found["summary"]["channels"] == len(found["channels"])


def test_compute_only_networks_without_split(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(ROOT / "examples" / "jacobi1d_sa.c")
    found = printed_json(capsys, "network", path, "-p", "T=9", "--compute-only", "--no-split", "--json")
    assert [channel["pattern"] for channel in found["channels"]] == ["reorder"] * 3
    assert found["summary"]["before"] == {key: found["summary"][key] for key in found["summary"]["before"]}


def test_a_network_without_tiling_is_in_the_original_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sums.c"
    path.write_text("void sums(int n, int a[n]) { for (int i = 1; i < n; i++) a[i] = a[i] + a[i - 1]; }")
    found = printed_json(capsys, "network", str(path), "-p", "n=9", "--json")
    assert {channel["pattern"] for channel in found["channels"]} == {"fifo"}
    assert {channel["size"] for channel in found["channels"]} == {1}


@pytest.mark.parametrize("suffix", ["svg", "dot"])
def test_networks_are_drawn(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / f"net.{suffix}"
    assert main(["network", MATMUL, "-p", "n=5", "--tile", "2", "-o", str(picture)]) == 0
    assert "load_a" in capsys.readouterr().out
    assert "store_c" in picture.read_text()


def test_a_picture_of_an_unknown_kind_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["network", MATMUL, "-p", "n=5", "-o", str(tmp_path / "net.xyz")]) == 2
    assert ".svg" in capsys.readouterr().err


def test_networks_of_accesses_that_depend_on_data_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["network", str(ROOT / "examples" / "histogram.c")]) == 2
    message = capsys.readouterr().err
    assert "histogram.c:" in message
    assert "depends on data" in message


def test_a_network_is_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(ROOT / "examples" / "jacobi1d_sa.c")
    found = printed_json(
        capsys, "build", path, "--network", "-p", "T=3", "-p", "N=5", "-o", str(tmp_path / "o"), "--json"
    )
    assert "network.json" in found["files"]


def test_sizes_of_channels_in_closed_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "shift.c"
    path.write_text(
        "void f(int n, int a[n][n]) { for (int t = 1; t < n; t++) for (int i = 0; i < n; i++) a[t][i] = a[t - 1][i]; }"
    )
    found = printed_json(capsys, "network", str(path), "--json")
    channel = next(c for c in found["channels"] if c["producer"] == c["consumer"])
    assert isl.PwQPolynomial(channel["size"]).plain_is_equal(isl.PwQPolynomial("[n] -> { n : n >= 3 }"))
    assert channel["size_is_bound"] is False
