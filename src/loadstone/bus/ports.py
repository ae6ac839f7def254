"""A bus as a set of ports: what both protocols share, and how modules are attached to one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from loadstone.rtl import Bits, Instance, Module, RtlError, Signal, Value, address_width, unsigned
from loadstone.rtl.expressions import Operand

Protocol = Literal["axi", "avalon"]
Role = Literal["master", "slave", "monitor"]

PAGE_BYTES = 4096
LONGEST_BURST = 256
BUFFERED_BURSTS = 4
MOST_OUTSTANDING = 64


@dataclass(frozen=True, slots=True)
class Bus:
    """A bus and how it is used: bursts have at most `burst` beats of `data_width` bits.

    At most `outstanding` bursts of either direction are open at a time; by default, as many as buffers allow.

    Bursts never cross a multiple of their greatest length, which keeps them inside of pages of 4096 bytes, as AXI wants
    it [AMBA AXI and ACE Protocol Specification, A3.4.1].
    """

    protocol: Protocol = "axi"
    data_width: int = 32
    address_width: int = 32
    burst: int = 64
    count_width: int = 24
    outstanding: int | None = None

    def __post_init__(self) -> None:
        if not (is_power(self.data_width) and 32 <= self.data_width <= 512):
            raise RtlError(f"a bus has 32, 64, 128, 256 or 512 bits, not {self.data_width}")
        if not is_power(self.burst) or not 2 <= self.burst <= min(LONGEST_BURST, PAGE_BYTES // self.bytes):
            raise RtlError(f"a burst of {self.burst} beats of {self.data_width} bits")
        if self.outstanding is not None and not 1 <= self.outstanding <= MOST_OUTSTANDING:
            raise RtlError(f"{self.outstanding} outstanding bursts")

    @property
    def title(self) -> str:
        """The bus in the name of a module."""
        address = "" if self.address_width == 32 else f"_a{self.address_width}"
        bound = "" if self.outstanding is None else f"_o{self.outstanding}"
        return f"{self.data_width}x{self.burst}{address}{bound}"

    @property
    def buffered_bursts(self) -> int:
        """So many of the longest bursts fit into the buffer of a master."""
        return BUFFERED_BURSTS if self.outstanding is None else max(2, self.outstanding)

    @property
    def buffered_beats(self) -> int:
        """The beats that fit into the buffer of a master."""
        return self.buffered_bursts * self.burst

    @property
    def bytes(self) -> int:
        """The bytes of a beat."""
        return self.data_width // 8

    @property
    def beat_shift(self) -> int:
        """The bits of an address that say where in a beat it is."""
        return (self.bytes - 1).bit_length()

    @property
    def burst_shift(self) -> int:
        """The bits of the number of a beat that say where in its burst it may be."""
        return (self.burst - 1).bit_length()

    @property
    def address(self) -> Bits:
        """The type of byte addresses."""
        return unsigned(self.address_width)

    @property
    def place(self) -> Bits:
        """The type of addresses counted in beats."""
        return unsigned(self.address_width - self.beat_shift)

    @property
    def length(self) -> Bits:
        """The type of numbers of beats in a burst."""
        return unsigned(self.burst_shift + 1)

    @property
    def count(self) -> Bits:
        """The type of numbers of elements in a request."""
        return unsigned(self.count_width)

    @property
    def data(self) -> Bits:
        """The type of a beat."""
        return unsigned(self.data_width)

    @property
    def strobe(self) -> Bits:
        """The type of the bits that say which bytes of a beat are written."""
        return unsigned(self.bytes)


@dataclass(frozen=True, slots=True)
class BusPort:
    """A signal of a bus and the side that drives it."""

    name: str
    type: Bits
    driver: Literal["master", "slave"]


def is_power(number: int) -> bool:
    """Whether a number is a power of two."""
    return number > 0 and number & (number - 1) == 0


@dataclass(frozen=True, slots=True)
class Widths:
    """The widths of elements that a master moves, powers of two: where there are several, each request has a size.

    Size k is that of elements of `2^k * narrowest` bits.
    """

    narrowest: int
    widest: int

    def lanes(self, bus: Bus) -> int:
        """How many elements of the narrowest kind a beat holds."""
        if not (is_power(self.narrowest) and is_power(self.widest) and 8 <= self.narrowest <= self.widest):
            raise RtlError(f"elements of {self.narrowest} to {self.widest} bits")
        if self.widest > bus.data_width:
            raise RtlError(f"elements of {self.widest} bits on a bus of {bus.data_width}")
        return bus.data_width // self.narrowest

    @property
    def title(self) -> str:
        """The widths in a name."""
        return f"e{self.widest}" if self.are_equal else f"e{self.narrowest}to{self.widest}"

    @property
    def are_equal(self) -> bool:
        """Whether there is one width alone."""
        return self.narrowest == self.widest

    @property
    def largest(self) -> int:
        """The largest size."""
        return (self.widest // self.narrowest - 1).bit_length()

    @property
    def size(self) -> Bits:
        """The type of sizes."""
        return unsigned(max(1, self.largest.bit_length()))

    def size_of(self, width: int) -> int:
        """The size of elements of some bits."""
        return (width // self.narrowest - 1).bit_length()


def widths_of(elements: Widths | int) -> Widths:
    """Widths, of which there may be one alone."""
    return elements if isinstance(elements, Widths) else Widths(elements, elements)


def first_lane(bus: Bus, lanes: int, address: Value) -> Value:
    """The place in its beat of the element at an address."""
    return address[bus.beat_shift - address_width(lanes) : bus.beat_shift]


def declare_ports(m: Module, ports: Iterable[BusPort], role: Role, prefix: str = "") -> dict[str, Signal]:
    """The signals of a bus as ports of a module: its master, its slave, or a monitor."""
    return {port.name: (m.output if port.driver == role else m.input)(prefix + port.name, port.type) for port in ports}


def declare_wires(m: Module, ports: Iterable[BusPort], prefix: str = "") -> dict[str, Signal]:
    """The signals of a bus as wires between modules."""
    return {port.name: m.wire(prefix + port.name, port.type) for port in ports}


def prefixed(wires: Mapping[str, Signal], prefix: str) -> dict[str, Signal]:
    """The signals of a bus by the names that they have at a module which knows it by a prefix."""
    return {prefix + name: signal for name, signal in wires.items()}


def attach(
    m: Module,
    name: str,
    module: Module,
    wires: Mapping[str, Signal],
    inputs: Mapping[str, Operand],
    parameters: Mapping[str, int] | None = None,
    clear: Signal | None = None,
) -> Instance:
    """An instance whose ports meet the wires of the same names; other inputs are given; `clear` resets it, too."""
    known = {port.name: wires[port.name] for port in module.of_kind("input") if port.name in wires}
    instance = m.instance(name, module, {**known, **inputs}, parameters, clear=clear)
    for port in module.of_kind("output"):
        if port.name in wires:
            m.assign(wires[port.name], instance[port.name])
    return instance
