"""The datapath of a statement: a pipeline that takes an instance when it starts, and writes its result later.

It asks stores for words in fixed cycles after the start, and gives the address and value to write in another one. It
also has probes for pending writes: whether one of them goes to an address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadstone.hardware.datapath.dataflow import Argument, Fetch, Known, Logic, Node, Stable, in_order
from loadstone.hardware.datapath.timing import Slot, Timetable
from loadstone.hardware.layout import ArrayLayout, ArrayLayouts
from loadstone.operators import Operator
from loadstone.operators.stages import Stages
from loadstone.rtl.conditions import any_of, mux
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Module
from loadstone.rtl.types import Bits, address_width, bit, unsigned


@dataclass(frozen=True, slots=True)
class Probe:
    """Asks whether a write of one of the last `window` instances is to come; `addressed`: to an address it gives."""

    name: str
    window: int
    addressed: bool


def address_type(store: ArrayLayout, *, one_copy: bool = False) -> Bits:
    """The type of addresses of a store, or of one copy of its words."""
    return unsigned(address_width(store.depth // store.copies if one_copy else store.depth))


@dataclass(frozen=True, slots=True, eq=False)
class Datapath:
    """The module of a statement, its times, and the ports for arguments and for values that do not change.

    Other ports: `start`; for each fetch k `fetch_k_enable`, `fetch_k_address`, and `fetch_k_data` back; `write_enable`,
    `write_address`, `write_data`; `busy` as long as an instance is in it; for each probe p `p_address` and `p_hit`.
    """

    module: Module
    times: Timetable
    arguments: Mapping[str, Signal]
    stable: Mapping[str, Signal]


def make_datapath(
    name: str,
    comment: str,
    times: Timetable,
    store: ArrayLayout,
    stores: ArrayLayouts,
    probes: Sequence[Probe],
) -> Datapath:
    """The datapath of a statement that writes to a store."""
    m = Module(name, comment)
    start = m.input("start", bit, "takes an instance")
    arguments = _inputs(m, times, Argument)
    stable = _inputs(m, times, Stable)
    stages = Stages(m)
    stages.arrives(start, 0, resets=True)
    for signal in arguments.values():
        stages.arrives(signal, 0)
    _Builder(m, stages, times, stores, {**arguments, **stable}, {}).fill(store, probes)
    return Datapath(m, times, arguments, stable)


def _inputs(m: Module, times: Timetable, kind: type[Argument] | type[Stable]) -> dict[str, Signal]:
    """New inputs for the arguments, or for what does not change."""
    found: dict[str, Signal] = {}
    comment = "does not change" if kind is Stable else ""
    for node in in_order(*times.graph.results):
        if isinstance(node.operation, kind) and node.operation.name not in found:
            name = node.operation.name
            found[name] = m.input(m.fresh(f"{name}_in"), node.type, comment)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Builder:
    """Fills the module of a statement; `values` are those of the nodes so far."""

    module: Module
    stages: Stages
    table: Timetable
    stores: ArrayLayouts
    given: Mapping[str, Signal]
    values: dict[Node, Value]

    def fill(self, store: ArrayLayout, probes: Sequence[Probe]) -> None:
        """Adds all that is behind the inputs."""
        graph, write = self.table.graph, self.table.write
        value = self._value(graph.value)
        enable = self._running(write)
        if graph.condition is not None:
            enable = enable & self.stages.moved(self._value(graph.condition), write)
        self.module.output("write_enable", enable)
        self.module.output("write_data", self.stages.moved(value, write).wrapped(store.type))
        if graph.address is not None:
            address = self._value(graph.address)
            self.module.output("write_address", self._address(address, store, write))
        self._answer(probes, store)
        self.module.output("busy", any_of(*(self._running(stage) for stage in range(1, write + 1))))
        self.stages.write()

    def _running(self, stage: int) -> Value:
        return self.stages.at(self.module["start"], stage)

    def _address(self, address: Value, store: ArrayLayout, stage: int) -> Value:
        return self.stages.moved(address.wrapped(address_type(store)), stage)

    def _answer(self, probes: Sequence[Probe], store: ArrayLayout) -> None:
        """Adds probes: what they ask for, and the answers."""
        for probe in probes:
            hits = [self._running(stage) for stage in range(1, probe.window + 1)]
            if probe.addressed:
                assert self.table.graph.address is not None
                wanted = self.module.input(f"{probe.name}_address", address_type(store))
                address = self._value(self.table.graph.address)
                hits = [
                    hit & (self._address(address, store, stage) == wanted) for stage, hit in enumerate(hits, start=1)
                ]
            self.module.output(f"{probe.name}_hit", any_of(*hits))

    def _value(self, node: Node) -> Value:
        """The hardware of a node."""
        if node not in self.values:
            self.values[node] = self._made(node)
        return self.values[node]

    def _made(self, node: Node) -> Value:
        match node.operation:
            case Known(value=value):
                return value
            case Argument(name=name) | Stable(name=name):
                return self.given[name]
            case Fetch():
                return self._fetch(node)
            case Logic(make=make):
                stage = self.table.starts[node]
                return self.stages.wire(node.wish, make(*map(self._value, node.inputs)), stage)
            case Operator() as operator:
                return self._instance(node, operator)

    def _fetch(self, node: Node) -> Signal:
        position, slot = next((k, slot) for k, slot in self.table.slots.items() if slot.node is node)
        port = fetch_port(position)
        store = self.stores[slot.array]
        data = self.module.input(f"{port}_data", store.type, f"from {slot.array}")
        if store.depth:
            self.module.output(f"{port}_enable", self._running(slot.asked))
            self.module.output(f"{port}_address", self._fetch_address(node, slot, store))
        return self.stages.arrives(data, slot.used)

    def _fetch_address(self, node: Node, slot: Slot, store: ArrayLayout) -> Value:
        """The address of a word; one that may be none of the array is 0 then."""
        assert isinstance(node.operation, Fetch)
        address = self._value(node.inputs[0])
        if not node.operation.exact:
            inside = (address >= 0) & (address < store.depth)
            address = mux(inside, address.wrapped(address_type(store)), 0)
        return self._address(address, store, slot.asked)

    def _instance(self, node: Node, operator: Operator) -> Signal:
        stage, m = self.table.starts[node], self.module
        names = ("a", "b")[: len(node.inputs)]
        operands = {
            name: self.stages.moved(self._value(source), stage) for name, source in zip(names, node.inputs, strict=True)
        }
        instance = m.instance(m.fresh(f"{node.wish}_unit"), operator.module, {"ce": 1, **operands})
        return self.stages.arrives(instance["result"], stage + operator.latency)


def fetch_port(position: int) -> str:
    """The ports of a fetch start with this."""
    return f"fetch_{position}"
