"""The ends of queues of a direct implementation, where the words of instances have their turn, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loadstone.hardware.direct.reading import Client
from loadstone.hardware.direct.records import Elements, Records
from loadstone.hardware.names import Names
from loadstone.parallel.operands import Word
from loadstone.rtl.conditions import any_of, mux, one_hot_mux
from loadstone.rtl.expressions import Signal, Value, cat, const
from loadstone.rtl.types import address_width, bit, unsigned

Words = Mapping[str, tuple[Word, ...]]
"""The words that statements read, in order."""
At = Mapping[tuple[str, int], Signal]
"""Whether a word of a statement is the one whose turn it is, by the name and the number."""


def longest(words: Words) -> int:
    """The most words that an instance reads."""
    return max(map(len, words.values()), default=0)


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """The instance at an end of a queue and the word of it whose turn it is.

    `here` says of which statement it is; `is_last`: the word is its last one, or it has none.
    """

    words: Words
    record: Signal
    here: Mapping[str, Signal]
    step: Signal
    at: At
    is_last: Signal

    @property
    def longest(self) -> int:
        """The most words of an instance."""
        return longest(self.words)

    @property
    def is_here(self) -> Value:
        """Whether there is an instance."""
        return any_of(*self.here.values())

    def has(self, skips: Value) -> Value:
        """Whether it is the turn of a word that is not skipped."""
        return any_of(*self.at.values()) & ~skips

    def where(self, holds: Callable[[Word], bool]) -> Value:
        """Whether it is the turn of a word of some kind."""
        return any_of(*(flag for (name, k), flag in self.at.items() if holds(self.words[name][k])))


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """Makes turns, and what belongs to them, in a module; `places` are what records call the places of accesses."""

    names: Names
    records: Records
    elements: Elements
    places: Mapping[str, Mapping[int, str]]

    def at(self, title: str, valid: Value, record: Signal, words: Words) -> Turn:
        """The statement of a record, and a register that counts its words."""
        names = self.names
        here = {name: names.wire(f"{title}_{name}", valid & self.records.is_of(record, name)) for name in words}
        step = names.state(f"{title}_word", unsigned(address_width(max(2, longest(words)))))
        at = {
            (name, k): names.wire(f"{title}_{name}_{k}", here[name] & (step == k))
            for name in words
            for k in range(len(words[name]))
        }
        ends = [here[name] & (step == max(0, len(words[name]) - 1)) for name in words]
        return Turn(words, record, here, step, at, names.wire(f"{title}_last", any_of(*ends)))

    def advance(self, turn: Turn, advances: Value) -> None:
        """Counts the words of an instance."""
        m, step = self.names.module, turn.step
        with m.clocked(), m.when(advances):
            m.assign(step, mux(turn.is_last, 0, (step + 1).wrapped(step.bits)))

    def place(self, record: Value, statement: str, position: int) -> Value:
        """The place in its array of the element of an access."""
        return self.records.argument(record, statement, self.places[statement][position])

    def asked(self, turn: Turn) -> Value:
        """The element whose turn it is."""
        made: list[tuple[Value, Value]] = []
        for (name, k), flag in turn.at.items():
            word = turn.words[name][k]
            made.append((flag, self.elements.made(word.array, self.place(turn.record, name, word.position))))
        return one_hot_mux(made).wrapped(self.elements.type)

    def missing(self, turn: Turn) -> Value:
        """Whether the element whose turn it is does not exist."""
        found: list[Value] = []
        for (name, k), flag in turn.at.items():
            word = turn.words[name][k]
            if not word.exact:
                place = self.place(turn.record, name, word.position)
                inside = (place >= 0) & (place < self.elements.stores[word.array].depth)
                found.append(flag & ~inside)
        return any_of(*found)

    def skipped(self, turn: Turn, skips: Value, advances: Value) -> Value:
        """A bit for each word of an instance that is not read, when it passes."""
        m = self.names.module
        found: list[Value] = []
        for k in range(turn.longest):
            before = self.names.register(f"skipped_{k}", bit)
            now = turn.step == k
            with m.clocked(), m.when(advances & now):
                m.assign(before, skips)
            found.append(mux(now, skips, before))
        return cat(*reversed(found)) if found else const(0)

    def taken(self, turn: Turn, reads: Value, client: Client) -> list[Value]:
        """The words of an instance, the last of which arrives when it starts."""
        m = self.names.module
        found: list[Value] = []
        for k in range(turn.longest):
            before = self.names.register(f"word_{k}", client.word.bits)
            now = reads & (turn.step == k)
            with m.clocked(), m.when(now & client.valid):
                m.assign(before, client.word)
            found.append(self.names.wire(f"word_{k}_now", mux(now, client.word, before)))
        return found

    def delayed(self, wish: str, value: Value, cycles: int, reset: int | None = None) -> Value:
        """A value some cycles later."""
        for k in range(cycles):
            value = self.names.module.stored(self.names.fresh(f"{wish}_after_{k + 1}"), value, reset)
        return value


def skips_of(turn: Turn, skipped: Value) -> Value:
    """Whether the word whose turn it is was not read."""
    return any_of(*((turn.step == k) & skipped[k] for k in range(turn.longest)))
