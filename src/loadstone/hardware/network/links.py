"""The channels of a network as hardware sees them, and what the instances of a process do with them.

Each instance is a step: for every channel a bit that says whether the instance reads or writes there, whether it is the
last to read its value, and the cells of values in channels that are not in order. Loop controllers give these as
arguments, as functions of the coordinates of instances.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.hardware.compute.calls import exact
from loadstone.hardware.layout import ArrayLayout
from loadstone.loops.model import Instance, Node, with_instances
from loadstone.loops.process_points import Points, order_of
from loadstone.model.expression import Binary, Expression, Variable, binary, integer, substituted, walk
from loadstone.model.kernel import Kernel, Statement
from loadstone.model.tidy import tidy
from loadstone.model.types import INT, ScalarType
from loadstone.networks.model import Channel, Network, Process
from loadstone.networks.sizes import ChannelSize
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import Dim
from loadstone.rtl.names import fresh
from loadstone.rtl.types import Bits, address_width, unsigned
from loadstone.storage.lattice import Modular

MOST_CELLS = 4096
"""The most cells of a channel that is not in order: each has flip-flops of its own."""
PLACE = "place"
"""The argument of a load or store: the place of its element in external memory, in elements of its array."""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A channel in hardware, under a name, for words of a type."""

    channel: Channel
    size: ChannelSize
    name: str
    element: ScalarType

    @property
    def is_private(self) -> bool:
        """Whether producer and consumer are one process."""
        return self.channel.producer == self.channel.consumer

    @property
    def has_cells(self) -> bool:
        """Whether values are in cells with addresses."""
        return self.channel.pattern in ("reorder", "reorder-register")

    @property
    def is_read_again(self) -> bool:
        """Whether values may be read several times."""
        return self.channel.pattern in ("fifo-register", "reorder-register")

    @property
    def cell(self) -> Bits:
        """The type of numbers of cells."""
        return unsigned(address_width(max(2, self.size.cells)))

    def port(self, what: str) -> str:
        """The name of one of its signals."""
        return f"{self.name}_{what}"


def links_of(network: Network, sizes: Mapping[str, ChannelSize]) -> tuple[Link, ...]:
    """The channels of a network that carry anything, with sizes."""
    names: dict[str, str] = {}
    for channel in network.channels:
        names[channel.id] = fresh(channel.id, {name.lower() for name in names.values()})
    arrays = network.tiles.kernel.arrays
    found = (Link(c, sizes[c.id], names[c.id], arrays[c.array].type) for c in network.channels)
    return tuple(_checked(link) for link in found if not link.channel.relation.is_empty())


def _checked(link: Link) -> Link:
    if link.has_cells and (link.size.mapping is None or link.size.cells > MOST_CELLS):
        hint = "tile the kernel, or split the channel into FIFOs"
        text = f"channel {link.channel.id} is not in order and needs {link.size.cells} cells; hardware has {MOST_CELLS}"
        raise UnsupportedError(Diagnostic(text, None, hint))
    return link


def network_within(network: Network, known: isl.Set) -> Network:
    """The network for known parameters: its processes that have instances then, and all of its channels."""
    processes = {
        name: replace(
            process, domain=process.domain.intersect_params(known), dates=process.dates.intersect_params(known)
        )
        for name, process in network.processes.items()
    }
    channels = tuple(replace(c, relation=c.relation.intersect_params(known)) for c in network.channels)
    running = {name: process for name, process in processes.items() if not process.domain.is_empty()}
    return replace(network, processes=running, channels=channels)


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """The loops of a process, whose instances have the fields of their steps as arguments."""

    process: Process
    tree: Node
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Planner:
    """Makes the walks of the processes of a network; `values` are the parameters that are numbers."""

    kernel: Kernel
    links: tuple[Link, ...]
    known: isl.Set
    values: Mapping[str, int]

    def walk(self, process: Process, store: ArrayLayout | None) -> Walk:
        """The walk of a process; `store` is where a load or store process finds its elements."""
        try:
            with operation_limit():
                return self._walk(process, store)
        except LimitReached:
            text = f"the instances of process {process.name} are too complicated for hardware"
            raise UnsupportedError(Diagnostic(text)) from None

    def _walk(self, process: Process, store: ArrayLayout | None) -> Walk:
        taken = {name.lower() for name in self.kernel.parameters}
        variables = tuple(fresh(f"x{k}", taken) for k in range(process.domain.dim(Dim.set)))
        points = Points(process, variables, self.values)
        rank = order_of(process, self.values).dim(Dim.out)
        tree = points.loops(self.known, [fresh(f"t{k}", taken) for k in range(rank)])
        fields = dict(self._fields(process, points, store))

        def step(instance: Instance) -> Instance:
            values = dict(zip(variables, instance.arguments, strict=True))
            return Instance(process.name, tuple(tidy(substituted(field, values)) for field in fields.values()))

        return Walk(process, with_instances(tree, step), tuple(fields))

    def _fields(self, process: Process, points: Points, store: ArrayLayout | None) -> Iterator[tuple[str, Expression]]:
        """What a step of a process says; what always holds is not said."""
        for link in self.links:
            if link.channel.consumer == process.name:
                yield from _reading(link, points)
        for link in self.links:
            if link.channel.producer == process.name:
                yield from _writing(link, points)
        coordinates = [Variable(name, INT) for name in points.variables]
        if process.kind == "compute":
            statement = self.kernel.statement(process.name)
            for iterator, coordinate in zip(statement.iterators, coordinates, strict=True):
                if iterator in iterators_used(statement):
                    yield iterator_field(iterator), coordinate
        elif store is not None:
            yield PLACE, exact(store.address(coordinates))


def iterators_used(statement: Statement) -> frozenset[str]:
    """The iterators that the value of a statement depends on."""
    used = {part.name for part in walk(statement.value) if isinstance(part, Variable)}
    return frozenset(used.intersection(statement.iterators))


def iterator_field(iterator: str) -> str:
    """The field of a step that is an iterator."""
    return f"at {iterator}"


def _reading(link: Link, points: Points) -> Iterator[tuple[str, Expression]]:
    readers = link.channel.relation.range()
    yield from _unless_always(link.port("reads"), points.is_in(readers, points.process.domain))
    if link.is_read_again:
        yield from _unless_always(link.port("last"), points.is_in(points.last_reads(link.channel), readers))
    if link.has_cells:
        yield link.port("source"), _cell(link, points.source(link.channel))


def _writing(link: Link, points: Points) -> Iterator[tuple[str, Expression]]:
    writers = link.channel.relation.domain()
    yield from _unless_always(link.port("writes"), points.is_in(writers, points.process.domain))
    if link.has_cells:
        yield link.port("target"), _cell(link, [Variable(name, INT) for name in points.variables])


def _unless_always(name: str, condition: Expression | None) -> Iterator[tuple[str, Expression]]:
    if condition is not None:
        yield name, condition


def _cell(link: Link, point: Sequence[Expression]) -> Expression:
    """The number of the cell for the value of a producer's instance."""
    assert link.size.mapping is not None
    return cell_number(link.size.mapping, point)


def cell_number(mapping: Modular, point: Sequence[Expression]) -> Expression:
    """The number of the cell of a point, with the last component of the mapping running fastest."""
    found: Expression = integer(0)
    for row, modulus in zip(mapping.rows, mapping.moduli, strict=True):
        if modulus == 1:
            continue
        terms = [binary("*", integer(factor), x) for factor, x in zip(row, point, strict=True) if factor]
        total = reduce(lambda left, right: binary("+", left, right), terms, integer(0))
        part = Binary("mod", total, integer(modulus), INT)
        found = binary("+", binary("*", integer(modulus), found), part)
    return tidy(found)
