"""Masters of a bus that several processes share: requests in turns, elements in the order of requests.

A record of each request says whose elements are next. No process stalls others for long: a load process has room for
all its requests in flight, and a store process has all elements of a request when it makes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadstone.bus.ports import Bus
from loadstone.hardware.bus_top import BusTop
from loadstone.hardware.names import Names
from loadstone.rtl.blocks import add_queue
from loadstone.rtl.conditions import Choice, any_of, one_hot_mux
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
    """Adds masters to a top module on a bus."""

    top: BusTop

    def add_reader(self, clients: Sequence[Client]) -> tuple[Instance, Signal]:
        """Adds the master that reads; whether an element arrives."""
        m = self.top.module
        taken, arrives = self.top.wire("load_taken"), self.top.wire("load_arrives")
        turns = self._turns("load", clients, taken, arrives)
        reader = self.top.add_reader(self._request(turns), turns.owned)
        m.assign(taken, reader["request_ready"])
        m.assign(arrives, reader["element_valid"] & turns.owned)
        for client, mine in zip(clients, turns.mine, strict=True):
            word = client.answers["element_data"]
            m.assign(client.answers["element_valid"], arrives & mine)
            m.assign(word, reader["element_data"].wrapped(word.bits))
        return reader, arrives

    def add_writer(self, clients: Sequence[Client]) -> tuple[Instance, Signal]:
        """Adds the master that writes; whether an element leaves."""
        m, names, kind = self.top.module, self.top.names, unsigned(self.top.widths.widest)
        taken, leaves = self.top.wire("store_taken"), self.top.wire("store_leaves")
        turns = self._turns("store", clients, taken, leaves)
        both = list(zip(turns.mine, clients, strict=True))
        valid = names.wire("store_offers", any_of(*(mine & client.unit["element_valid"] for mine, client in both)))
        words = [(mine, client.unit["element_data"].wrapped(kind)) for mine, client in both]
        writer = self.top.add_writer(self._request(turns), valid, one_hot_mux(words).wrapped(kind))
        m.assign(taken, writer["request_ready"])
        m.assign(leaves, valid & writer["element_ready"])
        for mine, client in both:
            m.assign(client.answers["element_ready"], mine & writer["element_ready"])
        return writer, leaves

    def _turns(self, title: str, clients: Sequence[Client], taken: Signal, moves: Signal) -> _Turns:
        """The requests of processes in turns; none without processes."""
        if not clients:
            return _Turns({}, const(0), ())
        sizes = [self.top.widths.size_of(client.width) for client in clients]
        name = self.top.modules.fresh(f"{self.top.module.name}_{title}_turns")
        inputs: dict[str, Value] = {"request_ready": taken, "moves": moves}
        for k, client in enumerate(clients):
            for what in ("valid", "address", "count"):
                inputs[f"request_{k}_{what}"] = client.unit[f"request_{what}"]
        module = make_turns(name, self.top.bus, sizes, None if self.top.widths.are_equal else self.top.widths.size)
        unit = self.top.module.instance(self.top.names.fresh(f"{title}_turns"), module, inputs)
        for k, client in enumerate(clients):
            self.top.module.assign(client.answers["request_ready"], unit[f"request_{k}_ready"])
        mine = tuple(unit["owned"] & (unit["owner"] == k) for k in range(len(clients)))
        return _Turns(dict(unit.outputs), unit["owned"], mine)

    def _request(self, turns: _Turns) -> dict[str, Value]:
        """The inputs of a master that are requests."""
        return {port: turns.outputs.get(port, const(0)) for port in self.top.request_ports}


@dataclass(frozen=True, slots=True, eq=False)
class _Turns:
    """The requests for a master, whether an element is somebody's, and whether it is that of each process."""

    outputs: Mapping[str, Value]
    owned: Value
    mine: tuple[Value, ...]


def make_turns(name: str, bus: Bus, sizes: Sequence[int], size: Bits | None) -> Module:
    """A round-robin arbiter for the requests of several processes to one master, which tracks the owner of elements.

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
    """The grant of the arbiter: the first request behind the last one granted, else the first of all."""
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
    records = add_queue(m, "records", REQUESTS, taken, made, ends)
    oldest = record.unpacked(records.data)
    moved = m.register("moved", count.bits, reset=0, comment="elements of the first request that have moved")
    m.assign(room, records.room)
    m.assign(ends, moves & (moved + 1 == oldest["count"]))
    with m.clocked():
        with m.when(ends):
            m.assign(moved, 0)
        with m.elsewhen(moves):
            m.assign(moved, (moved + 1).wrapped(moved.bits))
    m.output("owned", records.valid)
    m.output("owner", oldest["owner"])
