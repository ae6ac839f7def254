"""Work that takes long, shown while it lasts: on standard error, and only where that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event, Lock, Thread

DELAY = 0.5
"""Seconds until work is shown."""
_WORTH_TELLING = 1.0
_ERASE = "\r\x1b[K"
_shown = Lock()
"""Held by the work on the terminal; what it consists of is not shown by itself."""


@contextmanager
def working(what: str) -> Generator[Callable[[str], None]]:
    """Show what is being done and for how many seconds, and how long it took where that was a second or more.

    Gives a function that tells how far it is.
    """
    told = [""]

    def tell(text: str) -> None:
        told[0] = f", {text}"

    if not sys.stderr.isatty() or not _shown.acquire(blocking=False):
        yield tell
        return
    begun, ended = time.monotonic(), Event()
    clock = Thread(target=_tick, args=(what, told, begun, ended), daemon=True)
    clock.start()
    try:
        yield tell
    finally:
        ended.set()
        clock.join()
        _shown.release()
        _tell(what, time.monotonic() - begun)


def _tick(what: str, told: list[str], begun: float, ended: Event) -> None:
    while not ended.wait(DELAY):
        _write(f"{_ERASE}{what}{told[0]}: {time.monotonic() - begun:.0f} s")


def _tell(what: str, seconds: float) -> None:
    if seconds >= DELAY:
        _write(_ERASE)
    if seconds >= _WORTH_TELLING:
        _write(f"{what}: {seconds:.1f} s\n")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
