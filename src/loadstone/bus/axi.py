"""AXI4: its channels and their ports, in lower case.

Inside of a design there are no identifiers, so that all responses are in order. A top module has the other signals of
the standard as well: constants, and inputs that it ignores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from loadstone.bus.ports import Bus, BusPort
from loadstone.rtl import Bits, Record, Signal, Stream, bit, unsigned

INCREMENTING = 1
CACHE = 0b0011
"""Modifiable and bufferable: interconnects may pack beats, and answer a write before it has arrived."""
PROTECTION = unsigned(3)
ADDRESS_CONSTANTS: Mapping[str, tuple[Bits, int]] = MappingProxyType(
    {
        "id": (bit, 0),
        "lock": (bit, 0),
        "cache": (unsigned(4), CACHE),
        "prot": (PROTECTION, 0),
        "qos": (unsigned(4), 0),
        "region": (unsigned(4), 0),
    }
)
"""What addresses carry beside the fields of their channel: one identifier, normal, unprivileged secure data."""


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel: a word goes from its driver to the other side when valid and ready are both set."""

    name: str
    driver: Literal["master", "slave"]
    fields: tuple[tuple[str, Bits], ...]

    @property
    def ports(self) -> tuple[BusPort, ...]:
        """All signals of the channel."""
        other = "slave" if self.driver == "master" else "master"
        return (
            *(BusPort(self.name + field, type, self.driver) for field, type in self.fields),
            BusPort(f"{self.name}valid", bit, self.driver),
            BusPort(f"{self.name}ready", bit, other),
        )

    @property
    def record(self) -> Record:
        """All fields side by side."""
        return Record(dict(self.fields))

    def stream(self, signals: Mapping[str, Signal]) -> Stream:
        """The channel with the signals that a module knows it by."""
        fields = {field: signals[self.name + field] for field, _ in self.fields}
        return Stream(signals[f"{self.name}valid"], signals[f"{self.name}ready"], fields)


def read_channels(bus: Bus) -> tuple[Channel, ...]:
    """The channels AR and R."""
    data = ("data", bus.data), ("resp", unsigned(2)), ("last", bit)
    return Channel("ar", "master", _address_fields(bus)), Channel("r", "slave", data)


def write_channels(bus: Bus) -> tuple[Channel, ...]:
    """The channels AW, W and B."""
    data = ("data", bus.data), ("strb", bus.strobe), ("last", bit)
    return (
        Channel("aw", "master", _address_fields(bus)),
        Channel("w", "master", data),
        Channel("b", "slave", (("resp", unsigned(2)),)),
    )


def axi_channels(bus: Bus) -> tuple[Channel, ...]:
    """All five channels."""
    return read_channels(bus) + write_channels(bus)


def axi_ports(channels: Iterable[Channel]) -> tuple[BusPort, ...]:
    """All signals of some channels."""
    return tuple(port for channel in channels for port in channel.ports)


def axi_constants() -> dict[str, tuple[Bits, int]]:
    """The signals of AXI4 that a master never changes: their types and values."""
    return {f"{name}{field}": known for name in ("ar", "aw") for field, known in ADDRESS_CONSTANTS.items()}


AXI_IGNORED: Mapping[str, Bits] = MappingProxyType({"rid": bit, "bid": bit})
"""The signals of AXI4 that a master with one identifier ignores."""


def _address_fields(bus: Bus) -> tuple[tuple[str, Bits], ...]:
    return ("addr", bus.address), ("len", unsigned(8)), ("size", unsigned(3)), ("burst", unsigned(2))
