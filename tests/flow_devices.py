"""Folders of accelerators with their flows, and their hardware in Verilator as a device that software drives."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import loadstone as ls
from hdl_projects import VERILATOR
from kernels import ROOT
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.emit.project import Project
from loadstone.hardware.harness.bench import make_bench
from loadstone.hardware.harness.placement import far, placed, words_needed
from loadstone.model.kernel import Kernel
from loadstone.rtl import Simulation
from loadstone.rtl.programs.cache import kept
from loadstone.rtl.programs.verilator import versions

STUBS = Path(__file__).parent / "flows" / "stubs"
KERNELS = {
    "dma": ("examples/dma.c", (8,), {"n": 37}),
    "vector_sum": ("examples/vector_sum.c", (8,), {"n": 20}),
    "matmul": ("examples/matmul.c", (4, 4, 4), {"n": 7}),
    "conv2d": ("examples/accumulators/conv2d.c", None, {"h": 5, "w": 6}),
    "jacobi_2d": ("examples/polybench/jacobi-2d.c", None, {"tsteps": 2, "n": 7}),
    "histogram": ("examples/histogram.c", (16,), {"n": 50}),
    "product_bytes": ("examples/styles/product_bytes.c", (4, 8, 8), {"n": 5, "m": 13, "p": 7}),
}
"""The kernels that all flows are shown with: source, tile sizes, parameters."""
WIDE: dict[str, dict[str, Any]] = {"product_bytes": {"bus_width": 512, "unroll": (2, 4)}}
"""Hardware that moves whole beats, with lanes."""
HARDWARE = ("vivado", "quartus", "pynq", "xrt", "litex", "fusesoc")
OTHERS = [name for name in KERNELS if name != "vector_sum"]
"""The kernels beside the one that `make test` runs."""
FLAGS = (
    *("--cc", "--build", "--Mdir", "obj", "-CFLAGS", "-fPIC -O0", "--x-assign", "0", "--x-initial", "0", "-Wno-fatal"),
    *("-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"),
)
needs_simulator = pytest.mark.skipif(
    not Path(VERILATOR).is_file() or shutil.which("g++") is None or shutil.which("make") is None,
    reason="needs verilator, g++, make",
)


def kernel_of(name: str) -> Kernel:
    return ls.parse(ROOT / KERNELS[name][0])


@cache
def compiled(name: str) -> CircuitCompilation:
    """The compilation of a kernel into hardware."""
    _, sizes, parameters = KERNELS[name]
    tiling = ls.Tiling(sizes) if sizes else None
    options = {"bus": "axi", "address_width": 64, **WIDE.get(name, {})}
    return ls.accelerator(kernel_of(name), tiling, parameters=parameters, **options)


@cache
def packaged(name: str) -> Project:
    """The accelerator of a kernel with all flows for hardware."""
    return ls.build(compiled(name), target="verilog", flows=HARDWARE)


class InterpretedDevice:
    """The hardware of a compilation in our interpreter, as a device; its registers are on Avalon."""

    def __init__(self, circuit: CircuitCompilation) -> None:
        self.design = circuit.design
        words = words_needed(self.design, placed(self.design))
        self.simulation = Simulation(make_bench(self.design, "avalon", preset("paper"), words))
        self.words = self.simulation.memory("memory.words")
        self.base, self.size = far(self.design.bus), words * self.design.bus.bytes

    def write(self, offset: int, word: int) -> None:
        for name, value in (("address", offset // 4), ("writedata", word), ("byteenable", 15), ("write", 1)):
            self.simulation.set(f"s_{name}", value)
        self.simulation.step()
        self.simulation.set("s_write", 0)

    def read(self, offset: int) -> int:
        self.simulation.set("s_address", offset // 4)
        self.simulation.step()
        return self.simulation.get("s_readdata")

    def load(self, place: int, data: bytes) -> None:
        width = self.design.bus.bytes
        for at in range(0, len(data), width):
            self.words[(place + at) // width] = int.from_bytes(data[at : at + width], "little")

    def dump(self, place: int, size: int) -> bytes:
        width = self.design.bus.bytes
        words = self.words[place // width : -(-(place + size) // width)]
        return b"".join(word.to_bytes(width, "little") for word in words)[:size]


@dataclass(frozen=True, slots=True)
class Device:
    """A folder, and the library with its simulated hardware."""

    folder: Path
    library: Path


def device_of(project: Project, folder: Path) -> Device:
    """The hardware of a project, built as a library with `device_read`, `device_write` and `device_memory`."""
    place = project.write(folder) / "verilog"
    info = json.loads(project.files["hardware.json"])
    sources = [*_listed(place, "files.f"), *_listed(place, "tb/files.f")[:-1]]
    texts = {path: (place / path).read_text() for path in sources}
    texts |= {"device.cpp": _driver(project, info, place), "public.vlt": _public(place)}

    def build(scratch: Path) -> Path:
        for path, text in texts.items():
            (scratch / Path(path).name).write_text(text)
        top, names = f"{info['top']}_bench", [Path(path).name for path in sources]
        command = [VERILATOR, *FLAGS, "--top-module", top, "public.vlt", *names]
        subprocess.run(command, cwd=scratch, check=True, capture_output=True)
        _link(scratch, top)
        return scratch / "libdevice.so"

    key = [*versions(), *FLAGS, *texts, *texts.values()]
    return Device(place, kept("libdevice.so", key, build))


def _link(folder: Path, top: str) -> None:
    root = subprocess.run([VERILATOR, "--getenv", "VERILATOR_ROOT"], check=True, capture_output=True, text=True)
    include = f"{root.stdout.strip()}/include"
    archives = [f"obj/V{top}__ALL.a", "obj/libverilated.a"]
    command = ["g++", "-shared", "-fPIC", "-O0", "-std=c++17", f"-I{include}", f"-I{include}/vltstd", "-Iobj"]
    command += ["device.cpp", "-Wl,--whole-archive", *archives, "-Wl,--no-whole-archive", "-lpthread"]
    subprocess.run([*command, "-o", "libdevice.so"], cwd=folder, check=True, capture_output=True)


def _listed(folder: Path, path: str) -> list[str]:
    return (folder / path).read_text().split()


def _public(folder: Path) -> str:
    memory = next(path.stem for path in (folder / "tb").glob("memory_*.sv"))
    return f'`verilator_config\npublic_flat_rw -module "{memory}" -var "words"\n'


def _driver(project: Project, info: dict[str, dict[str, int]], folder: Path) -> str:
    bus, control = info["bus"], info["control"]
    words = len((folder / "data/memory.hex").read_text().split())
    width = bus["address_width"]
    known = {
        "TOP": f"{info['top']}_bench",
        "REGISTERS": (STUBS / f"{control['protocol']}_registers.cpp").read_text(),
        "BYTES": str(words * bus["data_width"] // 8),
        "BASE": str(1 << width - 1 if width > 32 else 0),
    }
    text = (STUBS / "device.cpp").read_text()
    for name, part in known.items():
        text = text.replace(f"@{name}@", part)
    return text
