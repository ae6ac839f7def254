"""The bytes of arguments in C, as expressions of parameters."""

from __future__ import annotations

from collections.abc import Iterable

from loadstone.emit.c.code import External
from loadstone.emit.c.names import Names
from loadstone.emit.c.printer import emit_expression
from loadstone.emit.c.program import Program
from loadstone.model.expression import Expression


def size_of(program: Program, external: External) -> str:
    """The bytes of an argument of a program, in whole beats."""
    size = bytes_of(external.type, external.extents[0], program.names)
    beat = f"sizeof({external.word})"
    return size if external.beat == 1 else f"({size} + {beat} - 1) / {beat} * {beat}"


def bytes_of(item: str, extents: Iterable[Expression], names: Names) -> str:
    """The bytes of an array with items of a type."""
    counts = (f"(size_t)({emit_expression(names.counted(each))})" for each in extents)
    return " * ".join((f"sizeof({item})", *counts))
