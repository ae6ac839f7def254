"""Memories: words in an array, with read and write ports at the clock edge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from loadstone.rtl.conditions import truth
from loadstone.rtl.expressions import Kind, Operand, Signal, Value, converted
from loadstone.rtl.types import Bits, RtlError, Type, address_width, unsigned

Collision = Literal["old", "any"]
Latency = Literal[0, 1, 2]


@dataclass(frozen=True, slots=True, eq=False)
class Port:
    """A way into a memory: it writes, reads, or both at one address.

    `output` is what is read; with a latency of 2, `fetched` is the register before it.
    """

    address: Value
    enable: Value
    write: Value | None = None
    data: Value | None = None
    output: Signal | None = None
    fetched: Signal | None = None

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The expressions that the port evaluates."""
        return tuple(value for value in (self.address, self.enable, self.write, self.data) if value is not None)

    @property
    def first(self) -> Signal | None:
        """The signal that takes the word from the memory."""
        return self.output if self.fetched is None else self.fetched

    @property
    def outputs(self) -> tuple[Signal, ...]:
        """The signals that the port drives."""
        return tuple(signal for signal in (self.fetched, self.output) if signal is not None)


class Memory:
    """Words of one type; a read that meets a write of the same word gets the old one, or any one.

    A port that is enabled must address a word that exists. Two ports must not write one word in one cycle.
    """

    def __init__(
        self,
        name: str,
        type: Bits,
        depth: int,
        declare: Callable[[str, Type, Kind], Signal],
        *,
        latency: Latency,
        collision: Collision,
        initial: tuple[int, ...],
        style: str,
        comment: str,
    ) -> None:
        if depth < 2 or (latency == 0 and depth & (depth - 1)):
            raise RtlError(f"memory '{name}': {depth} words; two at least, and a power of two to be read at once")
        if len(initial) > depth or not all(type.holds(word) for word in initial):
            raise RtlError(f"memory '{name}': the initial contents do not fit {depth} words of {type}")
        self.name, self.type, self.depth = name, type, depth
        self.latency, self.collision, self.initial = latency, collision, initial
        self.style, self.comment = style, comment
        self._declare = declare
        self._ports: list[Port] = []

    @property
    def ports(self) -> tuple[Port, ...]:
        """The ports, in the order of their creation."""
        return tuple(self._ports)

    @property
    def address_type(self) -> Bits:
        """The type of addresses."""
        return unsigned(address_width(self.depth))

    def read(self, address: Operand, enable: Operand = 1, name: str = "") -> Signal:
        """The word at an address, `latency` enabled cycles later."""
        output, fetched = self._outputs(name)
        self._ports.append(Port(self._address(address), truth(enable), output=output, fetched=fetched))
        return output

    def write(self, address: Operand, data: Operand, enable: Operand = 1) -> None:
        """Stores a word where enabled."""
        self._ports.append(Port(self._address(address), truth(1), truth(enable), converted(data, self.type)))

    def access(self, address: Operand, data: Operand, write: Operand, enable: Operand = 1, name: str = "") -> Signal:
        """A read port that also writes where `write` holds; it reads the old word."""
        output, fetched = self._outputs(name)
        address, data = self._address(address), converted(data, self.type)
        self._ports.append(Port(address, truth(enable), truth(write), data, output, fetched))
        return output

    def _address(self, address: Operand) -> Value:
        return converted(address, self.address_type)

    def _outputs(self, name: str) -> tuple[Signal, Signal | None]:
        """The signals of a read port."""
        count = sum(port.output is not None for port in self._ports)
        name = name or f"{self.name}_q{count or ''}"
        if self.latency == 0:
            return self._declare(name, self.type, "wire"), None
        fetched = self._declare(f"{name}_fetched", self.type, "register") if self.latency == 2 else None
        return self._declare(name, self.type, "register"), fetched
