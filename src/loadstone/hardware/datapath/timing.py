"""When the parts of a statement happen, in cycles after its start.

Operations without registers follow each other in a cycle as long as their delays fit. Words are fetched as late as that
costs no time, so that a value which was just written can still be read: what a sum needs of itself is one addition.
Words that only other statements write are fetched early, so that these need not hold their writes back.
Fetches from one port are apart in time modulo the interval at which instances can start; the latest choose first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from itertools import count

from loadstone.hardware.datapath.dataflow import Argument, Fetch, Known, Logic, Node, Stable, in_order
from loadstone.hardware.datapath.lowering import Graph
from loadstone.hardware.layout import ArrayLayout, ArrayLayouts
from loadstone.operators import Operator

MOST_COPIED = 1 << 20
"""The most bits of all copies of a memory where read ports are chosen."""
FULL = 1.0
"""The part of a cycle that operations can take."""
FETCHED = 0.3
"""The part of a cycle after which a word from a memory is there."""
REGISTERED = 0.05
"""The part of a cycle after which the output of a register is there."""

Time = tuple[int, float]
"""A cycle, and the part of it that has passed."""


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A fetch: from which port of its store, and the cycles in which the address goes there and the word is used."""

    node: Node
    port: int
    asked: int
    used: int

    @property
    def array(self) -> str:
        """The array that is read."""
        assert isinstance(self.node.operation, Fetch)
        return self.node.operation.array


@dataclass(frozen=True, slots=True, eq=False)
class Timetable:
    """The times of a statement: those of the nodes, of fetches by position, and the cycle of the write.

    `interval` is the least number of cycles between instances that the ports allow.
    """

    graph: Graph
    starts: Mapping[Node, int]
    slots: Mapping[int, Slot]
    write: int
    interval: int


@dataclass(frozen=True, slots=True)
class MemoryTiming:
    """The timing of on-chip memories: cycles from an address to its word, and read ports per memory.

    Without a number of ports, there are as many as let an instance go in each cycle. A port is a copy of the memory,
    and all copies take at most `MOST_COPIED` bits.
    """

    latency: int = 1
    read_ports: int | None = None

    def ports(self, store: ArrayLayout, reads: int) -> int:
        """The read ports of a memory of which an instance reads so many words.

        As few as let instances go equally often.
        """
        room = self.read_ports or max(1, MOST_COPIED // (store.depth * store.type.width))
        return self.read_ports or -(-reads // -(-reads // min(reads, room)))

    def interval(self, store: ArrayLayout, reads: int) -> int:
        """The cycles in which so many words are read from a memory."""
        return -(-reads // self.ports(store, reads))


UNREGISTERED, REGISTERED_OUTPUT = MemoryTiming(1), MemoryTiming(2)
"""Memories whose words are used as they come, and those with a register behind them: clocks are faster with these."""


def timetable(
    graph: Graph, stores: ArrayLayouts, memories: MemoryTiming, changing: Set[str] = frozenset()
) -> Timetable:
    """The times of a statement that ends as early as its operations and ports allow.

    `changing` are the arrays that others write, and it does not: their words are fetched early, since no write may
    come before a fetch that has to see the old word.
    """
    fetched = [node for node in in_order(*graph.results) if isinstance(node.operation, Fetch)]
    counts = _counts(fetched, stores)
    interval = max((memories.interval(stores[array], many) for array, many in counts.items()), default=1)
    ports = {array: memories.ports(stores[array], many) for array, many in counts.items()}
    earliest = _Times(graph, stores, memories, {})
    for write in count(earliest.write):
        slots = _placed(fetched, _Times(graph, stores, memories, {}), write, _Free(ports, interval), changing)
        if slots is not None:
            times = _Times(graph, stores, memories, {node: slot.asked for node, slot in slots.items()})
            positions = {position: slots[node] for position, node in graph.fetches.items() if node in slots}
            return Timetable(graph, times.starts, positions, write, interval)
    raise AssertionError("there is always a later time")


def _counts(fetched: list[Node], stores: ArrayLayouts) -> dict[str, int]:
    """How many words of each memory an instance reads."""
    found: dict[str, int] = {}
    for node in fetched:
        assert isinstance(node.operation, Fetch)
        if stores[node.operation.array].depth:
            found[node.operation.array] = found.get(node.operation.array, 0) + 1
    return found


class _Times:
    """The earliest times of all nodes, for fetches not before given cycles."""

    def __init__(self, graph: Graph, stores: ArrayLayouts, memories: MemoryTiming, asked: Mapping[Node, int]) -> None:
        self.graph, self.stores, self.memories, self.asked = graph, stores, memories, asked
        self.starts: dict[Node, int] = {}
        self.arrivals: dict[Node, Time] = {}
        for node in in_order(*graph.results):
            self._add(node)

    @property
    def write(self) -> int:
        """The first cycle in which the result can be written."""
        return max(1, *(self.arrivals[node][0] for node in self.graph.results))

    def latency(self, node: Node) -> int:
        """The cycles from an address to its word."""
        assert isinstance(node.operation, Fetch)
        return self.memories.latency if self.stores[node.operation.array].depth else 0

    def keeps(self, write: int) -> bool:
        """Whether the result can be written in a cycle, and no fetch is later than wanted."""
        return self.write <= write and all(self.starts[node] == cycle for node, cycle in self.asked.items())

    def with_fetch(self, node: Node, cycle: int) -> _Times:
        """The times with a fetch not before a cycle."""
        return _Times(self.graph, self.stores, self.memories, {**self.asked, node: cycle})

    def _add(self, node: Node) -> None:
        ready = max((self.arrivals[source] for source in node.inputs), default=(0, 0.0))
        start, arrival = self._times(node, ready)
        self.starts[node], self.arrivals[node] = start, arrival

    def _times(self, node: Node, ready: Time) -> tuple[int, Time]:
        """The cycle in which a node starts, and the time of its value."""
        cycle, passed = ready
        match node.operation:
            case Known() | Stable():
                return 0, (0, 0.0)
            case Argument():
                return 0, (1, REGISTERED)
            case Fetch():
                start = max(1, cycle + (passed > FETCHED), self.asked.get(node, 0))
                latency = self.latency(node)
                return start, (start + latency, FETCHED if latency else REGISTERED)
            case Logic(delay=delay):
                start = cycle + (passed + delay > FULL)
                return start, (start, delay + (passed if start == cycle else REGISTERED))
            case Operator(latency=0):
                return cycle, (cycle, passed + REGISTERED)
            case Operator(latency=latency):
                start = cycle + (passed > FETCHED)
                return start, (start + latency, REGISTERED)


class _Free:
    """The cycles, modulo the interval between instances, in which ports of memories are free."""

    def __init__(self, ports: Mapping[str, int], interval: int) -> None:
        self._ports, self._interval = ports, interval
        self._taken: dict[str, set[tuple[int, int]]] = {}

    def port(self, array: str, cycle: int) -> int | None:
        """A free port of a memory in a cycle, which is then taken; None if there is none."""
        used = self._taken.setdefault(array, set())
        for port in range(self._ports[array]):
            if (port, cycle % self._interval) not in used:
                used.add((port, cycle % self._interval))
                return port
        return None


def _placed(fetched: list[Node], times: _Times, write: int, free: _Free, changing: Set[str]) -> dict[Node, Slot] | None:
    """Slots for all fetches that let the write happen in a cycle; None if the ports do not allow it."""
    slots: dict[Node, Slot] = {}
    for node in sorted(fetched, key=lambda each: -_latest(times, each, write)):
        assert isinstance(node.operation, Fetch)
        cycles = range(times.starts[node], _latest(times, node, write) + 1)
        slot = _free_slot(node, times, cycles if node.operation.array in changing else cycles[::-1], free)
        if slot is None:
            return None
        slots[node] = slot
        times = times.with_fetch(node, slot.asked)
    return slots if times.keeps(write) else None


def _latest(times: _Times, node: Node, write: int) -> int:
    """The latest cycle for a fetch."""
    return _last_true(times.starts[node], lambda cycle: times.with_fetch(node, cycle).keeps(write))


def _last_true(first: int, holds: Callable[[int], bool]) -> int:
    """The last number from the first one on for which a condition holds that holds up to some number."""
    step = 1
    while holds(first + step):
        first, step = first + step, 2 * step
    while step:
        first, step = (first + step, step) if holds(first + step) else (first, step // 2)
    return first


def _free_slot(node: Node, times: _Times, cycles: range, free: _Free) -> Slot | None:
    """The first slot of a port that is free, in the order of some cycles."""
    assert isinstance(node.operation, Fetch)
    latency = times.latency(node)
    if not times.stores[node.operation.array].depth:
        return Slot(node, 0, cycles[0], cycles[0] + latency)
    for cycle in cycles:
        port = free.port(node.operation.array, cycle)
        if port is not None:
            return Slot(node, port, cycle, cycle + latency)
    return None
