"""What is outside of an accelerator: its bus, and where arrays are in external memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.bus.ports import Bus
from loadstone.hardware.coalescer import make_coalescer
from loadstone.hardware.engine import chosen
from loadstone.hardware.mover import Mover
from loadstone.hardware.names import Names
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Instance


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """The bus of a module with its ports, the bits of an element there, and the byte addresses of arrays."""

    names: Names
    bus: Bus
    axi: Mapping[str, Signal]
    width: int
    bases: Mapping[str, Signal]

    def runs(self, title: str, valid: Value, mover: Mover, flush: Value, taken: Value) -> Instance:
        """Makes requests of the elements at which a mover stands, where `valid`."""
        m, step = self.names.module, self.width // 8
        module = make_coalescer(f"{m.name}_{title}_runs", self.bus.address, step, self.bus.burst)
        ports = {"in_valid": valid, "in_address": self._address(mover), "flush": flush, "request_ready": taken}
        return m.instance(self.names.fresh(f"{title}_runs"), module, ports)

    def _address(self, mover: Mover) -> Value:
        """The byte address of the element at which a mover stands."""
        shift = (self.width // 8 - 1).bit_length()
        places = {name: element.place << shift for name, element in mover.elements.items()}
        choices = [
            (mover.elements[name].wanted, (self.bases[name] + place).wrapped(self.bus.address))
            for name, place in places.items()
        ]
        return chosen(choices).wrapped(self.bus.address)
