"""The wrapper for LiteX: a SoC with LiteDRAM, in which a host runs the accelerator over Wishbone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from flow_devices import KERNELS, needs_simulator, packaged
from hdl_projects import VERILATOR, make

pytestmark = needs_simulator
pytest.importorskip("litex")
pytest.importorskip("litedram")
STANDARDS = ("axi", "wishbone")


def written(folder: Path, standard: str) -> Path:
    """The SoC as Verilog, made by LiteX."""
    command = [sys.executable, next(folder.glob("*_soc.py")).name, standard]
    result = subprocess.run(command, cwd=folder, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return next(folder.glob(f"*_soc_{standard}.v"))


@pytest.mark.sweep
@pytest.mark.parametrize("standard", STANDARDS)
@pytest.mark.parametrize("name", KERNELS)
def test_litex_takes_the_wrapper(name: str, standard: str, tmp_path: Path) -> None:
    folder = packaged(name).write(tmp_path / "out") / "verilog/litex"
    text = written(folder, standard).read_text()
    assert f"{name}_accelerator_top" in text
    assert ("axi2wishbone" in text.lower()) == (standard == "wishbone")


@pytest.mark.sweep
@pytest.mark.parametrize("standard", STANDARDS)
@pytest.mark.parametrize("name", ["vector_sum", "matmul", "product_bytes"])
def test_the_soc_runs_the_kernel(name: str, standard: str, tmp_path: Path) -> None:
    folder = packaged(name).write(tmp_path / "out") / "verilog/litex"
    tools = (f"PYTHON={sys.executable}", f"VERILATOR={VERILATOR}", f"BUS={standard}")
    result = make(folder, "run", *tools)
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^PASS: \d+ words, \d+ cycles of the SoC$", result.stdout, re.MULTILINE)
    script = folder / "host.txt"
    lines = script.read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("w 400") and not line.endswith(" 00000000"))
    changed = f"{lines[at][:-8]}{int(lines[at][-8:], 16) ^ 1:08x}"
    script.write_text("\n".join([*lines[:at], changed, *lines[at + 1 :]]) + "\n")
    result = make(folder, "run", *tools)
    assert result.returncode != 0
    assert re.search(r"^FAIL: [1-9]\d* of \d+ words differ$", result.stdout, re.MULTILINE)
