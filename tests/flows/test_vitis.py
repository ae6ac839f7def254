"""Packages for Vitis, version by version: a stand-in of the tool reads all scripts, and simulates C."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

import loadstone as ls
from flow_devices import KERNELS, OTHERS, STUBS, kernel_of
from loadstone.emit.project import Project
from loadstone.flows.vitis_versions import NEWEST, VERSIONS
from loadstone.options import VitisVersion

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
pytest.importorskip("tkinter")


@cache
def packaged(name: str, version: VitisVersion) -> Project:
    _, sizes, parameters = KERNELS[name]
    tiling = ls.Tiling(sizes) if sizes else None
    chosen: dict[str, Any] = {"flows": ("vitis",), "vitis": version}
    return ls.build(kernel_of(name), tiling, target="hls", parameters=parameters, **chosen)


def programs(folder: Path) -> dict[str, str]:
    """An environment in which the programs of Vitis are stand-ins."""
    folder.mkdir(exist_ok=True)
    for name in ("v++", "vitis-run", "vitis_hls"):
        (folder / name).write_text(f'#!/bin/sh\nexec {sys.executable} {STUBS / "vitis.py"} {name} "$@"\n')
        (folder / name).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def run(folder: Path, step: str, tools: Path, **more: str) -> tuple[int, list[str]]:
    """The status of a step, and what the tool was asked for."""
    (folder / "steps.txt").unlink(missing_ok=True)
    command, known = ["sh", str(folder / "run_vitis.sh"), step], {**programs(tools), **more}
    result = subprocess.run(command, cwd=tools, env=known, capture_output=True, text=True, check=False)
    steps = folder / "steps.txt"
    return result.returncode, steps.read_text().splitlines() if steps.exists() else [result.stderr]


def test_the_table_has_all_versions() -> None:
    assert tuple(VERSIONS) == get_args(VitisVersion)
    assert NEWEST in VERSIONS


def check_simulation(name: str, version: VitisVersion, tmp_path: Path) -> None:
    """Simulation in C passes."""
    folder = packaged(name, version).write(tmp_path / "out") / "hls"
    status, steps = run(folder, "csim", tmp_path / "tools")
    assert status == 0, steps
    assert steps[-1].startswith("csim")


def test_simulation_in_c(tmp_path: Path) -> None:
    check_failing_simulation(NEWEST, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("version", VERSIONS)
def test_simulation_in_c_in_all_versions(version: VitisVersion, tmp_path: Path) -> None:
    check_failing_simulation(version, tmp_path)


def check_failing_simulation(version: VitisVersion, tmp_path: Path) -> None:
    """Simulation in C passes, and fails with another original."""
    check_simulation("vector_sum", version, tmp_path)
    folder = tmp_path / "out/hls"
    reference = folder / "reference.c"
    reference.write_text(reference.read_text().replace("a[i] + b[i]", "a[i] - b[i]"))
    assert run(folder, "csim", tmp_path / "tools")[0] != 0


@pytest.mark.parametrize("version", ["2024.2", "2025.2"])
def test_steps_by_configuration(version: VitisVersion, tmp_path: Path) -> None:
    folder = packaged("vector_sum", version).write(tmp_path / "out") / "hls"
    names = {"synthesis": ["synthesis"], "cosim": ["synthesis", "cosim"], "package": ["synthesis", "package"]}
    for step, expected in {**names, "implementation": ["synthesis", "impl"]}.items():
        status, steps = run(folder, step, tmp_path / "tools")
        assert (status, steps) == (0, [f"{each} vivado vector_sum_top ip_catalog" for each in expected])
    status, steps = run(folder, "package", tmp_path / "tools", CONFIG="xo_config.cfg")
    assert (status, steps) == (0, [f"{each} vitis vector_sum_top xo" for each in ("synthesis", "package")])
    assert run(folder, "nothing", tmp_path / "tools")[0] == 2


@pytest.mark.parametrize("version", VERSIONS)
def test_steps_by_tcl(version: VitisVersion, tmp_path: Path) -> None:
    folder = packaged("vector_sum", version).write(tmp_path / "out") / "hls"
    known = programs(tmp_path / "tools")
    last = {"cosim": "cosim_design -ldflags -lpthread", "package": "export_design -format xo"}
    for step, expected in {"synthesis": "csynth_design", **last, "implementation": "export_design -flow impl"}.items():
        (folder / "steps.txt").unlink(missing_ok=True)
        command = VERSIONS[version].runs_tcl.split()
        subprocess.run(command, cwd=folder, env={**known, "STEP": step, "FLOW": "vitis"}, check=True)
        steps = (folder / "steps.txt").read_text().splitlines()
        assert {"set_top vector_sum_top", "open_solution -reset solution -flow_target vitis"} <= set(steps)
        assert steps[-1] == expected


def test_the_oldest_version_has_no_configuration() -> None:
    files = packaged("vector_sum", "2022.2").files
    assert not [path for path in files if path.endswith(".cfg")]
    assert "vitis_hls -f run_hls.tcl" in files["hls/run_vitis.sh"]
    assert "hls_fence.h" not in files["hls/vector_sum.cpp"]
    assert "protocol fixed" in files["hls/vector_sum.cpp"]
    assert "hls::fence" in packaged("vector_sum", "2025.2").files["hls/vector_sum.cpp"]


def check_synthesis(name: str, version: VitisVersion, tmp_path: Path) -> None:
    """What is synthesised compiles, with stand-ins for the headers of the tool."""
    folder = packaged(name, version).write(tmp_path / "synthesised") / "hls"
    (tmp_path / "hls_fence.h").write_text("namespace hls { template <typename... T> void fence(T &&...) {} }\n")
    (tmp_path / "ap_utils.h").write_text("inline void ap_wait() {}\n")
    flags = [
        "-std=c++14",
        "-fsyntax-only",
        "-Wall",
        "-Wno-unknown-pragmas",
        "-D__SYNTHESIS__",
        f"-I{tmp_path}",
        "-Isim",
    ]
    command = ["g++", *flags, "-Werror", next(folder.glob(f"{name}.cpp")).name]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_synthesised_compiles(version: VitisVersion, tmp_path: Path) -> None:
    check_synthesis("vector_sum", version, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", OTHERS)
def test_other_kernels(name: str, version: VitisVersion, tmp_path: Path) -> None:
    check_simulation(name, version, tmp_path)
    check_synthesis(name, version, tmp_path)


PORTS = {
    "matmul": {
        "c": {"max_read_burst_length": "4", "num_read_outstanding": "16", "depth": "49"},
        "c_out": {"max_write_burst_length": "4", "num_write_outstanding": "16", "depth": "49"},
        "a": {"max_read_burst_length": "4", "num_read_outstanding": "16", "max_widen_bitwidth": "32"},
    },
    "dma": {
        "a": {"max_read_burst_length": "8", "num_read_outstanding": "9", "depth": "37", "bundle": "gmem_a"},
        "b": {"max_write_burst_length": "8", "num_write_outstanding": "9", "offset": "slave", "latency": "64"},
    },
    "conv2d": {"weights": {"max_read_burst_length": "4", "max_widen_bitwidth": "32", "depth": "9"}},
}


@pytest.mark.parametrize("name", PORTS)
def test_ports_fit_the_plan(name: str) -> None:
    text = packaged(name, NEWEST).files[f"hls/{name}.cpp"]
    found = {
        port: dict(re.findall(r"(\w+)=(\w+)", options))
        for port, options in re.findall(r"#pragma HLS interface m_axi port=(\w+) (.*)", text)
    }
    for port, options in PORTS[name].items():
        assert options.items() <= found[port].items()
    writing = {port for port, options in found.items() if "max_write_burst_length" in options}
    assert writing == {"matmul": {"c_out"}, "dma": {"b"}, "conv2d": {"out"}}[name]


def test_ports_of_whole_rows_are_widened(tmp_path: Path) -> None:
    path = tmp_path / "rows.c"
    path.write_text(
        "void rows(int n, int a[n][16], int b[n][16]) {\n"
        "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < 16; j++)\n      b[i][j] = a[i][j];\n}\n"
    )
    files = ls.build(ls.parse(path), ls.Tiling((4, 16)), target="hls", parameters={"n": 9}, flows=("vitis",)).files
    assert "max_widen_bitwidth=512" in files["hls/rows.cpp"]


def test_packages_are_the_same_each_time() -> None:
    first = packaged("vector_sum", NEWEST).files
    packaged.cache_clear()
    assert packaged("vector_sum", NEWEST).files == first


def test_networks_are_packaged() -> None:
    kernel, parameters = kernel_of("vector_sum"), {"n": 20}
    files = ls.build(kernel, target="hls", network=True, parameters=parameters, flows=("vitis",)).files
    assert "syn.top=vector_sum_top" in files["hls/hls_config.cfg"]
    assert "num_read_outstanding" in files["hls/vector_sum.cpp"]
