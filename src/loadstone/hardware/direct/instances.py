"""The instances in flight of a direct implementation: what they compute, and the last result."""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.rtl.expressions import Signal, Value


@dataclass(frozen=True, slots=True, eq=False)
class Last:
    """The last result that belongs into memory: its element, its word, and its entry in the table.

    `expected` is the element that it will be when all instances that have passed are through, where that is known.
    """

    valid: Signal
    element: Signal
    word: Signal
    entry: Signal
    known: Signal
    expected: Signal

    def will_be(self, element: Value) -> Value:
        """Whether it will surely be that of an element."""
        return self.known & (self.expected == element)


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """The instance that is started next: its record, which words are skipped, and what is known of its result."""

    record: Signal
    skipped: Value
    same: Value
    entry: Value


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """An instance whose result comes in this cycle: whether one does, whether it belongs into memory, and where."""

    finishes: Signal
    stores: Signal
    element: Value
    same: Value
    entry: Value
