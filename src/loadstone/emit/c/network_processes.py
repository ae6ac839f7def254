"""The processes of a network as C functions, in a dialect that says how streams are written.

Each process runs its instances in the order of their dates. An instance first receives what it reads, then computes,
then sends the result to all channels that carry it on; loads and stores do so with elements of arrays.

The program is made for given parameters, to which the sizes of channels belong. With these sizes the sequential order
of the program is one of the executions of the network: a process that wants to read finds the value, one that wants to
write finds a place. Processes only wait for streams, and no process ever looks whether a stream has a word; so whether
the network ends does not depend on the order in which processes run [Kahn]. It never deadlocks.

Loads read the contents of arrays from before the kernel, `a`; stores write to `a_out`. These are different memories
where both are there, since nothing makes the store of an element wait for its load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import islpy as isl

from loadstone.emit.c.arithmetic import definitions_named
from loadstone.emit.c.functions import Function, variables_in
from loadstone.emit.c.network_links import Link, Side, conditional
from loadstone.emit.c.network_names import ProcessNames, word_type
from loadstone.emit.c.network_program import NetworkProgram
from loadstone.emit.c.printer import (
    braced,
    emit_expression,
    emit_instance,
    emit_loops,
    expressions_of,
    helpers_named,
    warnings_of_source,
)
from loadstone.emit.c.processes import renamed
from loadstone.loops.model import Instance
from loadstone.loops.process_points import Points
from loadstone.model.expression import Binary, Variable, walk
from loadstone.model.kernel import Array, Kernel
from loadstone.model.types import INT, ScalarType
from loadstone.networks.model import Process

_TURN = (
    "/* The place in a ring at which it is, and a step to the next one. */",
    "static inline int turn(int *at, int length)",
    "{",
    "  const int place = *at;",
    "  *at = place + 1 == length ? 0 : place + 1;",
    "  return place;",
    "}",
    "",
)


@dataclass(frozen=True, eq=False)
class NetworkProcesses(NetworkProgram):
    """A program of a network with the functions of its processes, each with parameters for all that it uses."""

    @cached_property
    def processes(self) -> tuple[Function, ...]:
        """The processes."""
        return tuple(_Body(self, process).function() for process in self.running)

    def functions(self) -> tuple[Function, ...]:
        """The functions of addresses, and of processes."""
        return (*self.address_functions, *self.processes)

    def helpers(self) -> list[str]:
        """The definitions of the small functions that the others call."""
        words = set(chain.from_iterable(variables_in(function.body) for function in self.functions()))
        kinds = dict.fromkeys((INT, *_operator_types(self.kernel)))
        return [
            *warnings_of_source(self.kernel),
            *helpers_named(words, kinds),
            *definitions_named(words, expressions_of(self.kernel)),
            *(_TURN if "turn" in words else ()),
        ]


@dataclass(frozen=True, eq=False)
class _Body:
    """The text of one process."""

    program: NetworkProgram
    process: Process

    @property
    def _names(self) -> ProcessNames:
        return self.program.names.inside[self.process.name]

    @cached_property
    def _points(self) -> Points:
        return Points(self.process, self._names.point, self.program.values)

    @cached_property
    def _incoming(self) -> tuple[Link, ...]:
        return tuple(link for link in self.program.links if link.channel.consumer == self.process.name)

    @cached_property
    def _outgoing(self) -> tuple[Link, ...]:
        return tuple(link for link in self.program.links if link.channel.producer == self.process.name)

    def function(self) -> Function:
        """The process as a function."""
        counts = self.process.kind != "compute"
        words = f"{self.program.names.processes[self.process.name]}_words"
        body = [
            *(["long words = 0;"] if counts else []),
            *self._around(Link.start),
            *self._loops(),
            *self._around(Link.end),
            *([f"*{words} = words;"] if counts else []),
        ]
        program = self.program
        offer = (*program.given, *program.cell_parameters, *program.stream_parameters, *program.counters)
        return Function(self._comment(), "static void", program.names.processes[self.process.name], offer, tuple(body))

    def _comment(self) -> str:
        match self.process.kind:
            case "load":
                return f"Loads elements of {self.process.array}, each once, in the order of their first use."
            case "store":
                return f"Stores the elements of {self.process.array} that the kernel writes."
            case "compute":
                statement = self.program.kernel.statement(self.process.name)
                line = f", line {statement.span.line}" if statement.span else ""
                return f"Executes statement {statement.name}, which writes {statement.write.array}{line}."

    def _around(self, lines: Callable[[Link, Side], list[str]]) -> Iterator[str]:
        for link in self._incoming:
            yield from lines(link, "consumer")
        for link in self._outgoing:
            yield from lines(link, "producer")

    def _loops(self) -> list[str]:
        loops = self._points.loops(self.program.kernel.context, self._names.dates)
        waits = any(link.shares_cells for link in (*self._incoming, *self._outgoing))
        pipelined = () if waits else self.program.dialect.pipelined
        return emit_loops(self.program.names.source.loops(loops), self._instance, pipelined)

    def _instance(self, leaf: Instance) -> list[str]:
        """One instance, after declarations of those of its coordinates that are no iterators.

        An iterator with the name of a coordinate always equals it.
        """
        used = variables_in(self._lines)
        texts = [emit_expression(argument) for argument in leaf.arguments]
        declared = [
            f"const int {name} = {text};"
            for name, text in zip(self._names.point, texts, strict=True)
            if name in used and name not in variables_in([text])
        ]
        return [*declared, *self._lines]

    @cached_property
    def _lines(self) -> list[str]:
        """What an instance does."""
        match self.process.kind:
            case "load":
                return [*self._load(), *self._sends("value"), "words++;"]
            case "store":
                return [*self._reads(), self._store(), "words++;"]
            case "compute":
                return [*self._reads(), *self._compute(), *self._sends("result")]

    def _load(self) -> list[str]:
        array = self.program.kernel.arrays[self.process.array]
        place = self.program.position(array.name, self._names.point)
        return [f"const {word_type(array.type)} value = {self.program.names.source[array.name]}[{place}];"]

    def _store(self) -> str:
        array = self.process.array
        return f"{self.program.names.source[array]}_out[{self.program.position(array, self._names.point)}] = value;"

    def _compute(self) -> list[str]:
        statement = renamed(self.program.kernel.statement(self.process.name), self.program.names.source)
        arguments = [Variable(name, INT) for name in self._names.point]
        operands = iter(self._operands())
        kind = self.program.kernel.arrays[statement.write.array].type

        def element(array: str, subscripts: Sequence[str], is_write: bool) -> str:
            return f"const {word_type(kind)} result" if is_write else next(operands)

        return emit_instance(statement, arguments, element)

    def _operands(self) -> Iterator[str]:
        """What the reads of the statement bring: variables, or scalars that the process is given."""
        for read, operand in zip(self._read_arrays(), self._names.operands, strict=True):
            yield self.program.names.source[read.name] if read in self.program.by_value else operand

    def _read_arrays(self) -> list[Array]:
        """The arrays from which the values that an instance reads come."""
        arrays = self.program.kernel.arrays
        if self.process.kind != "compute":
            return [arrays[self.process.array]]
        return [arrays[read.array] for read in self.program.kernel.statement(self.process.name).reads]

    def _reads(self) -> Iterator[str]:
        """The lines that receive what an instance reads."""
        for position, (array, operand) in enumerate(zip(self._read_arrays(), self._names.operands, strict=True)):
            links = [link for link in self._incoming if link.channel.read == position]
            if links:
                yield from self._read(operand, sorted(links, key=_pieces), self._is_read_always(position))
            elif array not in self.program.by_value:
                yield f"{word_type(array.type)} {operand} = 0;"

    def _is_read_always(self, position: int) -> bool:
        """Whether all instances read something at a position."""
        if self.process.kind != "compute":
            return True
        read = self.program.kernel.statement(self.process.name).reads[position]
        return self.process.domain.is_subset(read.relation.domain())

    def _read(self, operand: str, links: Sequence[Link], always: bool) -> list[str]:
        """The lines that receive a value from the channel that brings it, if one does."""
        kind = word_type(links[0].type)
        simple = links[0].simple_value(self._source_cell(links[0])) if len(links) == 1 else None
        if always and simple is not None:
            return [f"const {kind} {operand} = {simple};"]
        lines = [f"{kind} {operand}{'' if always else ' = 0'};"]
        for number, link in enumerate(links):
            is_rest = always and number + 1 == len(links)
            test = None if is_rest else self._is_in(link.channel.relation.range(), self.process.domain) or "true"
            head = " ".join(filter(None, ("else" if number else "", f"if ({test})" if test else "")))
            received = self._receive(operand, link)
            lines += braced(head, received) if head or link.shares_cells else received
        return lines

    def _receive(self, operand: str, link: Link) -> list[str]:
        channel = link.channel
        readers = channel.relation.range()
        first = self._is_in(self._points.first_reads(channel), readers) if link.kept else None
        several = link.shares_cells and channel.pattern == "reorder-register"
        last = self._is_in(self._points.last_reads(channel), readers) if several else None
        return link.receive(operand, self._source_cell(link), first, last)

    def _source_cell(self, link: Link) -> str:
        """The cell of the value that an instance gets through a channel."""
        if not self.program.chooses_cells(link.channel):
            return ""
        return self.program.cell(link.channel, [self.program.text(x) for x in self._points.source(link.channel)])

    def _sends(self, result: str) -> Iterator[str]:
        """The lines that send what others read of an instance."""
        for link in self._outgoing:
            channel = link.channel
            value = self._names.operands[channel.read] if channel.forwards else result
            test = self._is_in(channel.relation.domain(), self.process.domain)
            lines = link.send(value, self.program.cell(channel, self._names.point))
            single = len(lines) == 1
            yield from conditional(test, lines) if single else braced(f"if ({test})" if test else "", lines)
        if all(link.channel.forwards for link in self._outgoing):
            yield f"(void){result};"

    def _is_in(self, part: isl.Set, known: isl.Set) -> str | None:
        test = self._points.is_in(part, known)
        return None if test is None else self.program.text(test)


def _pieces(link: Link) -> int:
    return link.channel.relation.n_basic_map()


def _operator_types(kernel: Kernel) -> Iterator[ScalarType]:
    """The types of operators in the kernel's statements."""
    return (part.type for tree in expressions_of(kernel) for part in walk(tree) if isinstance(part, Binary))
