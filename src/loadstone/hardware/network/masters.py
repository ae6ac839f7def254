"""Masters of a bus that several processes share: requests in turns, elements in the order of requests.

A record of each request says whose elements are next. No process keeps others waiting for long: those that load have
places for all that they asked for, and those that store have all elements of a request when they make it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadstone.bus.masters import reading_side, writing_side
from loadstone.bus.ports import Bus, Widths, attach
from loadstone.bus.reading import make_read_master
from loadstone.bus.writing import make_write_master
from loadstone.hardware.names import ModuleNames, Names
from loadstone.hardware.selection import Choice, one_hot_mux
from loadstone.rtl.blocks import make_fifo
from loadstone.rtl.conditions import any_of
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.module import Instance, Module
from loadstone.rtl.record import Record
from loadstone.rtl.types import Bits, address_width, bit, unsigned

REQUESTS = 64
"""How many requests of a master can be under way."""
LOAD_ANSWERS = ("request_ready", "element_valid", "element_data")
STORE_ANSWERS = ("request_ready", "element_ready")
"""What processes get from their masters."""


@dataclass(frozen=True, slots=True, eq=False)
class Client:
    """A process at a master: its hardware, the wires of what it gets from there, and the bits of its elements."""

    unit: Instance
    answers: Mapping[str, Signal]
    width: int


def answer_wires(names: Names, process: str, answers: Sequence[str], word: Bits) -> dict[str, Signal]:
    """New wires for what a process gets from its master."""
    return {
        what: names.module.wire(names.fresh(f"{process}_{what}"), word if what == "element_data" else bit)
        for what in answers
    }


@dataclass(frozen=True, slots=True, eq=False)
class Masters:
    """Adds masters to a module that has the signals of a bus, for elements of some widths; `stop` stops them."""

    names: Names
    modules: ModuleNames
    bus: Bus
    widths: Widths
    signals: Mapping[str, Signal]
    stop: Signal

    def add_reader(self, clients: Sequence[Client]) -> tuple[Instance, Signal]:
        """Adds the master that reads; whether an element arrives."""
        m, names = self.names.module, self.names
        taken, arrives = m.wire(names.fresh("load_taken"), bit), m.wire(names.fresh("load_arrives"), bit)
        turns = self._turns("load", clients, taken, arrives)
        ports = {**self._request(turns), "element_ready": turns.owned, "stop": self.stop}
        master = make_read_master(self.bus, self.widths)
        reader = attach(m, names.fresh("reader"), master, reading_side(self.bus, self.signals), ports)
        m.assign(taken, reader["request_ready"])
        m.assign(arrives, reader["element_valid"] & turns.owned)
        for client, mine in zip(clients, turns.mine, strict=True):
            word = client.answers["element_data"]
            m.assign(client.answers["element_valid"], arrives & mine)
            m.assign(word, reader["element_data"].wrapped(word.bits))
        return reader, arrives

    def add_writer(self, clients: Sequence[Client]) -> tuple[Instance, Signal]:
        """Adds the master that writes; whether an element leaves."""
        m, names, kind = self.names.module, self.names, unsigned(self.widths.widest)
        taken, leaves = m.wire(names.fresh("store_taken"), bit), m.wire(names.fresh("store_leaves"), bit)
        turns = self._turns("store", clients, taken, leaves)
        both = list(zip(turns.mine, clients, strict=True))
        valid = names.wire("store_offers", any_of(*(mine & client.unit["element_valid"] for mine, client in both)))
        words = [(mine, client.unit["element_data"].wrapped(kind)) for mine, client in both]
        ports = {**self._request(turns), "element_valid": valid, "element_data": one_hot_mux(words).wrapped(kind)}
        ports["stop"] = self.stop
        master = make_write_master(self.bus, self.widths)
        writer = attach(m, names.fresh("writer"), master, writing_side(self.bus, self.signals), ports)
        m.assign(taken, writer["request_ready"])
        m.assign(leaves, valid & writer["element_ready"])
        for mine, client in both:
            m.assign(client.answers["element_ready"], mine & writer["element_ready"])
        return writer, leaves

    def _turns(self, title: str, clients: Sequence[Client], taken: Signal, moves: Signal) -> _Turns:
        """The requests of processes in turns; none without processes."""
        if not clients:
            return _Turns({}, const(0), ())
        sizes = [self.widths.size_of(client.width) for client in clients]
        name = self.modules.fresh(f"{self.names.module.name}_{title}_turns")
        inputs: dict[str, Value] = {"request_ready": taken, "moves": moves}
        for k, client in enumerate(clients):
            for what in ("valid", "address", "count"):
                inputs[f"request_{k}_{what}"] = client.unit[f"request_{what}"]
        module = make_turns(name, self.bus, sizes, None if self.widths.are_equal else self.widths.size)
        unit = self.names.module.instance(self.names.fresh(f"{title}_turns"), module, inputs)
        for k, client in enumerate(clients):
            self.names.module.assign(client.answers["request_ready"], unit[f"request_{k}_ready"])
        mine = tuple(unit["owned"] & (unit["owner"] == k) for k in range(len(clients)))
        return _Turns(dict(unit.outputs), unit["owned"], mine)

    def _request(self, turns: _Turns) -> dict[str, Value]:
        """The inputs of a master that are requests."""
        kinds = ("valid", "address", "count") if self.widths.are_equal else ("valid", "address", "count", "size")
        return {f"request_{kind}": turns.outputs.get(f"request_{kind}", const(0)) for kind in kinds}


@dataclass(frozen=True, slots=True, eq=False)
class _Turns:
    """The requests for a master, whether an element is somebody's, and whether it is that of each process."""

    outputs: Mapping[str, Value]
    owned: Value
    mine: tuple[Value, ...]


def make_turns(name: str, bus: Bus, sizes: Sequence[int], size: Bits | None) -> Module:
    """Gives the requests of several processes to one master in turns, and tells whose element is next.

    Ports for process k: `request_k_valid`, `request_k_address`, `request_k_count`, and `request_k_ready` back; its
    elements have size number `sizes[k]` if there are several. `owner` is the process whose element is next, if
    `owned`; `moves` says that the element has moved.
    """
    m, many = Module(name, f"{len(sizes)} processes at one master."), range(len(sizes))
    count_type, owner_type = unsigned(bus.burst.bit_length()), unsigned(address_width(max(2, len(sizes))))
    ready, room = m.input("request_ready", bit), m.wire("room", bit)
    valids = [m.input(f"request_{k}_valid", bit) for k in many]
    addresses = [m.input(f"request_{k}_address", bus.address) for k in many]
    counts = [m.input(f"request_{k}_count", count_type) for k in many]
    served = m.register("served", owner_type, reset=0, comment="whose turn was last")
    picks = _picks(m, valids, [valid & (served < k) for k, valid in enumerate(valids)])
    number = m.wire("number", _picked(picks, [const(k, owner_type) for k in many], owner_type))
    count = m.wire("count", _picked(picks, counts, count_type))
    valid = m.output("request_valid", any_of(*valids) & room)
    m.output("request_address", _picked(picks, addresses, bus.address))
    m.output("request_count", count)
    if size is not None:
        m.output("request_size", _picked(picks, [const(each, size) for each in sizes], size))
    for k, pick in enumerate(picks):
        m.output(f"request_{k}_ready", pick & room & ready)
    taken = m.wire("taken", valid & ready)
    with m.clocked(), m.when(taken):
        m.assign(served, number)
    _add_records(m, taken, number, count, room)
    return m


def _picks(m: Module, valids: Sequence[Value], later: Sequence[Value]) -> list[Signal]:
    """Who is next: the first of those whose number is behind the last one, else the first of all."""
    wraps = m.wire("wraps", ~any_of(*later))
    behind, first = _firsts(later), _firsts(valids)
    return [
        m.wire(f"picks_{k}", one | (wraps & other)) for k, (one, other) in enumerate(zip(behind, first, strict=True))
    ]


def _firsts(flags: Sequence[Value]) -> list[Value]:
    """Whether each flag is the first one that is set."""
    return [flag & ~any_of(*flags[:k]) for k, flag in enumerate(flags)]


def _picked(picks: Sequence[Signal], values: Sequence[Value], type: Bits) -> Value:
    choices: list[Choice] = list(zip(picks, values, strict=True))
    return one_hot_mux(choices).wrapped(type)


def _add_records(m: Module, taken: Signal, number: Signal, count: Signal, room: Signal) -> None:
    """The queue of requests whose elements have not all moved."""
    moves, ends = m.input("moves", bit), m.wire("ends", bit)
    record = Record({"owner": number.bits, "count": count.bits})
    made = record.made(owner=number, count=count)
    fifo = make_fifo(f"{m.name}_records", record.type, REQUESTS)
    records = m.instance("records", fifo, {"in_valid": taken, "in_data": made, "out_ready": ends})
    oldest = record.unpacked(records["out_data"])
    moved = m.register("moved", count.bits, reset=0, comment="elements of the first request that have moved")
    m.assign(room, records["in_ready"])
    m.assign(ends, moves & (moved + 1 == oldest["count"]))
    with m.clocked():
        with m.when(ends):
            m.assign(moved, 0)
        with m.elsewhen(moves):
            m.assign(moved, (moved + 1).wrapped(moved.bits))
    m.output("owned", records["out_valid"])
    m.output("owner", oldest["owner"])
