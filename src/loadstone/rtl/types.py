"""Types of hardware values: integers of explicit width and sign, and enumerations."""

from __future__ import annotations

from dataclasses import dataclass


class RtlError(Exception):
    """A module is described wrongly: a mistake of the code that describes it, not of the user."""


@dataclass(frozen=True, slots=True)
class Bits:
    """Integers of a width in bits, in two's complement where signed; one unsigned bit is also a truth value.

    >>> unsigned(4).maximum, signed(4).minimum, signed(4).wrap(9), str(signed(4))
    (15, -8, -7, 'signed(4)')
    """

    width: int
    signed: bool = False

    def __post_init__(self) -> None:
        if self.width < 1:
            raise RtlError(f"a value needs at least one bit, not {self.width}")

    def __str__(self) -> str:
        return f"{'signed' if self.signed else 'unsigned'}({self.width})"

    @property
    def minimum(self) -> int:
        """The least value."""
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def maximum(self) -> int:
        """The greatest value."""
        return (1 << (self.width - self.signed)) - 1

    @property
    def mask(self) -> int:
        """The integer with all bits set."""
        return (1 << self.width) - 1

    def holds(self, value: int) -> bool:
        """Whether a value is one of this type."""
        return self.minimum <= value <= self.maximum

    def includes(self, other: Bits) -> bool:
        """Whether all values of another type belong to this one."""
        return self.holds(other.minimum) and self.holds(other.maximum)

    def wrap(self, value: int) -> int:
        """The value of this type that equals a number modulo 2^width."""
        return ((value - self.minimum) & self.mask) + self.minimum


@dataclass(frozen=True, slots=True)
class Enum:
    """Named values, numbered from 0 in their order."""

    name: str
    members: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.members or len(set(self.members)) < len(self.members):
            raise RtlError(f"the members of enumeration '{self.name}' must be one or more different names")

    def __str__(self) -> str:
        return self.name

    @property
    def width(self) -> int:
        """The bits that number the members."""
        return address_width(len(self.members))


Type = Bits | Enum


def unsigned(width: int) -> Bits:
    """The integers from 0 to 2^width - 1."""
    return Bits(width)


def signed(width: int) -> Bits:
    """The integers from -2^(width-1) to 2^(width-1) - 1."""
    return Bits(width, True)


bit = unsigned(1)


def address_width(count: int) -> int:
    """The bits that number so many things from 0, at least one.

    >>> [address_width(count) for count in (1, 2, 3, 4, 5, 1024)]
    [1, 1, 2, 2, 3, 10]
    """
    return max(1, (count - 1).bit_length())


def type_of(value: int) -> Bits:
    """The smallest type that holds a value, unsigned where it can be.

    >>> [str(type_of(value)) for value in (0, 5, -1, -5)]
    ['unsigned(1)', 'unsigned(3)', 'signed(1)', 'signed(4)']
    """
    return signed((~value).bit_length() + 1) if value < 0 else unsigned(max(1, value.bit_length()))


def common_type(left: Bits, right: Bits) -> Bits:
    """The smallest type that includes two types."""
    if left.signed == right.signed:
        return Bits(max(left.width, right.width), left.signed)
    positive, negative = (right, left) if left.signed else (left, right)
    return signed(max(positive.width + 1, negative.width))
