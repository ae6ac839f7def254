"""What a kernel lacks to be executed: definitions of functions, ends of loops."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.errors import InputError, refused
from loadstone.model.expression import Call, walk
from loadstone.model.functions import APPROXIMATE, SIGNATURES, generic
from loadstone.model.kernel import Kernel


def calls(kernel: Kernel) -> Iterator[Call]:
    """The calls of functions."""
    for statement in kernel.statements:
        accesses = (*statement.reads, statement.write)
        subscripts = (subscript for access in accesses for subscript in access.subscripts)
        for expression in (statement.value, *((statement.condition,) if statement.condition else ()), *subscripts):
            yield from (part for part in walk(expression) if isinstance(part, Call))


def approximate_functions(kernel: Kernel) -> tuple[str, ...]:
    """The functions that a kernel calls whose last bits are open, by name."""
    called = {call.function for call in calls(kernel)} & SIGNATURES.keys()
    return tuple(sorted(name for name in called if generic(name) in APPROXIMATE))


def undefined_calls(kernel: Kernel) -> Iterator[Call]:
    """The calls of functions without definition."""
    return (call for call in calls(kernel) if call.function not in SIGNATURES)


def check_executable(kernel: Kernel) -> None:
    """Raise `InputError` where a kernel calls a function without definition, or has a loop whose end is open."""
    if kernel.open_ends:
        raise InputError(*kernel.open_ends)
    call = next(undefined_calls(kernel), None)
    if call is not None:
        hint = "give the file that defines it with --link FILE.c"
        raise refused(f"'{call.function}' is known only by its declaration", call.span, hint)
