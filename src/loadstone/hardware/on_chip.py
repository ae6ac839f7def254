"""A kernel as hardware: arrays in memories on the chip, and scalars in registers [Devos, Figure 5.13]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from loadstone.hardware.arithmetic import encoded
from loadstone.hardware.compute import Compute, Hazard, make_compute
from loadstone.hardware.datapath import address_type, fetch_port
from loadstone.hardware.issue import add_issue
from loadstone.hardware.limits import Limits
from loadstone.hardware.memories import make_memory, words
from loadstone.hardware.names import Names
from loadstone.hardware.operations import Operations
from loadstone.hardware.stores import Store, stores_of
from loadstone.hardware.timing import Memories
from loadstone.loops.model import Node
from loadstone.model.kernel import Array, Kernel
from loadstone.rtl.expressions import Signal, Value, any_of, const, mux
from loadstone.rtl.module import Instance, Module
from loadstone.rtl.names import fresh
from loadstone.rtl.types import bit

Choice = tuple[Value, Value]
"""A condition, and the value that it chooses."""


@dataclass(frozen=True, slots=True)
class HostPort:
    """The ports by which an array is filled and looked at from outside while the hardware is ready."""

    write: str
    address: str
    data: str
    word: str


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The hardware of a kernel: its top module, what it is made of, and which of its ports are for what.

    `parameters`, `scalars_in` and `scalars_out` name ports, `words` the copies of an array's words as paths.
    """

    module: Module
    compute: Compute
    limits: Mapping[str, Limits]
    parameters: Mapping[str, str]
    scalars_in: Mapping[str, str]
    scalars_out: Mapping[str, str]
    arrays: Mapping[str, HostPort]
    words: Mapping[str, tuple[str, ...]]


def make_on_chip(
    kernel: Kernel,
    tree: Node,
    limits: Mapping[str, Limits],
    memories: Memories | None = None,
    operations: Operations | None = None,
) -> Design:
    """The hardware of a kernel that runs by a loop tree, for parameters in ranges.

    Ports: `start`, parameters, scalars, `ready` and `done`; for each array that is seen from outside a port that writes
    and reads its words while the hardware is ready.
    """
    stores = stores_of(kernel, limits)
    compute = make_compute(kernel, tree, limits, stores, memories or Memories(), operations or Operations())
    top = _Top(compute)
    top.fill()
    return Design(
        module=top.module,
        compute=compute,
        limits=limits,
        parameters={name: port.name for name, port in top.parameters.items()},
        scalars_in={name: port.name for name, port in top.scalars_in.items()},
        scalars_out=top.scalars_out,
        arrays=top.hosts,
        words=top.words,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Host:
    """The inputs of a host port."""

    write: Signal
    address: Signal
    data: Signal


class _Top:
    """The top module while it is made."""

    def __init__(self, compute: Compute) -> None:
        self.compute = compute
        self.module = m = Module(compute.name, f"{compute.kernel.name}, with its arrays in memories on the chip.")
        self.names = Names(m, ("ready", "done"))
        self.start = m.input(self.names.fresh("start"), bit, "starts it, when it is ready")
        control = compute.control
        self.parameters = {
            name: m.input(self.names.fresh(name), control.module[port].bits)
            for name, port in control.parameters.items()
        }
        self.scalars_in = {
            array.name: m.input(self.names.fresh(f"{array.name}_in"), compute.stores[array.name].type)
            for array in compute.kernel.arrays.values()
            if array.rank == 0 and (array.initialised or array.name in compute.stable)
        }
        self.host_inputs = {
            array.name: self._host(array) for array in compute.kernel.arrays.values() if _is_seen(array)
        }
        self.scalars_out: dict[str, str] = {}
        self.hosts: dict[str, HostPort] = {}
        self.words: dict[str, tuple[str, ...]] = {}

    def _host(self, array: Array) -> _Host:
        store, m = self.compute.stores[array.name], self.module
        return _Host(
            m.input(self.names.fresh(f"{array.name}_write"), bit, f"writes a word of {array.name}, while ready"),
            m.input(self.names.fresh(f"{array.name}_address"), address_type(store)),
            m.input(self.names.fresh(f"{array.name}_data"), store.type),
        )

    def fill(self) -> None:
        """Adds all parts and connects them."""
        m, statements = self.module, self.compute.statements
        self.running = self.names.state("running", comment="since the cycle after the start")
        self.begin = self.names.wire("begin_run", self.start & ~self.running)
        self.going = {name: m.wire(self.names.fresh(f"{name}_goes"), bit) for name in statements}
        control = self._control()
        ports = self.compute.control.ports
        self.arguments = {
            name: {what: control[ports.port(name, what)] for what in ports.arguments[name]} for name in statements
        }
        self.data = self._data()
        m.section("Datapaths")
        self.datapaths = {name: self._datapath(name) for name in statements}
        m.section("Issue: an instance goes when nothing that it needs is still on its way")
        add_issue(self.names, self.compute, control, self.datapaths, self.going)
        m.section("Memories and registers")
        self._stores()
        self._finish(control)

    def _control(self) -> Instance:
        control = self.compute.control
        inputs: dict[str, Value] = {control.parameters[name]: port for name, port in self.parameters.items()}
        lasts = {control.ports.port(name, "last"): goes for name, goes in self.going.items()}
        return self.module.instance(
            self.names.fresh("control"), control.module, {**inputs, "start": self.begin, **lasts}
        )

    def _data(self) -> dict[tuple[str, int], Signal]:
        """The words that read ports give, and the values of scalars."""
        found: dict[tuple[str, int], Signal] = {}
        for name, store in self.compute.stores.items():
            if store.depth:
                for port in range(self._read_ports(name)):
                    found[name, port] = self.module.wire(self.names.fresh(f"{name}_word_{port}"), store.type)
            elif name not in self.compute.stable:
                found[name, 0] = self.names.register(f"{name}_value", store.type)
        return found

    def _read_ports(self, array: str) -> int:
        slots = [slot for table in self.compute.times.values() for slot in table.slots.values()]
        return max((slot.port + 1 for slot in slots if slot.array == array), default=1)

    def _datapath(self, name: str) -> Instance:
        """The datapath of a statement in its place."""
        path = self.compute.datapaths[name]
        inputs: dict[str, Value] = {"start": self.going[name]}
        inputs |= {port.name: self.arguments[name][what] for what, port in path.arguments.items()}
        inputs |= {port.name: self._stable(what) for what, port in path.stable.items()}
        for position, slot in path.times.slots.items():
            inputs[f"{fetch_port(position)}_data"] = self.data[slot.array, slot.port]
        for hazard in self.compute.hazards:
            if hazard.writer == name and hazard.probe.addressed:
                inputs[f"{hazard.probe.name}_address"] = self._probed(hazard)
        return self.module.instance(self.names.fresh(f"run_{name}"), path.module, inputs)

    def _stable(self, what: str) -> Signal:
        return self.parameters[what] if what in self.parameters else self.scalars_in[what]

    def _probed(self, hazard: Hazard) -> Value:
        """The address that a hazard asks about."""
        array = self.compute.access(hazard.statement, hazard.position).array
        argument = self.compute.signatures[hazard.statement].addresses[hazard.position]
        return self.arguments[hazard.statement][argument].wrapped(address_type(self.compute.stores[array]))

    def _stores(self) -> None:
        for name, store in self.compute.stores.items():
            if store.depth:
                self._memory(name, store)
            elif name not in self.compute.stable:
                self._register(name, self.compute.kernel.arrays[name])

    def _writers(self, array: str) -> list[Instance]:
        statements = self.compute.statements.values()
        return [self.datapaths[each.name] for each in statements if each.write.array == array]

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
        """The memory of an array between datapaths and host."""
        compute, m = self.compute, self.module
        reads = self._read_ports(name)
        module = make_memory(
            fresh(f"{compute.name}_{name}", ()),
            store.type,
            store.depth,
            latency=compute.memories.latency,
            reads=reads,
            initial=[encoded(value, store.element) for value in compute.kernel.arrays[name].values or ()],
        )
        inputs = {**self._writing(name), **self._reading(name, reads)}
        instance = m.instance(self.names.fresh(f"{name}_memory"), module, inputs)
        for port in range(reads):
            m.assign(self.data[name, port], instance[f"read_{port}_data"])
        self.words[name] = tuple(f"{instance.name}.{words(port)}" for port in range(reads))
        if name in self.host_inputs:
            host = self.host_inputs[name]
            word = m.output(self.names.fresh(f"{name}_word"), self.data[name, 0], "at the address, while ready")
            self.hosts[name] = HostPort(host.write.name, host.address.name, host.data.name, word.name)

    def _writing(self, name: str) -> dict[str, Value]:
        """The inputs of the port that writes."""
        writers = [(each["write_enable"], each["write_address"], each["write_data"]) for each in self._writers(name)]
        host = self.host_inputs.get(name)
        if host is not None:
            writers.append(
                (self.names.wire(f"{name}_host_writes", host.write & ~self.running), host.address, host.data)
            )
        return {
            "write_enable": any_of(*(enable for enable, _, _ in writers)),
            "write_address": _chosen([(enable, address) for enable, address, _ in writers]),
            "write_data": _chosen([(enable, data) for enable, _, data in writers]),
        }

    def _reading(self, name: str, reads: int) -> dict[str, Value]:
        """The inputs of the ports that read; the host has the first one while nothing runs."""
        inputs: dict[str, Value] = {}
        for port in range(reads):
            asks = self._asks(name, port)
            if name in self.host_inputs and port == 0:
                asks.append((~self.running, self.host_inputs[name].address))
            inputs[f"read_{port}_enable"] = any_of(*(enable for enable, _ in asks))
            inputs[f"read_{port}_address"] = _chosen(asks)
        return inputs

    def _asks(self, array: str, port: int) -> list[Choice]:
        """The fetches from a port: enable and address of each."""
        return [
            (self.datapaths[name][f"{fetch_port(k)}_enable"], self.datapaths[name][f"{fetch_port(k)}_address"])
            for name, table in self.compute.times.items()
            for k, slot in table.slots.items()
            if (slot.array, slot.port) == (array, port)
        ]

    def _finish(self, control: Instance) -> None:
        m = self.module
        m.section("The whole run")
        issued = self.names.state("issued", comment="all instances have started")
        busy = self.names.wire("busy", any_of(*(instance["busy"] for instance in self.datapaths.values())))
        ends = self.names.wire("ends", issued & ~busy)
        was_done = self.names.state("was_done")
        with m.clocked():
            m.assign(issued, (issued | control["last"]) & ~ends)
            m.assign(self.running, (self.running | self.begin) & ~ends)
            m.assign(was_done, (was_done | ends) & ~self.begin)
        m.output("ready", ~self.running, "may be started")
        m.output("done", was_done, "has run since the last start")


def _is_seen(array: Array) -> bool:
    """Whether an array is filled before a run, or looked at after it."""
    return array.rank > 0 and (array.initialised or array.live_out)


def _chosen(choices: list[Choice]) -> Value:
    """The value of the only condition that holds; any, if none does."""
    *others, (_, last) = choices or [(const(0), const(0))]
    return reduce(lambda rest, choice: mux(choice[0], choice[1], rest), reversed(others), last)
