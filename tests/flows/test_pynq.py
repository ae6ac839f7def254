"""The driver for PYNQ runs kernels on simulated hardware through a stand-in of PYNQ, bit by bit like the original."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import loadstone as ls
from flow_devices import (
    KERNELS,
    STUBS,
    Device,
    InterpretedDevice,
    compiled,
    device_of,
    kernel_of,
    needs_simulator,
    packaged,
)
from kernels import ROOT
from loadstone.hardware.accelerator.registers import READY
from loadstone.simulate.memory import live_out_arrays
from loadstone.trials import trial

pytest.importorskip("numpy")

PROGRAM = """
import json, struct, sys
import numpy as np
import pynq
import {module}
given = json.load(open("given.json"))
kinds = {{"int": np.int32, "double": np.float64, "unsigned char": np.uint8, "signed char": np.int8}}
arguments = dict(given["parameters"])
for name, (kind, shape, data) in given["arrays"].items():
    arguments[name] = np.frombuffer(bytes.fromhex(data), dtype=kinds[kind]).reshape(shape)
ip = getattr(pynq.Overlay("{name}.bit"), "{name}_0")
for run in range(2):
    found = ip(**arguments)
    print(json.dumps({{name: value.tobytes().hex() for name, value in found._asdict().items()}}))
"""
"""Runs the driver twice, so that memory must have been given back, and registers written anew."""


def python_name(name: str) -> str:
    return {"in": "in_"}.get(name, name)


def run_driver(device: Device, program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own, with the stand-in and the device."""
    paths = [*sys.path, str(STUBS), str(device.folder / "pynq")]
    (folder / "program.py").write_text(program)
    environment = {
        "LOADSTONE_DEVICE": str(device.library),
        "LOADSTONE_COMPONENT": str(device.folder / "component.xml"),
        "PYTHONPATH": ":".join(paths),
        "PATH": "/usr/bin:/bin",
    }
    command = [sys.executable, "program.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def check_results(name: str, device: Device, tmp_path: Path) -> None:
    """The results of the driver are those of the original, twice."""
    import json

    import numpy as np

    kernel, parameters = kernel_of(name), KERNELS[name][2]
    ended, start = trial(kernel, parameters)
    kinds = {"int": np.int32, "double": np.float64, "unsigned char": np.uint8, "signed char": np.int8}

    def packed(cells: object, kind: str) -> str:
        return np.array(cells, dtype=kinds[kind]).tobytes().hex()

    arrays = {
        python_name(array.name): (
            str(array.type),
            start[array.name].extents,
            packed(start[array.name].cells, str(array.type)),
        )
        for array in kernel.arrays.values()
        if not array.local
    }
    (tmp_path / "given.json").write_text(json.dumps({"parameters": parameters, "arrays": arrays}))
    result = run_driver(device, PROGRAM.format(name=name, module=f"{name}_driver"), tmp_path)
    assert result.returncode == 0, result.stderr
    expected = {
        python_name(each): packed(ended[each].cells, str(kernel.arrays[each].type)) for each in live_out_arrays(kernel)
    }
    assert any(expected.values())
    assert [json.loads(line) for line in result.stdout.splitlines()] == [expected, expected]


FAILURES = """
import numpy as np
import pynq
import vector_sum_driver
ip = pynq.Overlay("vector_sum.bit").vector_sum_0
zeros = np.zeros(20, dtype=np.int32)
longer = np.zeros(21, dtype=np.int32)
for arguments in ((21, longer, longer, longer), (20, zeros, zeros, zeros[1:]), (20, zeros, zeros * 0.5, zeros)):
    try:
        ip(*arguments)
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, error)
    assert not pynq.device().taken
ip.write(0, 1)
vector_sum_driver.IDENTITY ^= 1
try:
    pynq.Overlay("vector_sum.bit").vector_sum_0
except RuntimeError as error:
    print(error)
"""


def check_failures(device: Device, tmp_path: Path) -> None:
    """The driver says what is wrong, and gives memory back."""
    result = run_driver(device, FAILURES, tmp_path)
    assert result.stdout.splitlines() == [
        "RuntimeError a parameter is out of range, at address 0x0 if the bus failed",
        "ValueError expected int32 of shape (20,), not int32 of (19,)",
        "ValueError expected int32 of shape (20,), not float64 of (20,)",
        "the bitstream holds another design than this driver is for",
    ], result.stderr


def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/pynq.md").read_text(), re.MULTILINE | re.DOTALL)
    folder = packaged("vector_sum").write(tmp_path / "out") / "verilog"
    monkeypatch.setenv("LOADSTONE_COMPONENT", str(folder / "component.xml"))
    monkeypatch.setattr(sys, "path", [str(STUBS), str(folder / "pynq"), *sys.path])
    import_module("pynq").connect(InterpretedDevice(compiled("vector_sum")))
    found: dict[str, Any] = {}
    exec(example, found)
    assert list(found["results"].c) == [100 + k for k in range(20)]


def test_memory_is_freed_when_no_burst_is_in_flight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    folder = packaged("vector_sum").write(tmp_path / "out") / "verilog"
    monkeypatch.setenv("LOADSTONE_COMPONENT", str(folder / "component.xml"))
    monkeypatch.setattr(sys, "path", [str(STUBS), str(folder / "pynq"), *sys.path])
    pynq = import_module("pynq")
    pynq.connect(InterpretedDevice(compiled("vector_sum")))
    driver = import_module("vector_sum_driver")
    ip, zeros = pynq.Overlay("vector_sum.bit").vector_sum_0, np.zeros(20, dtype=np.int32)
    seen: list[int] = []
    free = pynq.PynqBuffer.freebuffer

    def watched(buffer: Any) -> None:
        seen.append(ip.read(driver.REGISTERS["STATUS"]))
        free(buffer)

    monkeypatch.setattr(pynq.PynqBuffer, "freebuffer", watched)
    with pytest.raises(TimeoutError, match="not done after -1 seconds"):
        ip(20, zeros, zeros, zeros, timeout=-1)
    assert seen
    assert all(status & READY for status in seen)


PAIRS = """
struct pair { short x; int y; };
void pairs(int n, const struct pair p[n], int *result)
{
  int sum = *result;
#pragma scop
  for (int i = 0; i < n; i++)
    sum += p[i].x * p[i].y;
#pragma endscop
  *result = sum;
}
"""


def test_structures_and_numbers_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    (tmp_path / "pairs.c").write_text(PAIRS)
    circuit = ls.accelerator(ls.parse(tmp_path / "pairs.c"), ls.Tiling((4,)), parameters={"n": 5}, bus="axi")
    folder = ls.build(circuit, target="verilog", flows=("pynq",)).write(tmp_path / "out") / "verilog"
    monkeypatch.setenv("LOADSTONE_COMPONENT", str(folder / "component.xml"))
    monkeypatch.setattr(sys, "path", [str(STUBS), str(folder / "pynq"), *sys.path])
    import_module("pynq").connect(InterpretedDevice(circuit))
    import_module("pairs_driver")
    ip = import_module("pynq").Overlay("pairs.bit").pairs_0
    given = [(3, -4), (-5, 60000), (7, 8), (0, 1), (30000, 2)]
    kind = np.dtype([("x", "i2"), ("y", "i4")], align=True)
    found = ip(5, np.array(given, kind), 11)
    assert found.sum.shape == ()
    assert int(found.sum) == 11 + sum(x * y for x, y in given)
    with pytest.raises(ValueError, match=r"expected structures of 8 bytes, not .* of 6"):
        ip(5, np.array(given, np.dtype([("x", "i2"), ("y", "i4")])), 11)


FLAGS = """
#include <stdbool.h>
void flags(int n, const bool mask[n], const int a[n], bool out[n])
{
  for (int i = 0; i < n; i++)
    out[i] = mask[i] && a[i] > 0;
}
"""


def test_flags_are_those_of_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    (tmp_path / "flags.c").write_text(FLAGS)
    circuit = ls.accelerator(ls.parse(tmp_path / "flags.c"), ls.Tiling((4,)), parameters={"n": 5}, bus="axi")
    folder = ls.build(circuit, target="verilog", flows=("pynq",)).write(tmp_path / "out") / "verilog"
    strict = ("-std=c99", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-function")
    command = ["gcc", *strict, "-include", str(folder / "flags_driver.h"), "-x", "c", "/dev/null"]
    subprocess.run(command, check=True)
    monkeypatch.setenv("LOADSTONE_COMPONENT", str(folder / "component.xml"))
    monkeypatch.setattr(sys, "path", [str(STUBS), str(folder / "pynq"), *sys.path])
    import_module("pynq").connect(InterpretedDevice(circuit))
    import_module("flags_driver")
    ip = import_module("pynq").Overlay("flags.bit").flags_0
    mask, a = np.array([True, True, False, False, True]), np.array([3, -4, 7, 0, 30000], dtype=np.int32)
    found = ip(5, mask, a, np.zeros(5, dtype=bool))
    assert list(found.out) == [True, False, False, False, True]


@needs_simulator
@pytest.mark.sweep
def test_the_driver_says_what_is_wrong(tmp_path: Path) -> None:
    check_failures(device_of(packaged("vector_sum"), tmp_path / "out"), tmp_path)


@needs_simulator
@pytest.mark.sweep
@pytest.mark.parametrize("name", KERNELS)
def test_results_are_those_of_the_original(name: str, tmp_path: Path) -> None:
    check_results(name, device_of(packaged(name), tmp_path / "out"), tmp_path)
