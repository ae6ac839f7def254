"""A program: processes that exchange words through streams and memories, as all back ends print it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from loadstone.emit.c.code import (
    Cells,
    Counter,
    External,
    Function,
    Helper,
    Parameter,
    Pointer,
    Stream,
    Text,
    Value,
    c_declaration,
)
from loadstone.emit.c.names import Names
from loadstone.emit.c.printer import definitions, warnings_of_source
from loadstone.model.kernel import Kernel
from loadstone.model.types import BOOL

PROMISE = "Executes the kernel and counts the words that it moves."
_POINT = """\
/* The subscripts of an element. */
struct point {
  int @;
};
"""
TOTALS = (Pointer("loaded_words", "long"), Pointer("stored_words", "long"))
"""Where a top function says how many words were moved."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Parameters that a program refuses: the condition, and words on the sizes that it has."""

    refused: Text
    sizes: str


@dataclass(frozen=True, eq=False)
class Program:
    """The processes of a kernel, with all that they share.

    `way` says what it is: an accelerator or a network. `functions` are those that processes call, each after those that
    it calls itself. `sequential` does the work of all processes in one, where that is possible. `rank` is the number of
    coordinates of a `struct point`, `depth` the number of tiles in flight, where there are such things. `remark` is
    more that callers of the program must know.
    """

    kernel: Kernel
    names: Names
    way: str
    summary: str
    parameters: tuple[Value, ...]
    scalars: tuple[Value, ...]
    arrays: tuple[External, ...]
    cells: tuple[Cells, ...]
    streams: tuple[Stream, ...]
    counters: tuple[Counter, ...]
    functions: tuple[Function, ...]
    processes: tuple[Function, ...]
    sequential: Function | None = None
    limit: Limit | None = None
    remark: str = ""
    rank: int = 0
    depth: int = 0

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.kernel.name

    @property
    def given(self) -> tuple[Parameter, ...]:
        """What the program is given by its caller."""
        return (*self.parameters, *self.scalars, *self.arrays)

    @property
    def shared(self) -> tuple[Cells, ...]:
        """The local memories that processes share."""
        return tuple(cells for cells in self.cells if cells.owner is None)

    @cached_property
    def duplicated(self) -> tuple[External, ...]:
        """The arrays whose contents from before the kernel are in a memory of their own."""
        results = {external.array for external in self.arrays if not external.read}
        return tuple(external for external in self.arrays if external.read and external.array in results)

    @property
    def has_booleans(self) -> bool:
        """Whether the kernel names C's type of truth values."""
        return any(array.type == BOOL for array in self.kernel.arrays.values())

    def counted(self, kind: str, prefix: str = "") -> str:
        """The words that processes of a kind have moved, as a sum of counters whose names have a prefix."""
        return " + ".join(f"{prefix}{counter.name}" for counter in self.counters if counter.kind == kind) or "0"

    def promise(self, refusal: str, *more: str) -> list[str]:
        """What the top function does, as a comment; `refusal` is what it does with parameters beyond its limit."""
        limit = [f"{self.limit.sizes} {refusal}."] if self.limit else []
        return ["/* " + "\n   ".join([PROMISE, *limit, *([self.remark] if self.remark else []), *more]) + " */"]

    def signature(self, result: str, name: str) -> str:
        """The declaration of a top function."""
        return f"{result} {self.name}_{name}({', '.join(map(c_declaration, (*self.given, *TOTALS)))})"

    def unused(self, taken: Sequence[Parameter]) -> list[str]:
        """Lines that tell a compiler which arguments of the top function nothing takes."""
        names = {parameter.name for parameter in taken}
        known = names | self.limit.refused.uses if self.limit else names
        return [f"(void){p.name};" for p in self.given if p.name not in known]

    def beginning(self) -> list[str]:
        """What stands before the functions: constants, helpers and types."""
        members = ", ".join(f"x{k}" for k in range(self.rank))
        every = (*self.functions, *self.processes, *([self.sequential] if self.sequential else []))
        helpers = {use for function in every for use in function.uses if isinstance(use, Helper)}
        return [
            *([f"enum {{ DEPTH = {self.depth} }}; /* tiles in flight */", ""] if self.depth else []),
            *warnings_of_source(self.kernel),
            *definitions(helpers),
            *(_POINT.replace("@", members).split("\n") if self.rank else []),
        ]


def called(functions: Iterable[Function], roots: Sequence[Function]) -> tuple[Function, ...]:
    """Those functions that others, or the roots, call."""
    found = tuple(functions)
    names = frozenset[object]().union(*(function.uses for function in (*found, *roots)))
    return tuple(function for function in found if function.name in names)
