"""Processor time and peak memory of a program, in a process of its own."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

Figures = tuple[float, float]
"""Seconds of processor time, and the most memory in MB."""

GRACE = 5
"""Seconds in which a program may react to its limit."""


def loadstone(*words: str) -> list[str]:
    """The command line of Loadstone with some words."""
    return [sys.executable, "-m", "loadstone", *words]


def compiled_into(folder: Path) -> dict[str, str]:
    """The environment in which compiled modules are kept in a folder, as once installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder)}


def used_by(command: Sequence[str], limit: int, environment: Mapping[str, str]) -> Figures | str:
    """Figures of a program, or why there are none; it is stopped behind a limit of processor time."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, env=environment)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit + GRACE))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read().decode(errors="replace")
    if process.returncode:
        return next((line.partition("error: ")[2] for line in said.splitlines() if "error: " in line), "failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
