"""Programs of others, run under a limit of time; when it is over, they and all that they started are stopped."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple, TypeVar

from loadstone.errors import Diagnostic, ToolError, refused

T = TypeVar("T")
VARIABLE = "LOADSTONE_TIME_LIMIT"
"""The environment variable for the seconds that each program may take."""
_SECONDS = 1800.0
_PATIENCE = 0.05
_started: ContextVar[set[subprocess.Popen[str]] | None] = ContextVar("started", default=None)
"""Where the programs are noted that calls side by side have started."""


class Finished(NamedTuple):
    """How a program ended, and what it printed."""

    status: int
    output: str
    errors: str


def time_limit() -> float:
    """The seconds that a program may take."""
    text = os.environ.get(VARIABLE, "")
    try:
        seconds = float(text) if text else _SECONDS
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise refused(f"{VARIABLE} is '{text}'", None, "it is a number of seconds, greater than 0")
    return seconds


def out_of_time(what: str, seconds: float) -> ToolError:
    """The error that something took too long."""
    hint = f"allow more with {VARIABLE}=SECONDS, or give smaller parameters"
    return ToolError(Diagnostic(f"{what} did not end within {seconds:g} s", None, hint))


def run_command(command: Sequence[str], folder: Path, settings: Mapping[str, str] | None = None) -> Finished:
    """How a program ends that is run in a folder, with settings of its environment; raises `ToolError` out of time."""
    seconds = time_limit()
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **(settings or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        if (started := _started.get()) is not None:
            started.add(process)
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise out_of_time(Path(command[0]).name, seconds) from None
        finally:
            _stop_all(process)
    return Finished(process.returncode, output, errors)


def _stop_all(process: subprocess.Popen[str]) -> None:
    """Stop the program, unless it has ended, with everything that it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def side_by_side(calls: Sequence[Callable[[], T]]) -> list[T]:
    """The results of calls that wait for programs, made at the same time; when one fails, all programs are stopped."""
    started: set[subprocess.Popen[str]] = set()

    def noted(call: Callable[[], T]) -> T:
        _started.set(started)
        return call()

    with ThreadPoolExecutor(max(1, len(calls))) as pool:
        waiting = [pool.submit(noted, call) for call in calls]
        try:
            return [each.result() for each in waiting]
        except BaseException:
            while wait(waiting, _PATIENCE).not_done:
                for process in tuple(started):
                    _stop_all(process)
            raise
