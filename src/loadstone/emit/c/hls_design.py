"""What the HLS back ends share: sizes of local memory, and processes that a compiler must not reorder.

An HLS compiler may move accesses that it thinks are unrelated, and to it a token and the memory that the token speaks
of are unrelated. So fences stand around the work on each tile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from loadstone.emit.c.accelerator import helpers, point_type, top_parameters
from loadstone.emit.c.functions import Function, Parameter
from loadstone.emit.c.printer import INDENT, emit_expression, warnings_of_source
from loadstone.emit.c.processes import Processes
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.loops.accelerator import Accelerator
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Binary, Constant, Expression, Variable, integer, walk
from loadstone.model.kernel import Array
from loadstone.model.types import BOOL, INT

WORDS_IN_QUEUE = 512
"""How many loaded words may wait for the compute process, for each array that is loaded through a queue."""

_WORK = re.compile(r"\b(load_tile|load_early|load_late|take_tile|compute_tile|store_tile)\(")


@dataclass(frozen=True, eq=False)
class Design:
    """An accelerator whose local memory has fixed sizes: those for `parameters`, which are upper bounds then."""

    processes: Processes
    parameters: Mapping[str, int] | None

    @property
    def accelerator(self) -> Accelerator:
        """The accelerator."""
        return self.processes.accelerator

    @property
    def top(self) -> tuple[Parameter, ...]:
        """What the top function is given."""
        return (*top_parameters(self.processes), *self.processes.counters)

    def cells(self) -> dict[str, int]:
        """The number of cells of each local buffer."""
        names = self.processes.names
        return {
            f"{names[name]}_local": buffer.copies * max(1, buffer.cells(self.parameters or {}))
            for name, buffer in self.accelerator.buffers.items()
        }

    def local_declaration(self, local: Parameter) -> str:
        """The declaration of a local buffer."""
        return f"{local.declaration.removesuffix('*@')}{local.name}[{self.cells()[local.name]}];"

    @property
    def shared(self) -> tuple[Parameter, ...]:
        """The local buffers that two processes see."""
        outside = (*self.processes.load.parameters, *self.processes.store.parameters)
        return tuple(local for local in self.processes.locals if local in outside)

    @property
    def private(self) -> tuple[Parameter, ...]:
        """The local buffers of the compute process alone."""
        return tuple(local for local in self.processes.locals if local not in self.shared)

    @property
    def queues(self) -> tuple[tuple[Parameter, int], ...]:
        """The queues that processes use, with their depths."""
        used = {p for f in (self.processes.load, self.processes.compute, self.processes.store) for p in f.parameters}
        tokens = [(token, self.accelerator.depth) for token in self.processes.tokens if token in used]
        return (*tokens, *((queue, WORDS_IN_QUEUE) for queue in self.processes.queues))

    def functions(self, fence: Callable[[Sequence[str]], str]) -> list[Function]:
        """The functions of the program; `fence` keeps accesses to things of given names in order."""
        return [self._ordered(f, fence) if self._is_process(f) else f for f in self.processes.functions()]

    def _is_process(self, function: Function) -> bool:
        return function.name in ("load", "compute", "store")

    def _ordered(self, process: Function, fence: Callable[[Sequence[str]], str]) -> Function:
        """The process with fences around its work, and with its private buffers."""
        visible = (*self.processes.memories, *self.shared, *self.processes.queues, *self.processes.tokens)
        line = fence([p.name for p in process.parameters if p in visible])
        private = [p for p in self.private if p in process.parameters]
        return replace(
            process,
            offer=tuple(p for p in process.offer if p not in private),
            body=(*(f"LOCAL {self.local_declaration(p)}" for p in private), *_surrounded(process.body, line)),
        )

    def beginning(self, includes: Sequence[str]) -> list[str]:
        """The first lines of the program, to the type of a position in a scan."""
        accelerator = self.accelerator
        return [
            *includes,
            "",
            "/* Tiles in flight, and words in a queue. */",
            f"enum {{ DEPTH = {accelerator.depth}, WORDS = {WORDS_IN_QUEUE} }};",
            *(["typedef bool _Bool;"] if any(a.type == BOOL for a in accelerator.kernel.arrays.values()) else []),
            "",
            *warnings_of_source(accelerator.kernel),
            *helpers(accelerator),
            *point_type(accelerator, "struct "),
        ]

    def guard(self) -> list[str]:
        """Lines that return from the top function where the parameters need more local memory than there is."""
        exceeded = [
            self._counted(Binary(">", part.size, integer(size), INT))
            for buffer in self.accelerator.buffers.values()
            for part, size in zip(buffer.components, buffer.shape(self.parameters or {}), strict=True)
            if not isinstance(part.size, Constant)
        ]
        if not exceeded:
            return []
        body = ["*loaded_words = -1;", "*stored_words = 0;", "return;"]
        return [f"if ({' || '.join(dict.fromkeys(exceeded))}) {{", *(INDENT + line for line in body), "}"]

    def _counted(self, size: Expression) -> str:
        return emit_expression(self.processes.names.counted(size))

    def elements(self, array: Array) -> str:
        """The number of elements of an array in external memory, for any parameters."""
        return " * ".join(f"({self._counted(extent)})" for extent in array.extents) or "1"

    def depth(self, array: Array) -> int | None:
        """The number of elements of an array for the given or default parameters, if these say it."""
        known = self.parameters or self.accelerator.kernel.defaults
        names = {v.name for extent in array.extents for v in walk(extent) if isinstance(v, Variable)}
        if not names <= known.keys():
            return None
        return max(1, prod(int(evaluate(extent, known, ())) for extent in array.extents))

    def signature(self) -> str:
        """The declaration of the top function."""
        arguments = ", ".join(p.declared() for p in self.top)
        return f'extern "C" void {self.accelerator.kernel.name}_top({arguments})'

    def promise(self) -> str:
        """What the top function does, as a comment."""
        limits = ", ".join(f"{name} = {value}" for name, value in (self.parameters or {}).items())
        if not self.guard():
            return "/* Executes the kernel and counts the words that it moves. */"
        return (
            "/* Executes the kernel and counts the words that it moves.\n"
            f"   Local memory is large enough for {limits}; beyond that, does nothing but set loaded_words to -1. */"
        )

    def unused(self, used: Sequence[Parameter]) -> list[str]:
        """Lines that tell the compiler of what the top function is given in vain."""
        names = {p.name for p in used}
        guard = " ".join(self.guard())
        spare = (p.name for p in self.top if p.name not in names and not re.search(rf"\b{p.name}\b", guard))
        return [f"(void){name};" for name in spare]


def check_sizes(accelerator: Accelerator, parameters: Mapping[str, int] | None) -> None:
    """Raise `UnsupportedError` where the size of a local buffer is not known."""
    open_sizes = {name for name, buffer in accelerator.buffers.items() if not buffer.folds_all}
    missing = [name for name in accelerator.kernel.parameters if name not in (parameters or {})]
    if open_sizes and missing:
        example = " ".join(f"-p {name}=64" for name in missing)
        grows = f"the local memory of {', '.join(sorted(open_sizes))} grows with the parameters"
        hint = f"give the largest values that will be used with -p NAME=VALUE: {example}; or choose shorter strips"
        raise UnsupportedError(Diagnostic(f"{grows}, but HLS needs a fixed size", None, hint))


def _surrounded(body: Sequence[str], fence: str) -> Iterator[str]:
    """The lines, with a fence before and after each that works on a tile."""
    for line in body:
        margin = line[: len(line) - len(line.lstrip())]
        yield from (margin + fence, line, margin + fence) if _WORK.search(line) else (line,)
