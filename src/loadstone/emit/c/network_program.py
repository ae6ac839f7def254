"""What a program of a network consists of, beside its processes: names, arguments, streams, memories, addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import islpy as isl

from loadstone.emit.c.addresses import position_function
from loadstone.emit.c.functions import Function, Parameter
from loadstone.emit.c.network_links import Cells, Link, Stream, StreamDialect
from loadstone.emit.c.network_names import NetworkNames, network_names, word_type
from loadstone.emit.c.printer import emit_expression
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Expression
from loadstone.model.kernel import Array, Kernel
from loadstone.networks.model import Channel, Kind, Network, Process
from loadstone.networks.sizes import ChannelSize
from loadstone.poly import fixed
from loadstone.poly.spaces import Dim
from loadstone.transfer.volumes import count


def network_words(network: Network, parameters: Mapping[str, int]) -> tuple[int, int]:
    """The words that the processes of a network load and store, for given parameters."""
    loaded, stored = (
        sum(count(process.domain, parameters) for process in network.processes.values() if process.kind == kind)
        for kind in ("load", "store")
    )
    return loaded, stored


@dataclass(frozen=True, eq=False)
class NetworkProgram:
    """A network in a dialect, for given parameters and sizes of channels."""

    network: Network
    sizes: Mapping[str, ChannelSize]
    values: Mapping[str, int]
    dialect: StreamDialect

    @property
    def kernel(self) -> Kernel:
        """The kernel that the network executes."""
        return self.network.tiles.kernel

    @cached_property
    def names(self) -> NetworkNames:
        """The names in the program."""
        return network_names(self.network, self.values)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The kernel's parameters."""
        kinds = self.kernel.parameter_types
        return tuple(Parameter(self.names.source[name], f"{kind} @") for name, kind in kinds.items())

    @cached_property
    def running(self) -> tuple[Process, ...]:
        """The processes of the program: those that have instances for the given parameters; all, if none has."""
        processes = tuple(self.network.processes.values())
        return tuple(p for p in processes if not fixed(p.domain, self.values).is_empty()) or processes

    @cached_property
    def by_value(self) -> tuple[Array, ...]:
        """The scalars that are read and never written."""
        written = {statement.write.array for statement in self.kernel.statements}
        read = {access.array for statement in self.kernel.statements for access in statement.reads}
        return tuple(a for a in self.kernel.arrays.values() if a.rank == 0 and a.name in read - written)

    @cached_property
    def scalars(self) -> tuple[Parameter, ...]:
        """The scalars that enter by value."""
        return tuple(Parameter(self.names.source[a.name], f"{a.type} @") for a in self.by_value)

    @cached_property
    def loaded(self) -> tuple[Array, ...]:
        """The arrays of which elements are loaded."""
        return self._moved("load")

    @cached_property
    def stored(self) -> tuple[Array, ...]:
        """The arrays of which elements are stored."""
        return self._moved("store")

    def _moved(self, kind: Kind) -> tuple[Array, ...]:
        moved = {process.array for process in self.network.processes.values() if process.kind == kind}
        return tuple(array for array in self.kernel.arrays.values() if array.name in moved)

    @cached_property
    def memories(self) -> tuple[Parameter, ...]:
        """The arrays in external memory: contents from before the kernel, and results."""
        before = (Parameter(self.names.source[a.name], f"const {word_type(a.type)} *@") for a in self.loaded)
        behind = (Parameter(f"{self.names.source[a.name]}_out", f"{word_type(a.type)} *@") for a in self.stored)
        return (*before, *behind)

    @cached_property
    def counters(self) -> tuple[Parameter, ...]:
        """Where load and store processes say how many words they moved."""
        return tuple(
            Parameter(self._counter(process), "long *@") for process in self.running if process.kind != "compute"
        )

    def counted(self, kind: Kind, prefix: str = "") -> str:
        """The sum of the words that processes of a kind have moved, from counters whose names have a prefix."""
        moving = [process for process in self.running if process.kind == kind]
        parts = [f"{prefix}{self._counter(process)}" for process in moving]
        return " + ".join(parts) or "0"

    def _counter(self, process: Process) -> str:
        return f"{self.names.processes[process.name]}_words"

    @property
    def totals(self) -> tuple[Parameter, ...]:
        """Where the top function says how many words were moved."""
        return (Parameter("loaded_words", "long *@"), Parameter("stored_words", "long *@"))

    @property
    def given(self) -> tuple[Parameter, ...]:
        """What the network is given."""
        return (*self.parameters, *self.scalars, *self.memories)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The channels that carry anything for the given parameters."""
        return tuple(
            Link(
                channel,
                self.sizes[channel.id],
                self.names.channels[channel.id],
                self.kernel.arrays[channel.array].type,
                self.dialect,
                _may_be_negative(self.network.producer(channel).domain),
            )
            for channel in self.network.channels
            if not fixed(channel.relation, self.values).is_empty()
        )

    @cached_property
    def streams(self) -> tuple[Stream, ...]:
        """The streams of all channels."""
        return tuple(stream for link in self.links for stream in link.streams)

    @cached_property
    def stream_parameters(self) -> tuple[Parameter, ...]:
        """The streams as parameters of processes."""
        return tuple(Parameter(stream.name, stream.declared(self.dialect.stream)) for stream in self.streams)

    @cached_property
    def cells(self) -> tuple[Cells, ...]:
        """The local memories of all channels."""
        return tuple(cells for link in self.links for cells in link.cells)

    @cached_property
    def cell_parameters(self) -> tuple[Parameter, ...]:
        """The local memories as parameters of processes."""
        return tuple(Parameter(cells.name, f"{word_type(cells.type)} *@") for cells in self.cells)

    def refused(self) -> str:
        """The condition that parameters are not those that the program is made for; empty if there are none."""
        return " || ".join(f"{self.names.source[n]} != {self.values[n]}" for n in self.kernel.parameters)

    def made_for(self) -> str:
        """The parameters that the program is made for, as text."""
        return ", ".join(f"{name} = {self.values[name]}" for name in self.kernel.parameters)

    def extent(self, array: Array) -> int:
        """The number of elements of an array."""
        return max(1, prod(int(evaluate(extent, self.values, ())) for extent in array.extents))

    @cached_property
    def _positions(self) -> Mapping[str, Function]:
        """For arrays that are moved, the functions that give positions in them."""
        arrays = dict.fromkeys((*self.loaded, *self.stored))
        return {a.name: position_function(a, self.names.source, self.parameters) for a in arrays}

    @cached_property
    def _cell_functions(self) -> Mapping[str, Function]:
        """For channels whose values have cells, the functions that give them."""
        made = ((link, link.cell_function()) for link in self.links if link.size.cells > 1 or link.shares_cells)
        return {link.channel.id: function for link, function in made if function is not None}

    @property
    def address_functions(self) -> tuple[Function, ...]:
        """The functions that give positions in external memory, and cells of channels."""
        return (*self._positions.values(), *self._cell_functions.values())

    def text(self, expression: Expression) -> str:
        """An expression of parameters and coordinates as text."""
        return emit_expression(self.names.source.counted(expression))

    def position(self, array: str, point: Sequence[str]) -> str:
        """The position of an element in external memory."""
        return self._positions[array].call({f"x{k}": text for k, text in enumerate(point)})

    def chooses_cells(self, channel: Channel) -> bool:
        """Whether the values of a channel have cells that a function gives."""
        return channel.id in self._cell_functions

    def cell(self, channel: Channel, point: Sequence[str]) -> str:
        """The cell for the value of an instance in a channel; nothing where no function gives it."""
        if not self.chooses_cells(channel):
            return ""
        return self._cell_functions[channel.id].call({f"x{k}": text for k, text in enumerate(point)})


def _may_be_negative(domain: isl.Set) -> bool:
    """Whether a coordinate of a point of the set may be negative."""
    zero = isl.Val.zero(domain.get_ctx())
    return any(not domain.is_subset(domain.lower_bound_val(Dim.set, k, zero)) for k in range(domain.dim(Dim.set)))
