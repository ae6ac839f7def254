"""How a direct implementation writes down instances and elements: as numbers of bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.hardware.datapath.pipeline import address_type
from loadstone.hardware.layout import ArrayLayout
from loadstone.hardware.selection import one_hot_mux
from loadstone.rtl.expressions import Value, cat, const
from loadstone.rtl.types import Bits, address_width, unsigned


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """How instances are written down: the number of the statement, and above it what they carry with them."""

    fields: Mapping[str, Mapping[str, Bits]]

    @property
    def number(self) -> Bits:
        """The type of numbers of statements."""
        return unsigned(address_width(max(2, len(self.fields))))

    @property
    def type(self) -> Bits:
        """The type of a record."""
        widths = [sum(bits.width for bits in types.values()) for types in self.fields.values()]
        return unsigned(self.number.width + max(widths, default=0))

    def made(self, statement: str, values: Mapping[str, Value]) -> Value:
        """The record of an instance; what is not known yet is 0."""
        fields = reversed(tuple(self.fields[statement].items()))
        parts = [values.get(name, const(0)).wrapped(bits) for name, bits in fields]
        number = const(list(self.fields).index(statement), self.number)
        return cat(*parts, number).resized(self.type.width)

    def is_of(self, record: Value, statement: str) -> Value:
        """Whether a record is that of an instance of a statement."""
        return record[: self.number.width] == list(self.fields).index(statement)

    def argument(self, record: Value, statement: str, name: str) -> Value:
        """What an instance of a statement carries with it under a name."""
        low = self.number.width
        for other, bits in self.fields[statement].items():
            if other == name:
                return record[low : low + bits.width].wrapped(bits)
            low += bits.width
        raise AssertionError(name)

    def changed(self, record: Value, values: Mapping[str, Mapping[str, Value]]) -> Value:
        """The record with other values, by statement."""
        changed = [
            (self.is_of(record, name), self.made(name, {**self._all(record, name), **more}))
            for name, more in values.items()
            if more
        ]
        return one_hot_mux([*changed, (const(1), record)]).wrapped(self.type)

    def _all(self, record: Value, statement: str) -> dict[str, Value]:
        return {name: self.argument(record, statement, name) for name in self.fields[statement]}


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """How elements in memory are numbered: the number of their array, and below it their place in that."""

    stores: Mapping[str, ArrayLayout]

    @property
    def place(self) -> Bits:
        """The type of places."""
        return unsigned(max((address_type(store).width for store in self.stores.values()), default=1))

    @property
    def type(self) -> Bits:
        """The type of numbers of elements."""
        return unsigned(self.place.width + address_width(max(2, len(self.stores))))

    def made(self, array: str, place: Value) -> Value:
        """The number of an element."""
        number = const(list(self.stores).index(array), unsigned(self.type.width - self.place.width))
        return cat(number, place.wrapped(address_type(self.stores[array])).resized(self.place.width))

    def by_array(self, element: Value, values: Mapping[str, Value]) -> Value:
        """The value that belongs to the array of an element."""
        number = element[self.place.width :]
        return one_hot_mux([(number == list(self.stores).index(name), value) for name, value in values.items()])
