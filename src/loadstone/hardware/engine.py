"""The engine that computes a kernel inside of a module: controller, datapaths, issue, and scalars.

What keeps the arrays is up to the module: it takes the words that the engine writes, and gives those that it asks for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from loadstone.hardware.compute import Compute, Hazard
from loadstone.hardware.datapath import address_type, fetch_port
from loadstone.hardware.interface import standing
from loadstone.hardware.issue import add_issue
from loadstone.hardware.names import Names
from loadstone.rtl.expressions import Signal, Value, any_of, cat, const, mux
from loadstone.rtl.module import Instance
from loadstone.rtl.types import bit

Choice = tuple[Value, Value]
"""A condition, and the value that it chooses."""


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A word that may be written: whether it is, its address, and its value."""

    enable: Value
    address: Value
    data: Value


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What an engine is given: parameters, scalars at the start, the pulse that starts it, and which copy it uses.

    The copy is that of arrays whose memories have two.
    """

    parameters: Mapping[str, Signal]
    scalars: Mapping[str, Signal]
    begin: Signal
    copy: Signal | None = None


class Engine:
    """An engine in a module.

    `words` are the wires at which the words of memories arrive, by array and port; the module drives them. `passes` are
    the wires by which the module lets the controller go on at markers, and `at` says that it stands at one.
    """

    def __init__(self, names: Names, compute: Compute, given: Surroundings) -> None:
        self.names, self.compute, self.given = names, compute, given
        m, statements = names.module, compute.statements
        self._going = {name: m.wire(names.fresh(f"{name}_goes"), bit) for name in statements}
        self.passes = {marker: m.wire(names.fresh(f"{marker}_passes"), bit) for marker in compute.markers}
        self._control = self._controller()
        self.at = {marker: self._standing(marker) for marker in compute.markers}
        self._arguments = {name: self._given_arguments(name) for name in statements}
        self.words = self._words()
        self.values = self._registers()
        m.section("Datapaths")
        self._datapaths = {name: self._datapath(name) for name in statements}
        m.section("Issue: an instance goes when nothing that it needs is still on its way")
        add_issue(names, compute, self._control, self._datapaths, self._going)
        self._write_registers()
        busy = any_of(*(instance["busy"] for instance in self._datapaths.values()))
        self.busy = names.wire("busy", busy)

    @property
    def last(self) -> Signal:
        """Set in the cycle in which the last instance goes."""
        return self._control["last"]

    def writes(self, array: str) -> list[Write]:
        """What datapaths write to an array."""
        return [Write(w["write_enable"], w["write_address"], w["write_data"]) for w in self._writers(array)]

    def asks(self, array: str, port: int) -> list[Choice]:
        """The fetches from a port of the memory of an array: enable and address of each."""
        return [
            (self._datapaths[name][f"{fetch_port(k)}_enable"], self._datapaths[name][f"{fetch_port(k)}_address"])
            for name, table in self.compute.times.items()
            for k, slot in table.slots.items()
            if (slot.array, slot.port) == (array, port)
        ]

    def ports(self, array: str) -> int:
        """How many ports of its memory are read."""
        slots = [slot for table in self.compute.times.values() for slot in table.slots.values()]
        return max((slot.port + 1 for slot in slots if slot.array == array), default=1)

    def _controller(self) -> Instance:
        control = self.compute.control
        inputs: dict[str, Value] = {control.parameters[name]: port for name, port in self.given.parameters.items()}
        lasts = {control.ports.port(name, "last"): goes for name, goes in (self._going | self.passes).items()}
        ports = {**inputs, "start": self.given.begin, **lasts}
        return self.names.module.instance(self.names.fresh("control"), control.module, ports)

    def _standing(self, marker: str) -> Signal:
        """Whether the controller stands at a marker."""
        start = self._control[self.compute.control.ports.port(marker, "start")]
        return standing(self.names, marker, start, self.passes[marker], "has been reached, and not been passed yet")

    def _given_arguments(self, name: str) -> dict[str, Value]:
        """The arguments of a statement, with the copy in addresses of memories that have two."""
        ports = self.compute.control.ports
        found: dict[str, Value] = {what: self._control[ports.port(name, what)] for what in ports.arguments[name]}
        for position, what in self.compute.signatures[name].addresses.items():
            store = self.compute.stores[self.compute.access(name, position).array]
            if store.copies > 1:
                assert self.given.copy is not None
                found[what] = cat(self.given.copy, found[what].wrapped(address_type(store, one_copy=True)))
        return found

    def _words(self) -> dict[tuple[str, int], Signal]:
        stores = self.compute.stores
        return {
            (name, port): self.names.module.wire(self.names.fresh(f"{name}_word_{port}"), store.type)
            for name, store in stores.items()
            if store.depth
            for port in range(self.ports(name))
        }

    def _registers(self) -> dict[str, Signal]:
        """The values of scalars that are written."""
        return {
            name: self.names.register(f"{name}_value", store.type)
            for name, store in self.compute.stores.items()
            if not store.depth and name not in self.compute.stable
        }

    def _datapath(self, name: str) -> Instance:
        """The datapath of a statement in its place."""
        path = self.compute.datapaths[name]
        inputs: dict[str, Value] = {"start": self._going[name]}
        inputs |= {port.name: self._arguments[name][what] for what, port in path.arguments.items()}
        inputs |= {port.name: self._stable(what) for what, port in path.stable.items()}
        for position, slot in path.times.slots.items():
            here = self.values[slot.array] if slot.array in self.values else self.words[slot.array, slot.port]
            inputs[f"{fetch_port(position)}_data"] = here
        for hazard in self.compute.hazards:
            if hazard.writer == name and hazard.probe.addressed:
                inputs[f"{hazard.probe.name}_address"] = self._probed(hazard)
        return self.names.module.instance(self.names.fresh(f"run_{name}"), path.module, inputs)

    def _stable(self, what: str) -> Signal:
        parameters = self.given.parameters
        return parameters[what] if what in parameters else self.given.scalars[what]

    def _probed(self, hazard: Hazard) -> Value:
        """The address that a hazard asks about."""
        array = self.compute.access(hazard.statement, hazard.position).array
        argument = self.compute.signatures[hazard.statement].addresses[hazard.position]
        return self._arguments[hazard.statement][argument].wrapped(address_type(self.compute.stores[array]))

    def _writers(self, array: str) -> list[Instance]:
        statements = self.compute.statements.values()
        return [self._datapaths[each.name] for each in statements if each.write.array == array]

    def _write_registers(self) -> None:
        """Scalars take their values at the start, and those that are written."""
        m = self.names.module
        for name, value in self.values.items():
            with m.clocked(f"Scalar {name}."):
                if name in self.given.scalars:
                    with m.when(self.given.begin):
                        m.assign(value, self.given.scalars[name])
                for writer in self._writers(name):
                    with m.when(writer["write_enable"]):
                        m.assign(value, writer["write_data"])


def written(writes: Sequence[Write]) -> dict[str, Value]:
    """The inputs of a port that writes, for words of which one at most is written in a cycle."""
    return {
        "write_enable": any_of(*(write.enable for write in writes)),
        "write_address": chosen([(write.enable, write.address) for write in writes]),
        "write_data": chosen([(write.enable, write.data) for write in writes]),
    }


def chosen(choices: Sequence[Choice]) -> Value:
    """The value of the only condition that holds; any, if none does."""
    *others, (_, last) = choices or [(const(0), const(0))]
    return reduce(lambda rest, choice: mux(choice[0], choice[1], rest), reversed(others), last)
