"""A kernel as hardware whose arrays are in memories on the chip [Devos, Figure 5.13].

A controller starts the instances in their order, one in each cycle, and each goes through the datapath of its statement.
An instance waits as long as a value that it reads is still to be written by one before it, so that nothing depends on
how long pipelines are, and as long as a port of a memory is taken in a cycle in which it needs it:

- a read sees all writes up to the cycle before its word is used (`memories.py`), so it waits for those that come later;
- a write waits for those of instances before it to the same element, where their statement takes longer;
- no write is so early that an instance before it could still see it.

Scalars are registers, written at the end of a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from loadstone.hardware.calls import Signature, signature, with_signatures
from loadstone.hardware.controller import Options, make_controller
from loadstone.hardware.datapath import Datapath, Probe, address_type, fetch_port, make_datapath
from loadstone.hardware.hazards import may_follow
from loadstone.hardware.interface import OWN, Statements, statement_ports
from loadstone.hardware.limits import Limits, within
from loadstone.hardware.lowering import Arguments, encoded, lowered
from loadstone.hardware.memories import make_memory, words
from loadstone.hardware.names import Names
from loadstone.hardware.paths import statements as statements_of
from loadstone.hardware.stores import Store, Stores, stores_of
from loadstone.hardware.timing import Memories, Timetable, timetable
from loadstone.loops.model import Node
from loadstone.model.kernel import Array, Kernel, Statement
from loadstone.rtl.expressions import Signal, Value, any_of, cat, const, mux
from loadstone.rtl.module import Instance, Module
from loadstone.rtl.names import fresh
from loadstone.rtl.types import Bits, bit, unsigned


@dataclass(frozen=True, slots=True, eq=False)
class HostPort:
    """How an array is filled and looked at from outside while the hardware is ready."""

    write: str
    address: str
    data: str
    word: str


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The hardware of a kernel: its top module, and which of its ports are for what.

    `parameters`, `scalars_in` and `scalars_out` name ports, `words` the copies of an array's words as paths. `latency`
    is that of the memories.
    """

    module: Module
    limits: Mapping[str, Limits]
    latency: int
    stores: Stores
    times: Mapping[str, Timetable]
    parameters: Mapping[str, str]
    scalars_in: Mapping[str, str]
    scalars_out: Mapping[str, str]
    arrays: Mapping[str, HostPort]
    words: Mapping[str, tuple[str, ...]]


def make_on_chip(
    kernel: Kernel, tree: Node, limits: Mapping[str, Limits], memories: Memories = Memories()
) -> Design:
    """The hardware of a kernel that runs by a loop tree, for parameters in ranges."""
    return _Maker(kernel, tree, limits, memories).design()


@dataclass(frozen=True, slots=True, eq=False)
class _Hazard:
    """A probe of the datapath of a writer, for an access of a statement: a fetch, or its write (-1)."""

    writer: str
    statement: str
    position: int
    probe: Probe


class _Maker:
    """Makes the hardware of a kernel, part by part."""

    def __init__(self, kernel: Kernel, tree: Node, limits: Mapping[str, Limits], memories: Memories) -> None:
        self.kernel, self.limits, self.memories = kernel, limits, memories
        self.stores = stores_of(kernel, limits)
        self.statements = {name: kernel.statement(name) for name in statements_of(tree)}
        self.signatures = {
            name: signature(statement, kernel.parameters, self.stores) for name, statement in self.statements.items()
        }
        self.name = fresh(kernel.name, OWN)
        self.control, self.control_ports = self._controller(tree)
        self.known = within(limits, kernel.context)
        self.stable = {name: self.stores[name].type for name in self._constants()}
        self.times = self._late_enough({name: self._times(name) for name in self.statements})
        self.hazards = tuple(self._hazards())
        self.datapaths = {name: self._datapath(name) for name in self.statements}

    def _controller(self, tree: Node) -> tuple[Module, Statements]:
        called = with_signatures(tree, self.statements, self.signatures)
        arguments = {name: each.names for name, each in self.signatures.items()}
        control = make_controller(
            f"{self.name}_control", called, self.limits, Options(arguments=arguments), self.kernel.context
        )
        inputs = control.of_kind("input")[: len(self.limits) + 1]
        return control, statement_ports(arguments, statements_of(called), (port.name for port in inputs))

    def _constants(self) -> Iterator[str]:
        """The scalars that are never written."""
        written = {statement.write.array for statement in self.statements.values()}
        yield from (name for name, array in self.kernel.arrays.items() if array.rank == 0 and name not in written)

    def _arguments(self, name: str) -> Arguments:
        ports = [self.control_ports.port(name, what) for what in self.signatures[name].names]
        return self.signatures[name].typed([self.control[port].bits for port in ports])

    def _times(self, name: str) -> Timetable:
        parameters = dict(zip(self.limits, self.control.of_kind("input"), strict=False))
        stable = {**self.stable, **{parameter: port.bits for parameter, port in parameters.items()}}
        graph = lowered(self.statements[name], self._arguments(name), stable, self.stores)
        return timetable(graph, self.stores, self.memories)

    def _late_enough(self, times: Mapping[str, Timetable]) -> dict[str, Timetable]:
        """The times with writes that no instance before them can see."""
        used: dict[str, int] = {}
        for slot in (slot for table in times.values() for slot in table.slots.values()):
            used[slot.array] = max(used.get(slot.array, 0), slot.used)
        return {
            name: replace(table, write=max(table.write, used.get(self.statements[name].write.array, 0) - 1))
            for name, table in times.items()
        }

    def _hazards(self) -> Iterator[_Hazard]:
        for writer in self.statements.values():
            for name, statement in self.statements.items():
                yield from self._hazards_between(writer, name, statement)

    def _hazards_between(self, writer: Statement, name: str, statement: Statement) -> Iterator[_Hazard]:
        """The accesses of a statement that may come too early after a write of another."""
        table = self.times[name]
        accesses = [(k, statement.reads[k], slot.used) for k, slot in table.slots.items()]
        for position, access, cycle in (*accesses, (-1, statement.write, table.write)):
            window = self.times[writer.name].write - cycle
            if access.array == writer.write.array and window > 0 and self._meet(writer, statement, position):
                addressed = all(
                    k in self.signatures[each].addresses for each, k in ((writer.name, -1), (name, position))
                )
                probe = Probe(fresh(f"{name}_{position if position >= 0 else 'write'}", ()), window, addressed)
                yield _Hazard(writer.name, name, position, probe)

    def _meet(self, writer: Statement, statement: Statement, position: int) -> bool:
        access = statement.write if position < 0 else statement.reads[position]
        return may_follow(self.kernel, self.known, writer, access)

    def _datapath(self, name: str) -> Datapath:
        statement = self.statements[name]
        probes = [hazard.probe for hazard in self.hazards if hazard.writer == name]
        comment = f"Statement {name} of {self.kernel.name}."
        return make_datapath(
            fresh(f"{self.name}_{name}", ()), comment, self.times[name], self.stores[statement.write.array],
            self.stores, probes,
        )

    def design(self) -> Design:
        """All of it in a top module."""
        top = _Top(self)
        top.fill()
        return Design(
            top.module, self.limits, self.memories.latency, self.stores, self.times,
            {name: port.name for name, port in top.parameters.items()},
            {name: port.name for name, port in top.scalars_in.items()},
            top.scalars_out, top.hosts, top.words,
        )


class _Top:
    """The top module while it is made."""

    def __init__(self, maker: _Maker) -> None:
        self.maker = maker
        self.module = m = Module(maker.name, f"{maker.kernel.name}, with its arrays in memories on the chip.")
        self.names = Names(m)
        self.start = m.input(self.names.fresh("start"), bit, "starts it, when it is ready")
        self.parameters = {
            name: m.input(self.names.fresh(name), port.bits)
            for name, port in zip(maker.limits, maker.control.of_kind("input"), strict=False)
        }
        arrays = maker.kernel.arrays.values()
        self.scalars_in = {
            array.name: m.input(self.names.fresh(f"{array.name}_in"), maker.stores[array.name].type)
            for array in arrays
            if array.rank == 0 and (array.initialised or array.name in maker.stable)
        }
        self.host_inputs = {array.name: self._host_inputs(array) for array in arrays if _is_seen(array)}
        self.scalars_out: dict[str, str] = {}
        self.hosts: dict[str, HostPort] = {}
        self.words: dict[str, tuple[str, ...]] = {}

    def _host_inputs(self, array: Array) -> tuple[Signal, Signal, Signal]:
        store, m = self.maker.stores[array.name], self.module
        return (
            m.input(self.names.fresh(f"{array.name}_write"), bit, f"writes {array.name} while ready"),
            m.input(self.names.fresh(f"{array.name}_address"), address_type(store)),
            m.input(self.names.fresh(f"{array.name}_data"), store.type),
        )

    def fill(self) -> None:
        """Adds all parts and connects them."""
        m, maker = self.module, self.maker
        m.section("Issue: an instance starts when nothing that it needs is still on its way")
        self.running = self.names.state("running", comment="since the cycle after the start")
        self.begin = self.names.wire("begin_run", self.start & ~self.running)
        self.going = {name: m.wire(self.names.fresh(f"{name}_goes"), bit) for name in maker.statements}
        control = self._control()
        self.arguments = {name: self._arguments(control, name) for name in maker.statements}
        m.section("Memories and registers")
        self.asks: dict[tuple[str, int], list[tuple[Signal, Signal]]] = {}
        self.data = self._data_wires()
        m.section("Datapaths")
        self.instances = {name: self._instance(name) for name in maker.statements}
        self._stores()
        self._issue(control)
        self._finish(control)

    def _control(self) -> Instance:
        maker = self.maker
        ports = zip(maker.control.of_kind("input"), self.parameters.values(), strict=False)
        inputs: dict[str, Value] = {port.name: value for port, value in ports}
        lasts = {maker.control_ports.port(name, "last"): self.going[name] for name in maker.statements}
        return self.module.instance(
            self.names.fresh("control"), maker.control, {**inputs, "start": self.begin, **lasts}
        )

    def _arguments(self, control: Instance, name: str) -> dict[str, Signal]:
        ports = self.maker.control_ports
        return {what: control[ports.port(name, what)] for what in self.maker.signatures[name].names}

    def _data_wires(self) -> dict[tuple[str, int], Signal]:
        """The words that read ports give, and the values of scalars."""
        found: dict[tuple[str, int], Signal] = {}
        for name, store in self.maker.stores.items():
            if store.depth:
                for port in range(self._read_ports(name)):
                    found[name, port] = self.module.wire(self.names.fresh(f"{name}_word_{port}"), store.type)
            elif name not in self.maker.stable:
                found[name, 0] = self.names.register(f"{name}_value", store.type)
        return found

    def _read_ports(self, array: str) -> int:
        slots = [slot for table in self.maker.times.values() for slot in table.slots.values() if slot.array == array]
        return max((slot.port + 1 for slot in slots), default=1)

    def _instance(self, name: str) -> Instance:
        """The datapath of a statement in its place."""
        path = self.maker.datapaths[name]
        inputs: dict[str, Value] = {"start": self.going[name]}
        inputs |= {port.name: self.arguments[name][what] for what, port in path.arguments.items()}
        inputs |= {port.name: self._stable(what) for what, port in path.stable.items()}
        for position, slot in path.times.slots.items():
            inputs[f"{fetch_port(position)}_data"] = self.data[slot.array, slot.port]
        for hazard in self.maker.hazards:
            if hazard.writer == name and hazard.probe.addressed:
                inputs[f"{hazard.probe.name}_address"] = self._probed(hazard)
        return self.module.instance(self.names.fresh(f"run_{name}"), path.module, inputs)

    def _stable(self, what: str) -> Signal:
        return self.parameters[what] if what in self.parameters else self.scalars_in[what]

    def _probed(self, hazard: _Hazard) -> Value:
        """The address that a hazard asks about."""
        statement = self.maker.statements[hazard.statement]
        access = statement.write if hazard.position < 0 else statement.reads[hazard.position]
        argument = self.maker.signatures[hazard.statement].addresses[hazard.position]
        value = self.arguments[hazard.statement][argument]
        return value.wrapped(address_type(self.maker.stores[access.array]))

    def _stores(self) -> None:
        for name, store in self.maker.stores.items():
            if store.depth:
                self._memory(name, store)
            elif name not in self.maker.stable:
                self._register(name, self.maker.kernel.arrays[name])

    def _writers(self, array: str) -> list[Instance]:
        return [self.instances[s.name] for s in self.maker.statements.values() if s.write.array == array]

    def _register(self, name: str, array: Array) -> None:
        """A scalar: its value at the start, and those that are written."""
        m, value = self.module, self.data[name, 0]
        with m.clocked(f"Scalar {name}."):
            if name in self.scalars_in:
                with m.when(self.begin):
                    m.assign(value, self.scalars_in[name])
            for writer in self._writers(name):
                with m.when(writer["write_enable"]):
                    m.assign(value, writer["write_data"])
        if array.live_out:
            self.scalars_out[name] = m.output(self.names.fresh(f"{name}_out"), value).name

    def _memory(self, name: str, store: Store) -> None:
        """The memory of an array between its datapaths and the host."""
        maker, m = self.maker, self.module
        writers = [(each["write_enable"], each["write_address"], each["write_data"]) for each in self._writers(name)]
        reads = self._read_ports(name)
        host = self.host_inputs.get(name)
        if host is not None:
            writers.append((self.names.wire(f"{name}_host_writes", host[0] & ~self.running), host[1], host[2]))
        inputs: dict[str, Value] = {
            "write_enable": any_of(*(writer[0] for writer in writers)),
            "write_address": _chosen([(writer[0], writer[1]) for writer in writers]),
            "write_data": _chosen([(writer[0], writer[2]) for writer in writers]),
        }
        for port in range(reads):
            asks = self._asks(name, port)
            if host is not None and port == 0:
                asks.append((~self.running, host[1]))
            inputs[f"read_{port}_enable"] = any_of(*(ask[0] for ask in asks))
            inputs[f"read_{port}_address"] = _chosen(asks)
        module = make_memory(
            fresh(f"{maker.name}_{name}", ()), store.type, store.depth, latency=maker.memories.latency, reads=reads,
            initial=_initial(maker.kernel.arrays[name]),
        )
        instance = m.instance(self.names.fresh(f"{name}_memory"), module, inputs)
        for port in range(reads):
            m.assign(self.data[name, port], instance[f"read_{port}_data"])
        self.words[name] = tuple(f"{instance.name}.{words(port)}" for port in range(reads))
        if host is not None:
            word = m.output(self.names.fresh(f"{name}_word"), self.data[name, 0], f"of {name}, {maker.memories.latency} later")
            self.hosts[name] = HostPort(host[0].name, host[1].name, host[2].name, word.name)

    def _asks(self, array: str, port: int) -> list[tuple[Value, Value]]:
        """The fetches of a port: enable and address of each."""
        return [
            (self.instances[name][f"{fetch_port(k)}_enable"], self.instances[name][f"{fetch_port(k)}_address"])
            for name, table in self.maker.times.items()
            for k, slot in table.slots.items()
            if (slot.array, slot.port) == (array, port)
        ]

    def _issue(self, control: Instance) -> None:
        m, maker = self.module, self.maker
        booked = self._bookings()
        for name in maker.statements:
            hits = [self.instances[h.writer][f"{h.probe.name}_hit"] for h in maker.hazards if h.statement == name]
            waits = self.names.state(f"{name}_waits", comment="has been started, and may not go yet")
            wants = self.names.wire(f"{name}_wants", control[maker.control_ports.port(name, "start")] | waits)
            m.assign(self.going[name], wants & ~any_of(*hits, *booked[name]))
            with m.clocked():
                m.assign(waits, wants & ~self.going[name])

    def _bookings(self) -> dict[str, list[Value]]:
        """What each statement finds taken: ports in the cycles in which it needs them."""
        found: dict[str, list[Value]] = {name: [] for name in self.maker.statements}
        for wish, needs in self._needs().items():
            cycles = {cycle for _, cycle in needs}
            if len(cycles) > 1:
                taken = self._booked(wish, needs, max(cycles))
                for name, cycle in needs:
                    if cycle < max(cycles):
                        found[name].append(taken[cycle])
        return found

    def _needs(self) -> dict[str, list[tuple[str, int]]]:
        """For each port, the statements that use it, and the cycles after their start in which they do."""
        found: dict[str, list[tuple[str, int]]] = {}
        for name, table in self.maker.times.items():
            found.setdefault(f"{self.maker.statements[name].write.array}_writes", []).append((name, table.write))
            for slot in table.slots.values():
                if self.maker.stores[slot.array].depth:
                    found.setdefault(f"{slot.array}_reads_{slot.port}", []).append((name, slot.asked))
        return found

    def _booked(self, wish: str, needs: list[tuple[str, int]], last: int) -> Signal:
        """Bit k: the port is taken in k cycles."""
        taken = self.names.state(f"{wish}_taken", unsigned(last), comment="bit k: the port is taken in k cycles")
        marks = [any_of(*(self.going[name] for name, at in needs if at == cycle)) for cycle in range(1, last + 1)]
        with self.module.clocked():
            self.module.assign(taken, (cat(0, taken[1:last]) if last > 1 else const(0)) | cat(*reversed(marks)))
        return taken

    def _finish(self, control: Instance) -> None:
        m = self.module
        m.section("The whole run")
        issued = self.names.state("issued", comment="all instances have started")
        busy = self.names.wire("busy", any_of(*(instance["busy"] for instance in self.instances.values())))
        ends = self.names.wire("ends", issued & ~busy)
        done = self.names.state("was_done")
        with m.clocked():
            m.assign(issued, (issued | control["last"]) & ~ends)
            m.assign(self.running, (self.running | self.begin) & ~ends)
            m.assign(done, (done | ends) & ~self.begin)
        m.output(self.names.fresh("ready"), ~self.running, "may be started")
        m.output(self.names.fresh("done"), done, "has run since the last start")


def _is_seen(array: Array) -> bool:
    """Whether an array is filled before a run, or looked at after it."""
    return array.rank > 0 and (array.initialised or array.live_out)


def _chosen(choices: list[tuple[Value, Value]]) -> Value:
    """The value of the only condition that holds; any, if none does."""
    *others, (_, last) = choices or [(const(0), const(0))]
    return reduce(lambda rest, choice: mux(choice[0], choice[1], rest), reversed(others), last)


def _initial(array: Array) -> tuple[int, ...]:
    """The words that the source states for an array."""
    return tuple(encoded(value, array.type) for value in array.values or ())
