"""Computations that may crash: barvinok does not survive an operation limit that is reached inside of it."""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Callable

from loadstone.poly.limits import LimitReached, operation_limit

_DONE, _LIMIT = 0, 3


def isolated(compute: Callable[[], str], operations: int, seconds: int | None = None) -> str:
    """The text that a computation returns, run under an operation limit in a process of its own.

    Raises `LimitReached` when the limit is reached, and when the process crashes, which then is the reason. `seconds`
    of processor time are a last resort against what isl does not count as operations. Where processes cannot be
    forked, the computation runs here.
    """
    if not hasattr(os, "fork"):
        with operation_limit(operations):
            return compute()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _answer(compute, operations, seconds, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) != _DONE:
        raise LimitReached(f"more than {operations} isl operations")
    return text


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
