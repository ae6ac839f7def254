"""Counters that all loops of a depth share: one automaton per dimension of the schedule [Devos, 5.2.1].

The loops of a depth never work at the same time, unless they are in parts that do. Which one is at work follows from
the automata of the blocks around: it chooses the bounds, and gets the starts of the iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from loadstone.hardware.control.automata import Bounds, counter
from loadstone.hardware.control.ranged import Ranged, chosen, number, type_between
from loadstone.hardware.names import Names
from loadstone.rtl.conditions import any_of
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.types import bit


class Level:
    """A counter of several loops, made for bounds that are known before; its inputs are driven when all are there."""

    def __init__(self, names: Names, depth: int, bounds: Sequence[Bounds]) -> None:
        iterators = sorted({b.iterator for b in bounds})
        self.name = name = names.fresh(iterators[0] if len(iterators) == 1 else f"loop_{depth}")
        names.module.section(f"Counter {name} of the loops over {', '.join(iterators)} at depth {depth}")
        self._names = names
        self._count = len(bounds)
        self._start = names.module.wire(names.fresh(f"{name}_asked"), bit)
        self._ends = {what: _wire(names, f"{name}_{what}", [_PARTS[what](b) for b in bounds]) for what in _PARTS}
        low, high = min(b.low for b in bounds), max(b.high for b in bounds)
        never_empty, ends = all(b.never_empty for b in bounds), self._ends
        shared = Bounds(name, ends["first"], ends["end"], ends["step"], low, high, never_empty)
        self.automaton = counter(names, name, self._start, shared, ())
        self._loops: list[tuple[Value, Value, Bounds]] = []
        self._lasts: list[Value] = []

    def loop(self, here: Value, start: Value, bounds: Bounds) -> tuple[Ranged, Value]:
        """The counter and the start of the body for a loop, which is at work where `here` holds."""
        self._loops.append((here, start, bounds))
        now = self.automaton.multiples[1]
        value = replace(now, low=max(now.low, bounds.low), high=min(now.high, bounds.high))
        return value, self.automaton.body_start & here if self._count > 1 else self.automaton.body_start

    def body(self, here: Value, last: Value) -> None:
        """Notes the last cycle of the body of a loop."""
        self._lasts.append(last & here if self._count > 1 else last)

    def finish(self) -> None:
        """Drives the inputs of the counter."""
        m = self._names.module
        m.assign(self._start, any_of(*(start for _, start, _ in self._loops)))
        m.assign(self.automaton.body_last, any_of(*self._lasts))
        for what, wire in self._ends.items():
            if isinstance(wire.value, Signal):
                m.assign(wire.value, _selected([(here, _PARTS[what](b)) for here, _, b in self._loops], wire))


_PARTS: dict[str, Callable[[Bounds], Ranged]] = {
    "first": lambda bounds: bounds.first,
    "end": lambda bounds: bounds.end,
    "step": lambda bounds: bounds.step,
}


def _wire(names: Names, wish: str, values: Sequence[Ranged]) -> Ranged:
    """A wire for one of several numbers; a number where they are all the same."""
    low, high = min(value.low for value in values), max(value.high for value in values)
    if low == high:
        return number(low)
    return Ranged(names.module.wire(names.fresh(wish), type_between(low, high)), low, high)


def _selected(values: Sequence[tuple[Value, Ranged]], wire: Ranged) -> Value:
    """The value of the loop that is at work."""
    *others, (_, found) = values
    for here, value in reversed(others):
        found = chosen(here, value, found)
    return found.value.wrapped(wire.value.bits)
