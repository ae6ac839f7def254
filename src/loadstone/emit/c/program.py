"""A program: processes that exchange words through streams and memories, as all back ends print it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from loadstone.emit.c import code
from loadstone.emit.c.external.structures import own_structure, record_definitions
from loadstone.emit.c.names import RESERVED, Names
from loadstone.emit.c.printer import definitions, emit_expression, helpers_in, warnings_of_source, written
from loadstone.model.expression import Expression, unary
from loadstone.model.from_isl import condition_of
from loadstone.model.kernel import Kernel
from loadstone.model.types import BOOL

PROMISE = "Executes the kernel and counts the words moved."
_POINT = """\
/* The subscripts of an element. */
~ {
  int @;
};
"""
TOTALS = (code.Pointer("loaded_words", "long"), code.Pointer("stored_words", "long"))
"""The results of a top function: words moved."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of a program: the condition for refusal, and its sizes in words."""

    refused: code.Text
    sizes: str


def with_assumptions(limit: Limit | None, kernel: Kernel, names: Names) -> Limit | None:
    """The limit of a program whose kernel rests on assumptions."""
    broken = [written(names.counted(unary("!", condition_of(each.condition)))) for each in kernel.assumptions]
    if not broken:
        return limit
    texts = ", ".join(emit_expression(condition_of(each.condition)) for each in kernel.assumptions)
    sizes = f"Assumes {texts}" + (
        f". {limit.sizes.removesuffix(',')} and without assumptions," if limit else "; otherwise,"
    )
    return Limit(code.listed([*([limit.refused] if limit else []), *broken], " || "), sizes)


@dataclass(frozen=True, eq=False)
class Program:
    """The processes of a kernel, and the objects they share.

    `way` says what it is: an accelerator or a network. `functions` are the callees of processes, in order of
    definition. `sequential` runs all processes in one, if possible. `rank` is the number of coordinates of a `struct
    point`, `depth` the number of tiles in flight; 0 if there are none. `remark` is a note to callers.
    """

    kernel: Kernel
    names: Names
    way: str
    summary: str
    parameters: tuple[code.Value, ...]
    scalars: tuple[code.Value, ...]
    arrays: tuple[code.External, ...]
    cells: tuple[code.Cells, ...]
    streams: tuple[code.Stream, ...]
    counters: tuple[code.Counter, ...]
    functions: tuple[code.Function, ...]
    processes: tuple[code.Function, ...]
    sequential: code.Function | None = None
    limit: Limit | None = None
    remark: str = ""
    rank: int = 0
    depth: int = 0

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.kernel.name

    @property
    def definitions(self) -> list[str]:
        """The lines that define the types of arguments."""
        return record_definitions(self.kernel, RESERVED) if any(a.record for a in self.kernel.arrays.values()) else []

    @property
    def point(self) -> str:
        """The type of the subscripts of an element."""
        return own_structure(self.kernel, "point")

    @property
    def given(self) -> tuple[code.Parameter, ...]:
        """The arguments from the caller."""
        return (*self.parameters, *self.scalars, *self.arrays)

    @property
    def shared(self) -> tuple[code.Cells, ...]:
        """The local memories that processes share."""
        return tuple(cells for cells in self.cells if cells.owner is None)

    @cached_property
    def duplicated(self) -> tuple[code.External, ...]:
        """The arrays whose contents from before the kernel are in a memory of their own."""
        results = {array for external in self.arrays if not external.read for array in external.arrays}
        return tuple(external for external in self.arrays if external.read and results.intersection(external.arrays))

    @cached_property
    def origins(self) -> dict[str, str]:
        """The statement of the kernel that a line of the program executes, by the line without indentation."""
        return dict(line for function in (*self.functions, *self.processes) for line in code.origins(function.body))

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
        return f"{result} {self.name}_{name}({', '.join(map(code.c_declaration, (*self.given, *TOTALS)))})"

    def unused(self, taken: Sequence[code.Parameter]) -> list[str]:
        """Lines against warnings of unused arguments of the top function."""
        names = {parameter.name for parameter in taken}
        known = names | self.limit.refused.uses if self.limit else names
        return [f"(void){p.name};" for p in self.given if p.name not in known]

    def beginning(self, sizes: Iterable[Expression] = ()) -> list[str]:
        """What stands before the functions: constants, helpers, also those of sizes beside functions, and types."""
        members = ", ".join(f"x{k}" for k in range(self.rank))
        every = (*self.functions, *self.processes, *([self.sequential] if self.sequential else []))
        uses = frozenset[object]().union(
            *(function.uses for function in every), self.limit.refused.uses if self.limit else ()
        )
        helpers = helpers_in(sizes).union(use for use in uses if isinstance(use, code.Helper))
        return [
            *([f"enum {{ DEPTH = {self.depth} }}; /* tiles in flight */", ""] if self.depth else []),
            *warnings_of_source(self.kernel),
            *definitions(helpers),
            *(_POINT.replace("@", members).replace("~", self.point).split("\n") if self.rank else []),
        ]


def called(functions: Iterable[code.Function], roots: Sequence[code.Function]) -> tuple[code.Function, ...]:
    """The functions with a caller among them or the roots."""
    found = tuple(functions)
    names = frozenset[object]().union(*(function.uses for function in (*found, *roots)))
    return tuple(function for function in found if function.name in names)
