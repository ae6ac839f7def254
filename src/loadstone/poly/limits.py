"""Bounds on computations that may blow up."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

import islpy as isl

from loadstone.errors import Diagnostic, UnsupportedError

T = TypeVar("T")
DEFAULT_LIMIT = 40_000_000


class LimitReached(Exception):
    """An isl computation needed more operations than allowed."""


@contextmanager
def operation_limit(operations: int = DEFAULT_LIMIT) -> Generator[None]:
    """Let the isl computations inside take at most this many operations together; raises `LimitReached`.

    Limits nest: the inner one holds inside, and what it used does not count outside. Behind the limit isl refuses even
    to copy, so that the first failure may be of any kind ("failed to copy arg self", a text that is None): whatever is
    raised then, is raised because of the limit. Afterwards isl computes again.
    """
    context = isl.DEFAULT_CONTEXT
    outer = context.get_max_operations()
    context.reset_operations()
    context.set_max_operations(operations)
    try:
        yield
    except LimitReached:
        raise
    except Exception as error:
        if _is_exhausted():
            raise LimitReached(f"more than {operations} isl operations") from error
        raise
    finally:
        context.set_max_operations(outer)
        context.reset_operations()


def _is_exhausted() -> bool:
    """Whether the limit is reached: then isl does nothing any more."""
    try:
        isl.BasicSet("{ [i] : i >= 0 }")
    except isl.Error:
        return True
    return False


def within_limit(what: str, limit: int | None, compute: Callable[[], T]) -> T:
    """The result of a computation, or an error when it needs too many operations."""
    try:
        with operation_limit(limit or DEFAULT_LIMIT):
            return compute()
    except LimitReached as reached:
        hint = "allow more with --limit, or simplify bounds and subscripts"
        raise UnsupportedError(Diagnostic(f"{what} cannot be decided: {reached}", None, hint)) from None
