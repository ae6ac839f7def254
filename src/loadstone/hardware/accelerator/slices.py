"""Slices of rows between a bus and local memories: their lanes in a word of the bus, and the banks of their elements.

A slice of an array has at most `size` elements, at the same place in as many banks; where there are more banks, it is
in a block of them. It waits for datapaths that use any bank of its copy. In a design in which no array has slices,
there are no fields for them, and a word is an element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadstone.bus.slices import LANE, SLOTS
from loadstone.hardware.accelerator.external import External
from loadstone.hardware.accelerator.moves import Moves
from loadstone.hardware.compute.engine import Ask, Write, bank_of, copy_of, in_memory_of
from loadstone.hardware.compute.local_layout import bank_count, copy_count
from loadstone.hardware.layout import ArrayLayout
from loadstone.rtl.conditions import mux, one_hot_mux
from loadstone.rtl.expressions import Value, cat, const
from loadstone.rtl.types import Bits, address_width, unsigned

Fields = Mapping[str, Value]
"""A slice: the lane of its first slot, the count of its elements and, where widths differ, the size of one."""


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """The slices that move over a bus."""

    external: External

    @property
    def are_used(self) -> bool:
        """Whether some array has slices of several elements."""
        return self.external.beats.most > 1

    @property
    def _slots(self) -> int:
        return self.external.top.widths.lanes(self.external.top.bus)

    @property
    def fields(self) -> dict[str, Bits]:
        """What tells a slice in a record."""
        if not self.are_used:
            return {}
        found = {"lane": unsigned(address_width(self._slots)), "count": unsigned(self.external.beats.most.bit_length())}
        widths = self.external.top.widths
        return found if widths.are_equal else {**found, "size": widths.size}

    @property
    def word(self) -> Bits:
        """The type of what moves in a cycle: a beat, or an element."""
        return self.external.top.bus.data if self.are_used else unsigned(self.external.top.widths.widest)

    def of(self, moves: Moves) -> dict[str, Value]:
        """The slice of a move."""
        if not self.are_used:
            return {}
        lanes = [(is_of, self._lane(name, moves.cell)) for name, is_of in moves.arrays.items()]
        found = {"lane": one_hot_mux(lanes).wrapped(self.fields["lane"]), "count": moves.count}
        return found if "size" not in self.fields else {**found, "size": self.external.size(moves.arrays)}

    def ports(self, fields: Fields) -> dict[str, Value]:
        """The inputs of a master for a slice."""
        return {LANE: fields["lane"], SLOTS: self._slots_of(fields)} if self.are_used else {}

    def counted(self, moves: Value, fields: Fields) -> Value:
        """The number of elements that move, if a slice does."""
        return mux(moves, fields["count"], 0) if self.are_used else moves

    def flags(self, array: str, fields: Fields) -> list[Value]:
        """Which elements of a whole slice of an array are in a slice."""
        size, shift = self.external.beats.size(array), self._shift(array)
        if size == 1:
            return [const(1)]
        first = fields["lane"]
        end = self.external.names.wire(f"{array}_slice_end", first + self._slots_of(fields))
        return [(first <= (k << shift)) & (end > (k << shift)) for k in range(size)]

    def words(self, store: ArrayLayout, word: Value) -> list[Value]:
        """The elements of a whole slice in a word of the bus."""
        width = 8 * self.external.top.element_bytes[store.array]
        size = self.external.beats.size(store.array)
        return [word[k * width : (k + 1) * width].wrapped(store.type) for k in range(size)]

    def joined(self, array: str, words: Sequence[Value]) -> Value:
        """The word of the bus with the elements of a whole slice."""
        kind = unsigned(8 * self.external.top.element_bytes[array]) if self.are_used else self.word
        return cat(*(word.wrapped(kind) for word in reversed(words))).wrapped(self.word)

    def _slots_of(self, fields: Fields) -> Value:
        count = fields["count"].resized(self._slots.bit_length())
        return count << fields["size"] if "size" in fields else count

    def _shift(self, array: str) -> int:
        """The binary logarithm of the slots of an element."""
        return self.external.top.widths.size_of(8 * self.external.top.element_bytes[array])

    def _lane(self, array: str, cell: Value) -> Value:
        size = self.external.beats.size(array)
        return bank_of(cell, size) << self._shift(array) if size > 1 else const(0)


def bank_flags(store: ArrayLayout, cell: Value, flags: Sequence[Value]) -> list[Value]:
    """Which banks have elements of the slice at a cell, with flags for those of a whole one; nothing for an element."""
    size, banks = len(flags), bank_count(store)
    low, high = (size - 1).bit_length(), (banks - 1).bit_length()
    if size == 1:
        return []
    if size == banks:
        return list(flags)
    return [flags[bank % size] & (cell[low:high] == bank // size) for bank in range(banks)]


def stands_in_the_way(one: Write | Ask, cell: Value, size: int, store: ArrayLayout) -> Value:
    """Whether a write or read of a datapath is in the memory of a cell, or in the copy of a slice."""
    if size == 1:
        return in_memory_of(one, cell, store)
    return one.enable & (copy_of(one.address, store) == copy_of(cell, store)) if copy_count(store) > 1 else one.enable
