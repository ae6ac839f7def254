"""The references of a kernel: where its source reads or writes an array [Devos, Definition 1]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loadstone.emit.c.printer import emit_expression
from loadstone.errors import Span
from loadstone.model.expression import Operand, walk
from loadstone.model.kernel import Access, Kernel, Statement

WRITE = -1
"""The operand position of a write."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A read (by its operand position) or the write of a statement; `text` is how it looks, `B[i + j]`."""

    statement: str
    position: int
    array: str
    text: str
    span: Span | None

    @property
    def is_write(self) -> bool:
        """Whether it is the write of its statement."""
        return self.position == WRITE


def references_of(kernel: Kernel, *, scalars: bool = False) -> tuple[Reference, ...]:
    """The references of all statements, reads in operand order and then the write; arrays alone unless `scalars`."""
    found = (reference for statement in kernel.statements for reference in _of_statement(statement))
    return tuple(r for r in found if scalars or kernel.arrays[r.array].rank > 0)


def accesses_of(statement: Statement) -> Iterator[tuple[int, Access]]:
    """The accesses of a statement with their operand positions."""
    yield from enumerate(statement.reads)
    yield WRITE, statement.write


def evaluated(statement: Statement) -> tuple[int, ...]:
    """The operand positions in the order in which an instance evaluates them, where no value decides on that."""
    needed = (part.position for part in walk(statement.value) if isinstance(part, Operand))
    return (*dict.fromkeys(needed), WRITE)


def access_of(kernel: Kernel, reference: Reference) -> Access:
    """The access that a reference stands for."""
    statement = kernel.statement(reference.statement)
    return statement.write if reference.is_write else statement.reads[reference.position]


def _of_statement(statement: Statement) -> Iterator[Reference]:
    operands: list[str] = []
    for position, access in accesses_of(statement):
        text = access.array + "".join(f"[{emit_expression(each, operands)}]" for each in access.subscripts)
        operands.append(text)
        yield Reference(statement.name, position, access.array, text, access.span)
