"""A real DDR3 controller, LiteDRAM, with its model of a memory, run in Verilator behind a master.

It is slow to build and to run, and serves to compare: with our memories, and of our masters with a slave of others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

from loadstone.bus.axi import axi_channels, axi_ports
from loadstone.bus.ports import Bus, attach, declare_ports, declare_wires
from loadstone.rtl import External, Module, unsigned
from loadstone.rtl.programs import verilator
from loadstone.rtl.programs.cache import kept
from loadstone.rtl.programs.command import find_program, run_program, write_files

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
_CONTROL = {"adr": 30, "bte": 2, "cti": 3, "cyc": 1, "dat_w": 32, "sel": 4, "stb": 1, "we": 1}
"""Inputs for its registers, which keep the values that they have after reset."""

RESET_CYCLES = 1
"""So many cycles it is in reset after the start."""


@cache
def make_litedram() -> Module:
    """The controller and its memory, a slave of `BUS`."""
    m = Module("litedram", "A controller for DDR3, with a model of the memory.")
    ports = axi_ports(axi_channels(BUS))
    signals = declare_ports(m, ports, "slave")
    asked = {f"{_PORT}{port.name}": signals[port.name] for port in ports if port.driver == "master"}
    core = m.instance("core", _core(), {**asked, **dict.fromkeys(_idle_inputs(), 0)})
    for port in ports:
        if port.driver == "slave":
            m.assign(signals[port.name], core[f"{_PORT}{port.name}"])
    return m


def _core() -> External:
    """What `litedram_gen` made."""
    core = External(_CORE, litedram_verilog())
    declare_ports(core, axi_ports(axi_channels(BUS)), "slave", _PORT)
    for name, width in _idle_inputs().items():
        core.input(name, unsigned(width))
    return core


def _idle_inputs() -> dict[str, int]:
    """The inputs that are always 0, with their widths."""
    control = {f"wb_ctrl_{name}": width for name, width in _CONTROL.items()}
    return {"sim_trace": 1, **control, f"{_PORT}arid": 1, f"{_PORT}awid": 1}


def run(master: Module, inputs: Mapping[str, int], *, done: str, limit: int) -> dict[str, int]:
    """The outputs of a master of `BUS` when its output `done` is set or the limit is reached."""
    m = Module(f"{master.name}_on_litedram")
    ports = axi_ports(axi_channels(BUS))
    wires = declare_wires(m, ports)
    own = {port.name: m.input(port.name, port.bits) for port in master.of_kind("input") if port.name not in wires}
    instance = attach(m, "master", master, wires, own)
    attach(m, "slave", make_litedram(), wires, {})
    known = {port.name for port in master.of_kind("output")}
    for port in ports:
        if port.driver == "master" and port.name not in known:
            m.assign(wires[port.name], 0)
    for name in known - set(wires):
        m.output(name, instance[name])
    result = verilator.run(m, after_reset(inputs), done=done, limit=limit)
    return result.outputs


def after_reset(inputs: Mapping[str, int]) -> list[dict[str, int]]:
    """Inputs that stay, with a reset until the controller takes requests."""
    return [{**inputs, "rst": int(cycle < RESET_CYCLES)} for cycle in range(RESET_CYCLES + 1)]


def litedram_verilog() -> str:
    """The controller and its memory as Verilog, made by `litedram_gen` unless that was done before."""
    program = find_program("litedram_gen", _INSTALL)
    settings = json.dumps(_SETTINGS, indent=1)

    def build(folder: Path) -> Path:
        write_files(folder, {"settings.yml": settings})
        run_program([program, "settings.yml", "--sim", "--name", _CORE], folder)
        return folder / "build" / "gateware" / f"{_CORE}.v"

    return kept(f"{_CORE}.v", ["litedram", *_versions(), settings], build).read_text()


def _versions() -> list[str]:
    """The versions of what generates the controller; empty where it is no installed package."""
    with suppress(metadata.PackageNotFoundError):
        return [metadata.version(name) for name in ("litedram", "litex", "migen")]
    return []
