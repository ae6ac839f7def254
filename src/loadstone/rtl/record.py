"""Records: named fields packed into one integer, for words of queues and memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.rtl.expressions import Operand, Value, cat, const, converted
from loadstone.rtl.types import Bits, RtlError, unsigned


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of a record, the most significant first; one without fields is one bit, always 0.

    >>> from loadstone.rtl.types import bit, signed
    >>> move = Record({"last": bit, "step": signed(3), "address": unsigned(8)})
    >>> word = move.made(last=1, step=-2, address=9)
    >>> str(move.type), [str(value.type) for value in move.unpacked(word).values()]
    ('unsigned(12)', ['unsigned(1)', 'signed(3)', 'unsigned(8)'])
    """

    fields: Mapping[str, Bits]

    @property
    def type(self) -> Bits:
        """The type of the packed fields."""
        return unsigned(max(1, sum(bits.width for bits in self.fields.values())))

    def made(self, /, **values: Operand) -> Value:
        """A record with a value for each field; as in an assignment, one that may not fit is an error."""
        if values.keys() != self.fields.keys():
            raise RtlError(f"a record of {', '.join(self.fields)} cannot be made of {', '.join(values)}")
        parts = [converted(values[name], bits) for name, bits in self.fields.items()]
        return cat(*parts) if parts else const(0)

    def unpacked(self, record: Value) -> dict[str, Value]:
        """The values of the fields."""
        if record.type != self.type:
            raise RtlError(f"a record of {', '.join(self.fields)} is {self.type}, not {record.type}")
        found: dict[str, Value] = {}
        high = sum(bits.width for bits in self.fields.values())
        for name, bits in self.fields.items():
            low = high - bits.width
            found[name] = record[low:high].wrapped(bits)
            high = low
        return found
