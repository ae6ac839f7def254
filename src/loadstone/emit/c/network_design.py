"""What the HLS back ends of networks share: a top function that refuses other parameters, memories of fixed sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from loadstone.emit.c.functions import Function, Parameter, variables_in
from loadstone.emit.c.network_links import Cells
from loadstone.emit.c.network_names import word_type
from loadstone.emit.c.network_processes import NetworkProcesses
from loadstone.emit.c.printer import braced
from loadstone.model.types import BOOL


@dataclass(frozen=True, eq=False)
class NetworkDesign:
    """A network for an HLS compiler."""

    program: NetworkProcesses

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.program.kernel.name

    @property
    def top(self) -> tuple[Parameter, ...]:
        """What the top function is given."""
        return (*self.program.given, *self.program.totals)

    @property
    def shared(self) -> tuple[Cells, ...]:
        """The memories that two processes share."""
        return tuple(cells for cells in self.program.cells if cells.owner is None)

    @cached_property
    def small_functions(self) -> tuple[Function, ...]:
        """The functions that processes call."""
        return self.program.functions()[: -len(self.processes)]

    @cached_property
    def processes(self) -> tuple[Function, ...]:
        """The processes, each with the memories that belong to it."""
        pairs = zip(self.program.processes, self.program.running, strict=True)
        return tuple(_with_memories(function, _owned(self.program, process.name)) for function, process in pairs)

    def signature(self) -> str:
        """The declaration of the top function."""
        return f'extern "C" void {self.name}_top({", ".join(p.declared() for p in self.top)})'

    def beginning(self, includes: str) -> list[str]:
        """The first lines of the program: what it includes, in which `@` is its name, and helper functions."""
        has_booleans = any(array.type == BOOL for array in self.program.kernel.arrays.values())
        return [
            *includes.replace("@", self.name).split("\n"),
            *(["typedef bool _Bool;"] if has_booleans else []),
            "",
            *self.program.helpers(),
        ]

    def guard(self) -> list[str]:
        """Lines that return from the top function where parameters are not those that the program is made for."""
        refused = self.program.refused()
        body = ["*loaded_words = -1;", "*stored_words = 0;", "return;"]
        return braced(f"if ({refused})", body) if refused else []

    def counted(self, call: str) -> list[str]:
        """The call that runs the network, between the declarations of counters and their sums."""
        return [
            *(f"long {counter.name} = 0;" for counter in self.program.counters),
            call,
            f"*loaded_words = {self.program.counted('load')};",
            f"*stored_words = {self.program.counted('store')};",
        ]

    def unused(self, used: Sequence[Parameter]) -> list[str]:
        """Lines that tell the compiler of what the top function is given in vain."""
        names = {p.name for p in (*used, *self.program.totals)} | variables_in(self.guard())
        return [f"(void){p.name};" for p in self.top if p.name not in names]


def declaration(cells: Cells) -> str:
    """The declaration of a memory."""
    return f"{word_type(cells.type)} {cells.name}[{cells.count}];"


def _owned(program: NetworkProcesses, process: str) -> tuple[Cells, ...]:
    return tuple(cells for cells in program.cells if cells.owner == process)


def _with_memories(function: Function, owned: Sequence[Cells]) -> Function:
    names = {cells.name for cells in owned}
    declared = (f"LOCAL {declaration(cells)}" for cells in owned)
    return replace(
        function, offer=tuple(p for p in function.offer if p.name not in names), body=(*declared, *function.body)
    )
