"""The records of instances, and the numbers of elements, in a direct implementation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.hardware.datapath.pipeline import address_type
from loadstone.hardware.layout import ArrayLayout
from loadstone.rtl.conditions import mux, one_hot_mux
from loadstone.rtl.expressions import Value, const
from loadstone.rtl.record import Record
from loadstone.rtl.types import Bits, address_width, unsigned


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The records of instances: the number of the statement, and above it the fields of that statement."""

    fields: Mapping[str, Mapping[str, Bits]]

    @property
    def type(self) -> Bits:
        """The type of a record."""
        return self._record.type

    @property
    def _record(self) -> Record:
        width = max((Record(fields).type.width for fields in self.fields.values()), default=1)
        return Record({"fields": unsigned(width), "statement": unsigned(address_width(max(2, len(self.fields))))})

    def made(self, statement: str, values: Mapping[str, Value]) -> Value:
        """The record of an instance; what is not known yet is 0."""
        types = self.fields[statement]
        fields = Record(types).made(**{name: values.get(name, const(0)).wrapped(types[name]) for name in types})
        return self._record.made(fields=fields, statement=list(self.fields).index(statement))

    def is_of(self, record: Value, statement: str) -> Value:
        """Whether a record is of an instance of a statement."""
        return self._record.unpacked(record)["statement"] == list(self.fields).index(statement)

    def queued(self, longest: int, **more: Bits) -> Record:
        """A record of an instance in a queue, with more fields and a bit for each of so many words that is skipped."""
        return Record({**more, "skipped": unsigned(max(1, longest)), "instance": self.type})

    def argument(self, record: Value, statement: str, name: str) -> Value:
        """A field of an instance of a statement."""
        return self._unpacked(record, statement)[name]

    def changed(self, record: Value, values: Mapping[str, Mapping[str, Value]]) -> Value:
        """The record with other values, by statement."""
        found = record
        for name, more in values.items():
            if more:
                made = self.made(name, {**self._unpacked(record, name), **more})
                found = mux(self.is_of(record, name), made, found)
        return found

    def _unpacked(self, record: Value, statement: str) -> dict[str, Value]:
        own = Record(self.fields[statement])
        return own.unpacked(self._record.unpacked(record)["fields"][: own.type.width])


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """The numbers of elements in memory: the number of their array, and below it their place in that."""

    stores: Mapping[str, ArrayLayout]

    @property
    def type(self) -> Bits:
        """The type of numbers of elements."""
        return self._record.type

    @property
    def _record(self) -> Record:
        place = max((address_type(store).width for store in self.stores.values()), default=1)
        return Record({"array": unsigned(address_width(max(2, len(self.stores)))), "place": unsigned(place)})

    def made(self, array: str, place: Value) -> Value:
        """The number of an element."""
        own = place.wrapped(address_type(self.stores[array]))
        return self._record.made(array=list(self.stores).index(array), place=own)

    def place(self, element: Value) -> Value:
        """The place of an element in its array."""
        return self._record.unpacked(element)["place"]

    def by_array(self, element: Value, values: Mapping[str, Value]) -> Value:
        """The value that belongs to the array of an element."""
        number = self._record.unpacked(element)["array"]
        return one_hot_mux([(number == list(self.stores).index(name), value) for name, value in values.items()])
