"""A limit on the processor time of a command.

While isl computes, no handler of a signal and no other thread of Python runs. So the command runs in a process of its
own, which the system ends when its time is up; the one that waits for it says so.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from loadstone.errors import Diagnostic, UnsupportedError

DEFAULT_SECONDS = 300


def within_time(run: Callable[[], int], seconds: int) -> int:
    """The exit status of a command; raises `UnsupportedError` where it takes more seconds of processor time.

    The command's own process ends with its status, and leaves what isl and Python hold to the system: to free it one
    by one takes as long as a small kernel. Where processes cannot be forked, the command runs here without a limit.
    """
    if not hasattr(os, "fork"):
        return run()
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        _end(run())

    def stop(*_: object) -> None:
        os.kill(child, signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == -signal.SIGPROF:
        hint = "allow more with --time, or simplify bounds, subscripts and tiling"
        raise UnsupportedError(Diagnostic(f"more than {seconds} seconds of processor time", None, hint))
    return status if status >= 0 else 128 - status


def _end(status: int) -> NoReturn:
    """End this process with what was printed."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
