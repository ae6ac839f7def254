"""Compiled code in a process of its own, under limits: when it crashes, runs on or takes all memory, only it ends.

Arrays lie in memory that both processes see, each in front of a page that nobody may touch: code that runs beyond the
end of an array crashes there instead of changing something else.
"""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import os
import resource
import select
import signal
from collections.abc import Callable
from typing import Any

from loadstone.errors import Diagnostic, RunFailed
from loadstone.processes import out_of_time, time_limit

_MEMORY_SHARE = 2
_FAILED = 1


def shared_array(kind: Any, length: int) -> ctypes.Array[Any]:
    """An array of some type of ctypes, at least of one element, that processes share which are forked from now on."""
    size = ctypes.sizeof(kind) * max(1, length)
    pages = -(-size // mmap.PAGESIZE)
    area = mmap.mmap(-1, (pages + 1) * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + pages * mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE), 0)
    return (kind * max(1, length)).from_buffer(area, pages * mmap.PAGESIZE - size)


def call_apart(call: Callable[[], object], what: str) -> None:
    """Make a call in a process of its own, of which only what it writes into shared arrays stays.

    Raises `RunFailed` where it crashes and `ToolError` where it takes too long; `what` says whose call it is.
    """
    seconds = time_limit()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(call, seconds)
    os.close(writing)
    try:
        ended, _, _ = select.select([reading], [], [], seconds)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        os.close(reading)
    if not ended:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if not ended:
        raise out_of_time(what, seconds)
    if status:
        raise RunFailed(Diagnostic(f"{what} crashed: {_reason(status)}", None, _HINT))


_HINT = "subscripts may leave their arrays, or a divisor may be 0: see the warnings of info, or give other parameters"


def _answer(call: Callable[[], object], seconds: float) -> None:
    """In the child: make the call and leave, without any of the parent's cleaning up; nothing is printed of a crash.

    An alarm ends it a little after its time, in case there is no parent any more.
    """
    status = _FAILED
    try:
        faulthandler.disable()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds + 1)
        _limit_memory()
        call()
        status = 0
    finally:
        os._exit(status)


def _limit_memory() -> None:
    """Let this process have part of the memory of the machine, and leave no dump when it crashes."""
    most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _MEMORY_SHARE
    for kind, value in ((resource.RLIMIT_DATA, most), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _reason(status: int) -> str:
    """What ended a process."""
    if status > 0:
        return f"it ended with status {status}"
    return (signal.strsignal(-status) or f"signal {-status}").lower()
