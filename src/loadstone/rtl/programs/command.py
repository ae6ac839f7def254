"""External programs: where they are, how they are run, and where what they build is kept."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from loadstone.errors import Diagnostic, ToolError


def find_program(name: str, install: str) -> str:
    """The path of a program of the running environment or of the search path; `install` says how to get it."""
    here = Path(sys.executable).parent / name
    found = str(here) if here.is_file() else shutil.which(name)
    if found is None:
        raise ToolError(Diagnostic(f"{name} was not found", None, install))
    return found


def run_program(command: Sequence[str], folder: Path, settings: Mapping[str, str] | None = None) -> str:
    """What a program prints, on both outputs; its failure is an error that carries it."""
    result = subprocess.run(
        command, cwd=folder, env={**os.environ, **(settings or {})}, capture_output=True, text=True, check=False
    )
    printed = (result.stdout + result.stderr).strip()
    if result.returncode:
        raise ToolError(Diagnostic(f"{Path(command[0]).name} failed\n{printed}"))
    return printed


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Writes texts by name."""
    for name, text in files.items():
        (folder / name).write_text(text)


def cache_folder(*contents: str) -> Path:
    """The folder for what is built from some texts; it need not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    digest = hashlib.sha256("\0".join(contents).encode()).hexdigest()[:32]
    return Path(base) / "loadstone" / "rtl" / digest
