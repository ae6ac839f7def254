"""Computations that may crash: barvinok does not survive an operation limit that is reached inside of it."""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
from collections.abc import Callable
from dataclasses import dataclass

from loadstone.poly.limits import LimitReached, operation_limit

_DONE, _LIMIT = 0, 3


@dataclass(frozen=True, slots=True)
class Isolated:
    """A computation that runs in a process of its own; `pipe` can be read when its text is there, or when it crashed.

    It leads a group of processes, so that what it started itself ends with it.
    """

    process: int
    pipe: int
    operations: int
    seconds: int | None

    def text(self) -> str:
        """The text that it returns; raises `LimitReached` where it reached one of its limits, or crashed."""
        with os.fdopen(self.pipe, "rb") as pipe:
            text = pipe.read().decode()
        _, status = os.waitpid(self.process, 0)
        ended = os.waitstatus_to_exitcode(status)
        if ended == -signal.SIGPROF:
            raise LimitReached(f"more than {self.seconds} seconds of processor time")
        if ended != _DONE:
            raise LimitReached(f"more than {self.operations} isl operations")
        return text

    def stop(self) -> None:
        """End it, whatever it is at."""
        os.killpg(self.process, signal.SIGKILL)
        os.close(self.pipe)
        os.waitpid(self.process, 0)


def isolated(
    compute: Callable[[], str], operations: int, seconds: int | None = None, megabytes: int | None = None
) -> str:
    """The text that a computation returns, run under an operation limit in a process of its own.

    Raises `LimitReached` when the limit is reached, and when the process crashes, which then is the reason. `seconds`
    of processor time, and megabytes beside those in use, are a last resort against what isl does not count as
    operations. Where processes cannot be forked, the computation runs here.
    """
    if not hasattr(os, "fork"):
        with operation_limit(operations):
            return compute()
    return _forked(compute, operations, seconds, megabytes, alone=False).text()


def started(compute: Callable[[], str], operations: int, seconds: int | None = None) -> Isolated:
    """The computation of `isolated`, begun beside others."""
    return _forked(compute, operations, seconds, None, alone=True)


def _forked(
    compute: Callable[[], str], operations: int, seconds: int | None, megabytes: int | None, *, alone: bool
) -> Isolated:
    """The computation in a new process, which leads a group of its own if it is `alone`."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        if alone:
            os.setpgid(0, 0)
        if megabytes is not None:
            _limit_memory(megabytes)
        _answer(compute, operations, seconds, writing)
    if alone:
        _lead_group(child)
    os.close(writing)
    return Isolated(child, reading, operations, seconds)


def _lead_group(child: int) -> None:
    """Make a child the leader of its group, unless it has done so, or has ended already."""
    try:
        os.setpgid(child, child)
    except OSError:
        return


def _limit_memory(megabytes: int) -> None:
    """Let this process take so much memory beside what it holds."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + megabytes * 1024 * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _answer(compute: Callable[[], str], operations: int, seconds: int | None, writing: int) -> None:
    """In the child: write the result and leave, without any of the parent's cleaning up; a crash is not reported.

    What islpy prints about a limit that is reached inside of a callback would be in the way of the parent's output.
    """
    status = _LIMIT
    faulthandler.disable()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    if seconds is not None:
        signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with operation_limit(operations):
            text = compute()
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(text.encode())
        status = _DONE
    finally:
        os._exit(status)
