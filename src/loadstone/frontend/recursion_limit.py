"""Room for trees that are deeper than Python's default limit on recursion allows."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager

MAX_NESTING = 200
_RECURSION = 10_000


@contextmanager
def deep_recursion() -> Generator[None]:
    """Let functions call each other more deeply inside."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(max(usual, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)
