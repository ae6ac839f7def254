"""The external side of an accelerator: its bus, and where arrays are in external memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.bus.coalescer import make_coalescer
from loadstone.bus.stalls import make_pauses
from loadstone.hardware.accelerator.mover import Mover
from loadstone.hardware.accelerator.strides import Strides
from loadstone.hardware.bus_top import BusTop
from loadstone.hardware.names import Names
from loadstone.parallel.beats import Beats
from loadstone.rtl.conditions import one_hot_mux
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.module import Instance
from loadstone.rtl.types import bit


class Pauses:
    """Random pauses in a module, for tests; where there is no chance for them, nothing pauses."""

    def __init__(self, names: Names, chance: Signal | None) -> None:
        self._names, self._chance, self._count = names, chance, 0

    def goes(self, title: str) -> Value:
        """Whether something may go on in this cycle, independent of all others."""
        if self._chance is None:
            return const(1, bit)
        self._count += 1
        inputs, seed = {"chance": self._chance}, {"SEED": 0x9E3779B1 * self._count % (1 << 32)}
        return self._names.module.instance(self._names.fresh(f"{title}_pauses"), make_pauses(), inputs, seed)["goes"]


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """An element or slice in external memory: its byte address, how many elements there are, and of which array.

    One that `follows` is next to the one before.
    """

    address: Value
    count: Value
    follows: Value
    arrays: Mapping[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class External:
    """External memory behind the bus of a top module, with pauses for tests."""

    top: BusTop
    pauses: Pauses
    strides: Strides
    beats: Beats

    @property
    def names(self) -> Names:
        """The names of the module."""
        return self.top.names

    def runs(self, title: str, valid: Value, place: Place, flush: Value, taken: Value) -> Instance:
        """Makes requests of elements, where `valid`."""
        m, bus, most = self.names.module, self.top.bus, self.beats.most
        module = make_coalescer(
            f"{m.name}_{title}_runs", bus.address, self.top.widths, bus.burst, at_once=most, told=True
        )
        ports = {
            "in_valid": valid,
            "in_address": place.address,
            "in_follows": place.follows,
            "flush": flush,
            "request_ready": taken,
        }
        if most > 1:
            ports["in_count"] = place.count
        if not self.top.widths.are_equal:
            ports["in_size"] = self.size(place.arrays)
        return m.instance(self.names.fresh(f"{title}_runs"), module, ports)

    def request(self, runs: Instance) -> dict[str, Value]:
        """The requests for a master."""
        return {port: runs[port] for port in self.top.request_ports}

    def shift(self, array: str) -> int:
        """The bits of a byte address that say where in an element of an array it is."""
        return (self.top.element_bytes[array] - 1).bit_length()

    def address(self, mover: Mover) -> Value:
        """The byte address of the element at which a mover stands, but for its rows."""
        places = {name: element.place << self.shift(name) for name, element in mover.elements.items()}
        choices = [
            (mover.elements[name].wanted, (self.top.bases[name] + place).wrapped(self.top.bus.address))
            for name, place in places.items()
        ]
        return one_hot_mux(choices).wrapped(self.top.bus.address)

    def step(self, arrays: Mapping[str, Value], count: Value) -> Value:
        """The bytes of so many elements of one of some arrays."""
        shifts = {self.shift(name) for name in arrays}
        if len(shifts) == 1:
            return count << shifts.pop()
        return one_hot_mux([(is_of, count << self.shift(name)) for name, is_of in arrays.items()])

    def size(self, arrays: Mapping[str, Value]) -> Value:
        """The size of an element of one of some arrays."""
        sizes = {name: self.top.widths.size_of(8 * self.top.element_bytes[name]) for name in arrays}
        wanted = [(arrays[name], const(size, self.top.widths.size)) for name, size in sizes.items()]
        return one_hot_mux(wanted).wrapped(self.top.widths.size)
