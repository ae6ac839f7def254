"""A process network as a program.

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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import islpy as isl

from loadstone.analysis.hls_pragmas import pipeline_interval
from loadstone.emit.c.addresses import call_at
from loadstone.emit.c.code import (
    EMPTY,
    Block,
    Body,
    Cells,
    Counter,
    External,
    Function,
    Parameter,
    Pipelined,
    Statement,
    Stream,
    Text,
    Value,
    code,
    listed,
    under,
    used,
    word_type,
)
from loadstone.emit.c.compute.recurrences import has_loops
from loadstone.emit.c.external.elements import ExternalElements, externals
from loadstone.emit.c.links import Link, Side
from loadstone.emit.c.names import NetworkNames, ProcessNames, network_names, renamed
from loadstone.emit.c.printer import instance_code, loop_code, written
from loadstone.emit.c.program import Limit, Program, called
from loadstone.loops.model import Instance
from loadstone.loops.process_points import Points
from loadstone.model.expression import Expression, Variable
from loadstone.model.kernel import Array, Kernel
from loadstone.model.types import INT
from loadstone.networks.instances import active_channels, active_processes, may_be_negative
from loadstone.networks.model import Channel, Kind, Network, Process
from loadstone.networks.sizes import ChannelSize

Sizes = Mapping[str, ChannelSize]


def network_program(network: Network, sizes: Sizes, parameters: Mapping[str, int]) -> Program:
    """The program of a network, for the parameters to which the sizes of its channels belong."""
    parts = Parts(network, sizes, parameters)
    processes = tuple(ProcessBody(parts, process).function() for process in parts.processes)
    return Program(
        parts.kernel,
        parts.names.source,
        "network",
        f"{parts.kernel.name} as a network of {len(network.processes)} processes and {len(network.channels)} channels. "
        "Written by Loadstone.",
        parts.parameters,
        parts.scalars,
        parts.arrays,
        parts.cells,
        parts.streams,
        parts.counters,
        called((*parts.functions, *parts.cell_functions.values()), processes),
        processes,
        limit=_limit(parts),
        remark=_remark(parts),
    )


def _limit(parts: Parts) -> Limit | None:
    """The parameters other than those of the sizes."""
    values = zip(parts.parameters, (parts.values[name] for name in parts.kernel.parameters), strict=True)
    others = [code(f"@ != {value}", parameter) for parameter, value in values]
    made_for = ", ".join(f"{name} = {parts.values[name]}" for name in parts.kernel.parameters)
    text = f"Streams and memories are sized for {made_for}; for other parameters,"
    return Limit(listed(others, " || "), text) if others else None


def _remark(parts: Parts) -> str:
    stored = {array.name for array in parts.moved("store")}
    both = ", ".join(array.name for array in parts.moved("load") if array.name in stored)
    return f"Results of {both} go to separate arrays, whose other elements do not change." if both else ""


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of a network's program, for given parameters and sizes of channels."""

    network: Network
    sizes: Sizes
    values: Mapping[str, int]

    @property
    def kernel(self) -> Kernel:
        """The kernel that the network executes."""
        return self.network.tiles.kernel

    @cached_property
    def names(self) -> NetworkNames:
        """The names in the program."""
        return network_names(self.network, self.values)

    @cached_property
    def processes(self) -> tuple[Process, ...]:
        """The processes of the program."""
        return active_processes(self.network, self.values)

    @cached_property
    def parameters(self) -> tuple[Value, ...]:
        """The kernel's parameters."""
        return tuple(Value(self.names.source[name], kind) for name, kind in self.kernel.parameter_types.items())

    @cached_property
    def by_value(self) -> tuple[Array, ...]:
        """The scalars that are read and never written."""
        written = {statement.write.array for statement in self.kernel.statements}
        read = {access.array for statement in self.kernel.statements for access in statement.reads}
        return tuple(a for a in self.kernel.arrays.values() if a.rank == 0 and a.name in read - written)

    @cached_property
    def scalars(self) -> tuple[Value, ...]:
        """The scalars passed by value."""
        return tuple(Value(self.names.source[a.name], a.type) for a in self.by_value)

    def moved(self, kind: Kind) -> tuple[Array, ...]:
        """The arrays that processes of a kind load or store."""
        moved = {process.array for process in self.network.processes.values() if process.kind == kind}
        return tuple(array for array in self.kernel.arrays.values() if array.name in moved)

    @cached_property
    def arrays(self) -> tuple[External, ...]:
        """The arrays in external memory: contents from before the kernel, and results."""
        return (*self._loaded, *self._stored)

    @cached_property
    def _loaded(self) -> tuple[External, ...]:
        arrays = self.moved("load")
        return externals(arrays, self.names.source, self.values, {array.name for array in arrays}, ())

    @cached_property
    def _stored(self) -> tuple[External, ...]:
        arrays = self.moved("store")
        found = externals(arrays, self.names.source, self.values, (), {array.name for array in arrays})
        return tuple(replace(external, name=f"{external.name}_out") for external in found)

    @cached_property
    def counters(self) -> tuple[Counter, ...]:
        """The words that load and store processes have moved."""
        return tuple(found for process in self.processes if (found := self.counter(process)) is not None)

    def counter(self, process: Process) -> Counter | None:
        """The words that a process has moved, unless it computes."""
        if process.kind == "compute":
            return None
        return Counter(f"{self.names.processes[process.name]}_words", process.kind)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The channels that carry anything."""
        return tuple(
            Link(
                channel,
                self.sizes[channel.id],
                self.names.channels[channel.id],
                self.kernel.arrays[channel.array].type,
                may_be_negative(self.network.producer(channel).domain),
            )
            for channel in active_channels(self.network, self.values)
        )

    @cached_property
    def streams(self) -> tuple[Stream, ...]:
        """The streams of all channels."""
        return tuple(stream for link in self.links for stream in link.streams)

    @cached_property
    def cells(self) -> tuple[Cells, ...]:
        """The local memories of all channels."""
        return tuple(cells for link in self.links for cells in link.cells)

    @cached_property
    def offer(self) -> tuple[Parameter, ...]:
        """All parameters on offer to processes."""
        return (*self.parameters, *self.scalars, *self.arrays, *self.cells, *self.streams, *self.counters)

    @cached_property
    def elements(self) -> ExternalElements:
        """How elements are reached in external memory."""
        arrays = tuple(dict.fromkeys((*self.moved("load"), *self.moved("store"))))
        loads, stores = (
            {array: external for external in found for array in external.arrays}
            for found in (self._loaded, self._stored)
        )
        return ExternalElements(arrays, self.names.source, self.parameters, loads, stores)

    @property
    def functions(self) -> Iterator[Function]:
        """The functions that reach external memory."""
        return (function for found in self.elements.functions.values() for function in found)

    @cached_property
    def cell_functions(self) -> Mapping[str, Function]:
        """For channels whose values have cells, the functions that give them."""
        made = ((link, link.cell_function()) for link in self.links)
        return {link.channel.id: function for link, function in made if function is not None}

    def text(self, expression: Expression) -> Text:
        """An expression of parameters and coordinates."""
        return written(self.names.source.counted(expression))

    def cell(self, channel: Channel, point: Callable[[], Sequence[Text]]) -> Text:
        """The cell for the value of an instance in a channel; nothing where no function gives it."""
        function = self.cell_functions.get(channel.id)
        return EMPTY if function is None else call_at(function, point())


@dataclass(frozen=True, eq=False)
class ProcessBody:
    """The text of one process."""

    parts: Parts
    process: Process

    @property
    def _names(self) -> ProcessNames:
        return self.parts.names.inside[self.process.name]

    @property
    def _point(self) -> list[Text]:
        return [Text(name, frozenset({name})) for name in self._names.point]

    @cached_property
    def _points(self) -> Points:
        return Points(self.process, self._names.point, self.parts.values)

    @cached_property
    def _incoming(self) -> tuple[Link, ...]:
        return tuple(link for link in self.parts.links if link.channel.consumer == self.process.name)

    @cached_property
    def _outgoing(self) -> tuple[Link, ...]:
        return tuple(link for link in self.parts.links if link.channel.producer == self.process.name)

    def function(self) -> Function:
        """The process as a function."""
        counter = self.parts.counter(self.process)
        body: Body = (*self._around(Link.start), *self._loops(), *self._around(Link.end))
        if counter is not None:
            body = (Text("long words = 0;"), *body, code("*@ = words;", counter))
        return Function(
            _comment(self.parts.kernel, self.process),
            "void",
            self.parts.names.processes[self.process.name],
            self.parts.offer,
            body,
        )

    def _around(self, lines: Callable[[Link, Side], Body]) -> Iterator[Statement]:
        for link in self._incoming:
            yield from lines(link, "consumer")
        for link in self._outgoing:
            yield from lines(link, "producer")

    def _loops(self) -> Body:
        loops = self._points.loops(self.parts.kernel.context, self._names.dates)
        waits = any(link.shared for link in (*self._incoming, *self._outgoing))
        interval = pipeline_interval(self.parts.kernel) if self.process.kind == "compute" else 1
        pipelined = () if waits else (Pipelined(interval),)
        return loop_code(
            self.parts.names.source.loops(loops), self._instance, lambda loop: () if has_loops(loop) else pipelined
        )

    def _instance(self, leaf: Instance) -> Body:
        """One instance, behind declarations of its coordinates, except iterators.

        An iterator with the name of a coordinate always equals it.
        """
        names = used(self._lines)
        values = zip(self._names.point, map(written, leaf.arguments), strict=True)
        declared = (code(f"const int {n} = @;", v) for n, v in values if n in names and n not in v.uses)
        return (*declared, *self._lines)

    @cached_property
    def _lines(self) -> Body:
        """What an instance does."""
        match self.process.kind:
            case "load":
                array = self._read_arrays[0]
                element = self.parts.elements.loaded(array, self._point)
                value = code(f"const {word_type(array.type)} value = @;", element)
                return (value, *self._sends("value"), Text("words++;"))
            case "store":
                element = self.parts.elements.stored(self._read_arrays[0], self._point, Text("value"))
                return (*self._reads(), element, Text("words++;"))
            case "compute":
                return (*self._reads(), *self._compute(), *self._sends("result"))

    def _compute(self) -> Body:
        statement = renamed(self.parts.kernel.statement(self.process.name), self.parts.names.source)
        arguments = [Variable(name, INT) for name in self._names.point]
        operands = iter(self._operands())
        kind = self.parts.kernel.arrays[statement.write.array].type

        def element(array: str, subscripts: Sequence[Text], is_write: bool) -> Text:
            return Text(f"const {word_type(kind)} result") if is_write else next(operands)

        return instance_code(statement, arguments, element)

    def _operands(self) -> Iterator[Text]:
        """The operands of the statement: variables, or scalars passed by value."""
        for read, operand in zip(self._read_arrays, self._names.operands, strict=True):
            name = self.parts.names.source[read.name]
            yield Text(name, frozenset({name})) if read in self.parts.by_value else Text(operand)

    @cached_property
    def _read_arrays(self) -> list[Array]:
        """The arrays read by an instance; for a load or store, the array moved."""
        arrays = self.parts.kernel.arrays
        if self.process.kind != "compute":
            return [arrays[self.process.array]]
        return [arrays[read.array] for read in self.parts.kernel.statement(self.process.name).reads]

    def _reads(self) -> Iterator[Statement]:
        """The statements that receive the operands of an instance."""
        for position, (array, operand) in enumerate(zip(self._read_arrays, self._names.operands, strict=True)):
            links = [link for link in self._incoming if link.channel.read == position]
            if links:
                ordered = sorted(links, key=lambda link: link.channel.relation.n_basic_map())
                yield from self._read(operand, ordered, self._is_read_always(position))
            elif array not in self.parts.by_value:
                yield Text(f"{word_type(array.type)} {operand} = 0;")

    def _is_read_always(self, position: int) -> bool:
        """Whether all instances read something at a position."""
        if self.process.kind != "compute":
            return True
        read = self.parts.kernel.statement(self.process.name).reads[position]
        return self.process.domain.is_subset(read.relation.domain())

    def _read(self, operand: str, links: Sequence[Link], always: bool) -> Body:
        """The statements that receive a value from the channel that brings it, if one does."""
        kind = word_type(links[0].type)
        if always and len(links) == 1 and links[0].is_simple:
            return self._receive(f"const {kind} {operand}", links[0])
        lines: list[Statement] = [Text(f"{kind} {operand}{'' if always else ' = 0'};")]
        for number, link in enumerate(links):
            is_rest = always and number + 1 == len(links)
            test = None if is_rest else self._is_in(link.channel.relation.range(), self.process.domain) or Text("true")
            head = _choice(test, is_first=number == 0)
            received = self._receive(operand, link)
            lines += (Block(head, received),) if head.text or link.shared else received
        return tuple(lines)

    def _receive(self, target: str, link: Link) -> Body:
        channel = link.channel
        readers = channel.relation.range()
        first = self._is_in(self._points.first_reads(channel), readers) if link.kept else None
        several = link.shared and channel.pattern == "reorder-register"
        last = self._is_in(self._points.last_reads(channel), readers) if several else None
        cell = self.parts.cell(channel, lambda: [self.parts.text(x) for x in self._points.source(channel)])
        return link.receive(target, cell, first, last)

    def _sends(self, result: str) -> Iterator[Statement]:
        """The statements that send the value of an instance to its readers."""
        for link in self._outgoing:
            channel = link.channel
            value = Text(self._names.operands[channel.read] if channel.forwards else result)
            test = self._is_in(channel.relation.domain(), self.process.domain)
            body = link.send(value, self.parts.cell(channel, lambda: self._point))
            yield from under(test, body) if test or len(body) == 1 else (Block(EMPTY, body),)
        if all(link.channel.forwards for link in self._outgoing):
            yield Text(f"(void){result};")

    def _is_in(self, part: isl.Set, known: isl.Set) -> Text | None:
        test = self._points.is_in(part, known)
        return None if test is None else self.parts.text(test)


def _choice(test: Text | None, *, is_first: bool) -> Text:
    """The head of one of several blocks, the last of which may do without a test."""
    if test is None:
        return EMPTY if is_first else Text("else")
    return code("if (@)" if is_first else "else if (@)", test)


def _comment(kernel: Kernel, process: Process) -> str:
    match process.kind:
        case "load":
            return f"Loads elements of {process.array}, each once, in the order of their first use."
        case "store":
            return f"Stores the elements of {process.array} that the kernel writes."
        case "compute":
            statement = kernel.statement(process.name)
            line = f", line {statement.span.line}" if statement.span else ""
            return f"Executes statement {statement.name}, which writes {statement.write.array}{line}."
