"""The host program for a kernel of HLS runs it through a stand-in of XRT, like the original."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import loadstone as ls
from flow_devices import KERNELS, STUBS, WIDE, kernel_of
from loadstone.emit.project import Project

pytestmark = pytest.mark.skipif(shutil.which("g++") is None or shutil.which("make") is None, reason="needs g++, make")

DISPATCH = """
#include "{name}.hpp"
#include <cstdint>
extern "C" void {name}_kernel({declared});
extern "C" void stub_kernel(void **arguments, long *totals) {{ {name}_kernel({given}, &totals[0], &totals[1]); }}
extern "C" void *device_memory() {{ alignas(4096) static uint64_t words[1 << 16]; return words; }}
extern "C" uint64_t device_bytes() {{ return 8 << 16; }}
extern "C" uint64_t device_base() {{ return 1ull << 40; }}
extern "C" uint32_t device_read(uint32_t) {{ return 0; }}
extern "C" void device_write(uint32_t, uint32_t) {{}}
"""


def packaged(name: str) -> Project:
    _, sizes, parameters = KERNELS[name]
    tiling = ls.Tiling(sizes) if sizes else None
    flows, options = ("vitis", "xrt"), WIDE.get(name, {})
    return ls.build(kernel_of(name), tiling, target="hls", parameters=parameters, flows=flows, **options)


def dispatch(header: str, name: str) -> str:
    """The kernel behind the stand-in, by the signature in its header."""
    found = re.search(rf"{name}_top\((.*)\);", header)
    assert found is not None
    kinds = [part.rpartition(" ")[0] + "*" * part.count("*") for part in re.split(", (?![^<]*>)", found[1])]
    given = [f"({kind})arguments[{k}]" if "*" in kind else f"*({kind} *)arguments[{k}]" for k, kind in enumerate(kinds)]
    return DISPATCH.format(name=name, declared=found[1], given=", ".join(given[:-2]))


def made(folder: Path, name: str) -> Path:
    """The host program with the kernel in it."""
    (folder / "dispatch.cpp").write_text(dispatch((folder / f"{name}.hpp").read_text(), name))
    flags = ["g++", "-std=c++17", "-O1", "-w", "-fwrapv", "-ffp-contract=off", "-Isim", f"-D{name}_top={name}_kernel"]
    subprocess.run([*flags, "-c", f"{name}.cpp", "-o", "kernel.o"], cwd=folder, check=True)
    libraries = f"XRT_LIBRARIES={folder / 'dispatch.cpp'} {folder / 'kernel.o'}"
    command = ["make", "-s", "-C", str(folder / "xrt"), "host", f"XILINX_XRT={STUBS / 'xrt'}", libraries]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return folder / "xrt" / f"{name}_host"


@pytest.mark.sweep
@pytest.mark.parametrize("name", KERNELS)
def test_the_host_program_agrees_with_the_original(name: str, tmp_path: Path) -> None:
    program = made(packaged(name).write(tmp_path / "out") / "hls", name)
    known = {**os.environ, "XCLBIN": "present.xclbin"}
    result = subprocess.run([str(program)], env=known, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.match(r"accelerator: 0 words differ; loaded [1-9]\d*, stored [1-9]\d*\n$", result.stdout)
    known["XCLBIN"] = "missing.xclbin"
    assert subprocess.run([str(program)], env=known, capture_output=True, check=False).returncode != 0
