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

    Limits nest: the inner one holds inside, and what it used does not count outside, where the count goes on from what
    it was. Behind the limit isl refuses even
    to copy, so that the first failure may be of any kind ("failed to copy arg self", a text that is None): whatever is
    raised then, is raised because of the limit. Afterwards isl computes again.
    """
    context = isl.DEFAULT_CONTEXT
    left = _operations_left()
    context.reset_operations()
    context.set_max_operations(operations)
    try:
        yield
    except LimitReached:
        raise
    except Exception as error:
        if is_exhausted():
            raise LimitReached(f"more than {operations} isl operations") from error
        raise
    finally:
        context.set_max_operations(left)
        context.reset_operations()


def _operations_left() -> int:
    """How many operations the limit in force still allows, at least one; 0 where there is no limit.

    isl does not tell what it has counted, but from which limit on it refuses: that is found by bisection.
    """
    context = isl.DEFAULT_CONTEXT
    limit = context.get_max_operations()
    least, most = 0, limit
    while least < most:
        middle = (least + most + 1) // 2
        context.set_max_operations(middle)
        if is_exhausted():
            least = middle
        else:
            most = middle - 1
    return max(1, limit - least) if limit else 0


def is_exhausted() -> bool:
    """Whether the limit is reached: then isl does nothing any more, not even the one operation that this takes."""
    try:
        isl.Space.params_alloc(isl.DEFAULT_CONTEXT, 0)
    except isl.Error:
        return True
    return False


def if_affordable(compute: Callable[[], T], operations: int = DEFAULT_LIMIT) -> T | None:
    """The result of a computation; None where it needs too many operations."""
    try:
        with operation_limit(operations):
            return compute()
    except LimitReached:
        return None


def within_limit(what: str, limit: int | None, compute: Callable[[], T]) -> T:
    """The result of a computation, or an error when it needs too many operations."""
    try:
        with operation_limit(limit or DEFAULT_LIMIT):
            return compute()
    except LimitReached as reached:
        hint = "allow more with --limit, or simplify bounds and subscripts"
        raise UnsupportedError(Diagnostic(f"{what} cannot be decided: {reached}", None, hint)) from None
