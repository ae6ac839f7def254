"""The automata that controllers are made of. All speak the same protocol [Devos, 5.3.1].

A part is started by a pulse, and sets `last` in the last cycle in which it works. What comes after it may start in the
next cycle, so that no cycle is lost between them. Where a part has nothing to do, its first cycle is its last.

An automaton is made before the parts that it starts. It has wires for their last cycles, to be driven later. What comes
over these wires while a part is not at work does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from loadstone.hardware.control.ranged import Ranged, compared, difference, multiple, number, total, type_between
from loadstone.hardware.names import Names
from loadstone.rtl.conditions import any_of, mux
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.types import address_width, bit, unsigned


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Of a loop whose bounds do not change: whether there are iterations, and whether there is one at most.

    An iteration with a value beyond `before_last` is followed by the final one.
    """

    some: Value
    single: Value
    before_last: Ranged


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """A loop from `first` to `end` in steps, the range of the values that its counter takes, and whether it has any.

    Where bounds are `settled`, whether an iteration is the final one is known before it begins.
    """

    iterator: str
    first: Ranged
    end: Ranged
    step: Ranged
    low: int
    high: int
    never_empty: bool
    settled: Settled | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Counter:
    """The automaton of a loop; `multiples` are the counter times some factors, among them 1.

    `held` are the registers with those of them that change, after the first cycle of the loop.
    """

    multiples: Mapping[int, Ranged]
    held: Mapping[int, Signal]
    body_start: Signal
    body_last: Signal
    last: Value


@dataclass(frozen=True, slots=True, eq=False)
class Identifier:
    """The automaton of parts that follow each other; `part` is the one at work."""

    part: Signal
    starts: tuple[Value, ...]
    lasts: tuple[Signal, ...]
    last: Value


@dataclass(frozen=True, slots=True, eq=False)
class _Tracked:
    """A multiple of a counter: its value now, and the register that holds it after the first cycle, with its step."""

    now: Ranged
    register: Signal | None
    step: Ranged


def counter(names: Names, name: str, start: Value, bounds: Bounds, factors: Iterable[int]) -> Counter:
    """The automaton of a loop, which counts while its body works [Devos, 5.2.1, loop counter block].

    The counter has its first value in the cycle of the start already. It stops at its last value, so that the register
    needs no more bits than the values. Multiples of it are kept up by additions: the method of differences. An empty
    loop takes one cycle.
    """
    m = names.module
    some = const(1) if bounds.never_empty else names.named(f"{name}_some", _some(bounds))
    started = names.wire(f"{name}_start", start & some)
    tracked = {factor: _tracked(names, name, started, bounds, factor) for factor in (1, *factors)}
    body_last = m.wire(names.fresh(f"{name}_body_last"), bit)
    running = names.state(f"{name}_running", comment="since the cycle after the start")
    active = names.wire(f"{name}_active", started | running)
    final, final_later = _final(names, name, started, bounds, tracked[1].now)
    counts = names.wire(f"{name}_counts", active & body_last & ~final)
    done = names.wire(f"{name}_done", active & body_last & final)
    again = names.state(f"{name}_again", comment="starts an iteration after the first")
    with m.clocked(f"Counts {name} after the last cycle of each iteration but the final one."), m.when(active):
        m.assign(running, ~done)
        m.assign(again, counts)
        for part in tracked.values():
            _advance(names, part, counts)
        if final_later is not None and bounds.settled is not None:
            m.assign(final_later, mux(counts, compared(">", tracked[1].now, bounds.settled.before_last), final))
    body_start = names.wire(f"{name}_body_start", started | again)
    now = {factor: part.now for factor, part in tracked.items()}
    held = {factor: part.register for factor, part in tracked.items() if part.register is not None}
    return Counter(now, held, body_start, body_last, done | (start & ~some))


def _some(bounds: Bounds) -> Value:
    """Whether a loop has iterations."""
    return compared("<=", bounds.first, bounds.end) if bounds.settled is None else bounds.settled.some


def _final(names: Names, name: str, started: Signal, bounds: Bounds, now: Ranged) -> tuple[Value, Signal | None]:
    """Whether an iteration is the final one; the register that says so after its first cycle, if bounds are settled."""
    if bounds.settled is None:
        last = difference(bounds.end, difference(bounds.step, number(1)))
        return names.named(f"{name}_final", compared(">=", now, last)), None
    later = names.register(f"{name}_final_later", bit, "whether the iteration is the final one, after its first cycle")
    return names.wire(f"{name}_final", mux(started, bounds.settled.single, later)), later


def _tracked(names: Names, loop: str, started: Signal, bounds: Bounds, factor: int) -> _Tracked:
    low, high = factor * bounds.low, factor * bounds.high
    if low == high:
        return _Tracked(number(low), None, number(0))
    name = loop if factor == 1 else names.fresh(product_name(loop, factor))
    register = names.register(f"{name}_count", type_between(low, high), "its value after the first cycle")
    first = multiple(bounds.first, factor).value
    first = first if register.bits.includes(first.bits) else first.wrapped(register.bits)
    now = names.module.wire(name, mux(started, first, register))
    return _Tracked(Ranged(now, low, high), register, multiple(bounds.step, factor))


def product_name(counter: str, factor: int) -> str:
    """How a multiple of a counter is called."""
    return f"{counter}_times_{factor}"


def _advance(names: Names, part: _Tracked, counts: Signal) -> None:
    """Adds the step where the loop counts."""
    if part.register is not None:
        following = total(part.now, part.step).value.wrapped(part.register.bits)
        names.module.assign(part.register, mux(counts, following, part.now.value))


def one_after_another(names: Names, name: str, start: Value, count: int) -> Identifier:
    """The automaton of a block, which counts its parts [Devos, 5.2.1, identifier block]."""
    m = names.module
    part = m.register(name, unsigned(address_width(count)), reset=0, comment="the part at work")
    lasts = tuple(m.wire(names.fresh(f"{name}_{k}_last"), bit) for k in range(count))
    running = names.state(f"{name}_running", comment="since the cycle after the start")
    active = names.wire(f"{name}_active", start | running)
    ended = names.wire(f"{name}_ended", active & any_of(*((part == k) & last for k, last in enumerate(lasts))))
    final = part == count - 1
    done = names.wire(f"{name}_done", ended & final)
    moved = names.state(f"{name}_moved", comment="starts a part after the first")
    with m.clocked(f"Goes on to the next {name} after the last cycle of one."):
        m.assign(running, active & ~done)
        m.assign(moved, ended & ~final)
        with m.when(ended):
            m.assign(part, mux(final, 0, (part + 1).wrapped(part.bits)))
    return Identifier(part, (start, *(moved & (part == k) for k in range(1, count))), lasts, done)


def delayed(names: Names, wish: str, value: Value, cycles: int, *, resets: bool) -> Value:
    """A value some cycles later."""
    for _ in range(cycles):
        value = names.module.stored(names.fresh(wish), value, reset=0 if resets else None)
    return value
