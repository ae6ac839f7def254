"""The processes of a network in hardware, a module for each: a controller, a queue of steps, and what a step does.

A step goes when all values that it reads are there, and when there is room for all that it writes; both at once, as one
event. So the network behaves as one of Kahn with bounded channels, and never deadlocks: take the first instance x, in
the sequential order of the program, that has not gone. All before it have, so the values that it reads are there, or on
their way through pipelines, which never stop. Its process has written what it writes before x in that order, and others
have read at least what they read before x; so channels hold at most what they hold in the sequential order, for which
their sizes are made. Hence x can go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadstone.hardware.control.automata import delayed
from loadstone.hardware.control.ranged import type_between
from loadstone.hardware.datapath.lowering import Arguments, lowered
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.pipeline import Datapath, fetch_port, make_datapath
from loadstone.hardware.datapath.timing import MemoryTiming, timetable
from loadstone.hardware.layout import ArrayLayout
from loadstone.hardware.names import Names
from loadstone.hardware.network.channels import capacity, queue_latency
from loadstone.hardware.network.links import Link, Walk, iterator_field, iterators_used
from loadstone.hardware.network.steps import Given, Steps
from loadstone.hardware.words import bits_of
from loadstone.loops.ranges import Ranges
from loadstone.model.kernel import Kernel
from loadstone.rtl.conditions import all_of, one_hot_mux
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.module import Module
from loadstone.rtl.types import bit

STEPS_WAITING = 2
"""The steps of a process between its controller and the channels."""


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What all processes share: the kernel with the ranges of its parameters, and operators."""

    ranges: Ranges
    operations: Operations

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self.ranges.kernel

    @property
    def scalars(self) -> tuple[str, ...]:
        """The scalars that are given and never written."""
        written = {statement.write.array for statement in self.kernel.statements}
        return tuple(a.name for a in self.kernel.arrays.values() if a.rank == 0 and a.name not in written)


@dataclass(frozen=True, slots=True, eq=False)
class ProcessDesign:
    """The module of a process, its ports for parameters and scalars by name, and the cycles from a step to its value.

    `late` are the names of channels from which it takes values late.

    Other ports: `start` and `idle`; those of its channels, as `make_channel` has them, with the names of the channels
    in front.
    """

    module: Module
    parameters: Mapping[str, str]
    scalars: Mapping[str, str]
    latency: int
    late: frozenset[str]


class _Reading:
    """The ports of a process for a channel that it reads."""

    def __init__(self, m: Module, link: Link) -> None:
        self.link = link
        self.there = m.input(link.port("there"), bit)
        self.word = m.input(link.port("word"), bits_of(link.element))
        self.take = m.output(link.port("take"), bit)
        self.source = m.output(link.port("source"), link.cell) if link.has_cells else None
        self.read = m.output(link.port("read"), bit) if link.has_cells else None


class _Writing:
    """The ports of a process for a channel that it writes."""

    def __init__(self, m: Module, link: Link) -> None:
        self.link = link
        self.room = const(1) if link.is_private else m.input(link.port("room"), bit)
        self.book = None if link.is_private else m.output(link.port("book"), bit)
        self.target = m.output(link.port("target"), link.cell) if link.has_cells and not link.is_private else None
        self.send = m.output(link.port("send"), bit)
        self.value = m.output(link.port("value"), bits_of(link.element))
        self.filled = m.output(link.port("filled"), link.cell) if link.has_cells else None


class Body:
    """The module of a process while it is made.

    The channels of a step answer `ready`; the module of the process drives `goes`, only when they are. Words are there
    `pause` cycles later, or even later where `connect` says so.
    """

    def __init__(
        self,
        name: str,
        setting: Setting,
        walk: Walk,
        links: Sequence[Link],
        depth: int = STEPS_WAITING,
        unkept: tuple[str, ...] = (),
    ) -> None:
        process = walk.process
        self.module = m = Module(name, f"Process {process.name} of {setting.kernel.name}.")
        begin = m.input("start", bit)
        self.parameters = {
            each: m.input(m.fresh(f"parameter_{each}"), type_between(*limits))
            for each, limits in setting.ranges.limits.items()
        }
        self._incoming = [_Reading(m, link) for link in links if link.channel.consumer == process.name]
        self._outgoing = [_Writing(m, link) for link in links if link.channel.producer == process.name]
        self.pause = int(any(each.link.has_cells for each in self._incoming))
        self.idle = m.output("idle", bit, "all has happened")
        self.names = Names(m, (link.port(what) for link in links for what in ("claim", "promise")))
        given = Given(begin, self.parameters, setting.ranges)
        self.steps = Steps(self.names, walk, given, depth, unkept)
        self.goes = self.steps.leaves
        able = [~self._reads(each) | each.there for each in self._incoming]
        able += [~self._writes(each) | each.room for each in self._outgoing]
        self.ready = self.names.wire("channels_ready", all_of(self.steps.valid, *able))
        self._uses: Mapping[int, int] = {}

    def _reads(self, each: _Reading) -> Value:
        return self.steps.field(each.link.port("reads"))

    def _writes(self, each: _Writing) -> Value:
        return self.steps.field(each.link.port("writes"))

    def can_be_late(self, position: int) -> bool:
        """Whether values may be taken late: they are in queues, and some come from the process itself."""
        links = [each.link for each in self._reading(position)]
        return any(link.is_private for link in links) and not any(link.has_cells for link in links)

    def _reading(self, position: int) -> list[_Reading]:
        return [each for each in self._incoming if each.link.channel.read == position]

    def connect(self, uses: Mapping[int, int]) -> None:
        """Takes values, and books places, when a step goes; at some positions values are taken later.

        `uses` are the cycles from the start of the datapath to those takes.
        """
        m, field = self.module, self.steps.field
        self._uses = uses
        for each in self._incoming:
            self._take(each)
        for each in self._outgoing:
            if each.book is not None:
                m.assign(each.book, self.goes & self._writes(each))
            if each.target is not None:
                m.assign(each.target, field(each.link.port("target")).wrapped(each.link.cell))

    def _take(self, each: _Reading) -> None:
        m, link, field = self.module, each.link, self.steps.field
        ends = self.goes & self._reads(each) & field(link.port("last"))
        if link.channel.read in self._uses:
            claim = m.output(link.port("claim"), ends)
            ends = self.later(link.port("takes"), claim, self._moment(link.channel.read), resets=True)
        m.assign(each.take, ends)
        if each.source is not None and each.read is not None:
            m.assign(each.source, field(link.port("source")).wrapped(link.cell))
            m.assign(each.read, self.goes & self._reads(each))

    def _moment(self, position: int) -> int:
        """The cycles from a step to the word that it reads at a position."""
        return self.pause + self._uses.get(position, 0)

    def later(self, wish: str, value: Value, cycles: int, *, resets: bool = False) -> Value:
        """A value some cycles later."""
        return delayed(self.names, wish, value, cycles, resets=resets)

    def word(self, position: int) -> Value:
        """The value that a step reads at a position, in the cycle in which it is used; any, if it reads none."""
        choices: list[tuple[Value, Value]] = []
        for each in self._reading(position):
            here = self.later(each.link.port("chosen"), self._reads(each), self._moment(position))
            choices.append((here, self._held(each)))
        return self.names.named(f"operand_{position}", one_hot_mux(choices))

    def _held(self, each: _Reading) -> Value:
        at_once = each.link.has_cells or each.link.channel.read in self._uses
        return each.word if at_once else self.later(each.link.port("held"), each.word, self.pause)

    def send(self, value: Value, latency: int) -> None:
        """Sends a value that is there some cycles after the step went; what is handed on is sent earlier."""
        for each in self._outgoing:
            link, sends = each.link, self.goes & self._writes(each)
            forwards, position = link.channel.forwards, link.channel.read
            cycles = self._moment(position) if forwards else latency
            sent = self.word(position) if forwards else value
            self.module.assign(each.value, sent.wrapped(bits_of(link.element)))
            self.module.assign(each.send, self.later(link.port("sends"), sends, cycles, resets=True))
            if each.filled is not None:
                cell = self.steps.field(link.port("target")).wrapped(link.cell)
                self.module.assign(each.filled, self.later(link.port("cell"), cell, cycles))
            if link.is_private and position in self._uses:
                self._promise(link, sends, cycles)

    def _promise(self, link: Link, sends: Value, cycles: int) -> None:
        """Promises a value to a later step, as soon as that cannot want it before it is at the front of the queue."""
        arrives = cycles + queue_latency(capacity(link, 0, late=True))
        early = max(1, arrives - self._moment(link.channel.read))
        self.module.output(link.port("promise"), self.later(link.port("promised"), sends, early - 1, resets=True))

    def design(self, scalars: Mapping[str, Signal], latency: int) -> ProcessDesign:
        """The module with its ports."""
        parameters = {name: port.name for name, port in self.parameters.items()}
        late = frozenset(each.link.name for each in self._incoming if each.link.channel.read in self._uses)
        ports = {name: port.name for name, port in scalars.items()}
        return ProcessDesign(self.module, parameters, ports, latency, late)


def make_compute_process(name: str, setting: Setting, walk: Walk, links: Sequence[Link]) -> ProcessDesign:
    """The hardware of a process that executes a statement."""
    body = Body(name, setting, walk, links)
    m, names = body.module, body.names
    path = _datapath(setting, walk, body)
    scalars = {
        each: m.input(m.fresh(f"scalar_{each}"), port.bits)
        for each, port in path.stable.items()
        if each not in setting.ranges.limits
    }
    m.assign(body.steps.enters, body.steps.at & body.steps.room)
    m.assign(body.goes, body.ready)
    start = body.later("begins", body.goes, body.pause, resets=True)
    body.connect({position: slot.used for position, slot in path.times.slots.items()})
    inputs = {f"{fetch_port(position)}_data": body.word(position) for position in path.times.slots}
    inputs |= {port.name: _argument(body, each) for each, port in path.arguments.items()}
    inputs |= {port.name: {**body.parameters, **scalars}[each] for each, port in path.stable.items()}
    unit = m.instance(names.fresh("datapath"), path.module, {"start": start, **inputs})
    latency = body.pause + path.times.write
    body.send(unit["write_data"], latency)
    m.assign(body.idle, body.steps.over & ~start & ~unit["busy"])
    return body.design(scalars, latency)


def _datapath(setting: Setting, walk: Walk, body: Body) -> Datapath:
    """The datapath of a statement whose operands are given at its start, late operands excepted."""
    kernel = setting.kernel
    statement = kernel.statement(walk.process.name)
    stores = {name: ArrayLayout(name, array.type, ()) for name, array in kernel.arrays.items()}
    stable = {name: stores[name].type for name in setting.scalars}
    words = {k: _word_name(k) for k in range(len(statement.reads)) if not body.can_be_late(k)}
    iterators = {name: body.steps.field(iterator_field(name)).bits for name in iterators_used(statement)}
    known = stable | {name: port.bits for name, port in body.parameters.items()}
    graph = lowered(statement, Arguments(iterators, {}, words), known, stores, setting.operations)
    times = timetable(graph, stores, MemoryTiming())
    title = f"Statement {statement.name} of {kernel.name}."
    return make_datapath(f"{body.module.name}_datapath", title, times, stores[statement.write.array], stores, [])


def _word_name(position: int) -> str:
    """The name of an operand; no iterator has spaces."""
    return f"word {position}"


def _argument(body: Body, name: str) -> Value:
    """What a datapath is given: an operand, or an iterator."""
    if name.startswith("word "):
        return body.word(int(name.removeprefix("word ")))
    return body.later(name, body.steps.field(iterator_field(name)), body.pause)
