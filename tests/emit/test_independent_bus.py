"""Accelerators on a bus that others wrote: memory and host of cocotbext-axi, with random stalls on every channel."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import loadstone as ls
from kernels import ALL_EXAMPLES, ROOT, is_too_large, largest_tiny, small_tiling
from loadstone.cli.main import main
from loadstone.errors import UnsupportedError

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("cocotbext") is None, reason="needs cocotbext-axi"),
    pytest.mark.skipif(shutil.which("iverilog") is None or shutil.which("gcc") is None, reason="needs iverilog, gcc"),
]

CASES = {
    "matmul": ("-p", "n=5", "--tile", "4"),
    "vector_sum": ("-p", "n=37", "--tile", "8", "--bus-width", "64", "--address-width", "48", "--outstanding", "1"),
    "threshold": ("-p", "rows=5", "-p", "cols=9", "--tile", "4", "--burst", "4", "--reset", "high", "--prefix", "one"),
    "styles/product_bytes": (
        *("-p", "n=5", "-p", "m=13", "-p", "p=7", "--tile", "4,8,8"),
        *("--bus-width", "512", "--unroll", "2x4", "--outstanding", "3"),
    ),
}
BUS_WIDTHS = (None, 64, 128, 256, 512)


def run(folder: Path, **environment: str) -> str:
    """The exit status and what a run in Icarus Verilog prints."""
    script = str(next(folder.glob("test_*.py")))
    known = {**os.environ, "SIM": "icarus", **environment}
    result = subprocess.run(
        [sys.executable, script], cwd=folder, env=known, capture_output=True, text=True, check=False
    )
    return f"{result.returncode} {result.stdout}{result.stderr}"


def built(name: str, folder: Path) -> Path:
    words = ["build", str(ROOT / f"examples/{name}.c"), *CASES[name], "--bus", "axi", "--target", "verilog"]
    assert main([*words, "-o", str(folder)]) == 0
    return folder / "verilog"


def check(folder: Path, **environment: str) -> None:
    printed = run(folder, **environment)
    assert printed.startswith("0 "), printed
    assert "memory and host are those of cocotbext-axi" in printed
    assert re.search(r"PASS: \d+ bytes, \d+ cycles", printed), printed


@pytest.mark.parametrize("name", CASES)
def test_kernels(name: str, tmp_path: Path) -> None:
    check(built(name, tmp_path / "out"), STALLS="0.5", SEED="7")


def test_the_independent_memory_sees_what_is_wrong(tmp_path: Path) -> None:
    folder = built("vector_sum", tmp_path / "out")
    script = folder / "test_vector_sum.py"
    text = script.read_text()
    script.write_text(re.sub(r"FAR = 0x\w+", "FAR = 0x1000000000", text))
    assert re.search("error [23] at address 0x8000", run(folder))
    script.write_text(text)
    words = (folder / "data/memory.hex").read_text().split()
    (folder / "data/memory.hex").write_text("\n".join([f"{int(words[0], 16) ^ 1:x}", *words[1:]]))
    assert re.search(r"\d+ bytes differ", run(folder))


@pytest.mark.sweep
@pytest.mark.parametrize("name", ALL_EXAMPLES)
def test_all_examples(name: str, tmp_path: Path) -> None:
    kernel = ls.parse(ALL_EXAMPLES[name])
    parameters = largest_tiny(kernel, (2, 3, 5))
    if is_too_large(kernel, parameters):
        pytest.skip("its size is fixed, and too large")
    width = BUS_WIDTHS[sum(name.encode()) % len(BUS_WIDTHS)]
    chosen: dict[str, Any] = {"parameters": parameters, "bus": "axi", "bus_width": width}
    try:
        files = ls.build(kernel, small_tiling(kernel), target="verilog", **chosen)
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[0])
    check(files.write(tmp_path / "out") / "verilog", STALLS="0.3", SEED="3")
