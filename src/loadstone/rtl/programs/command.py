"""External programs: where they are, and how they are run."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from loadstone.errors import Diagnostic, ToolError
from loadstone.processes import run_command


def find_program(name: str, install: str) -> str:
    """The path of a program of the running environment or of the search path; `install` says how to get it."""
    here = Path(sys.executable).parent / name
    found = str(here) if here.is_file() else shutil.which(name)
    if found is None:
        raise ToolError(Diagnostic(f"{name} was not found", None, install))
    return found


def find_either(names: Sequence[str], install: str) -> str:
    """The path of the first of several programs that is there."""
    for name in names[:-1]:
        with suppress(ToolError):
            return find_program(name, install)
    return find_program(names[-1], install)


def run_program(command: Sequence[str], folder: Path, settings: Mapping[str, str] | None = None) -> str:
    """What a program prints, on both outputs; its failure is an error that carries it."""
    result = run_command(command, folder, settings)
    printed = (result.output + result.errors).strip()
    if result.status:
        raise ToolError(Diagnostic(f"{Path(command[0]).name} failed\n{printed}"))
    return printed


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Writes texts by name."""
    for name, text in files.items():
        (folder / name).write_text(text)
