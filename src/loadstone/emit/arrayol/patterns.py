"""A pattern for each access of a nest, and the subscripts of the accesses within their patterns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import gcd

import islpy as isl

from loadstone.emit.arrayol.accesses import Row, refused
from loadstone.emit.arrayol.borders import Joined
from loadstone.emit.arrayol.nests import Nest, Reference
from loadstone.errors import Span
from loadstone.frontend.arrayol.specification import Before, Port, Tiler
from loadstone.model.free_name import free_name

Key = tuple[str, tuple[tuple[int, ...], ...], tuple[int | None, ...]]
"""An array, the coefficients of the repetition in its subscripts, and what these are taken modulo."""
FARTHEST = 3
"""The longest distance, in each dimension, at which an earlier repetition is looked for."""


@dataclass(slots=True)
class Hull:
    """What all accesses of a kind take within a repetition: for each subscript, first, last and step."""

    ranges: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])

    def add(self, rows: Sequence[tuple[int, int, int]]) -> None:
        """Take in what one more access takes."""
        if not self.ranges:
            self.ranges = list(rows)
            return
        self.ranges = [
            (min(a, b), max(c, d), gcd(gcd(s, t), abs(a - b)))
            for (a, c, s), (b, d, t) in zip(self.ranges, rows, strict=True)
        ]

    def has(self, rows: Sequence[tuple[int, int, int]]) -> bool:
        """Whether an access stays within."""
        return all(a <= b and d <= c for (a, c, _), (b, d, _) in zip(self.ranges, rows, strict=True))


def key_of(reference: Reference, depth: int) -> Key:
    """What accesses of one pattern share."""
    return (
        reference.array,
        tuple(row.factors[:depth] for row in reference.rows),
        tuple(row.modulus for row in reference.rows),
    )


def ranges_of(reference: Reference, nest: Nest, inside: isl.Set) -> list[tuple[int, int, int]]:
    """First, last and step of each subscript within the first repetition."""
    return [_range(row, nest, inside) for row in reference.rows]


def _range(row: Row, nest: Nest, inside: isl.Set) -> tuple[int, int, int]:
    start = row.constant + sum(a * b for a, b in zip(row.factors, nest.first, strict=False))
    low = high = start
    step = 0
    for k, factor in enumerate(row.factors[nest.depth :]):
        if factor:
            ends = [inside.dim_min_val(k), inside.dim_max_val(k)]
            values = sorted(factor * end.to_python() for end in ends)
            low, high, step = low + values[0], high + values[1], gcd(step, factor)
    return low, high, step


class Patterns:
    """The ports of a task, and where its accesses are in them."""

    def __init__(self, nest: Nest, statements: Sequence[Joined], own: Collection[str], span: Span) -> None:
        self.nest, self.span = nest, span
        self.names: dict[Key, str] = {}
        self.hulls: dict[Key, Hull] = {}
        self.before: dict[tuple[Key, tuple[int, ...]], Before] = {}
        self.written = {each.part.write.array for each in statements}
        self.outputs: list[Key] = []
        for each in statements:
            if each.part.write.array not in own:
                self._take(each.part.write, each.part.inside)
        self.outputs = list(self.hulls)
        if len({key[0] for key in self.outputs}) != len(self.outputs):
            raise refused("an array is written in two ways by one nest", span, "one tiler writes it")
        for each in statements:
            for read in each.part.reads:
                if read.array not in self.written:
                    self._take(read, each.part.inside)

    def _take(self, reference: Reference, inside: isl.Set) -> None:
        key = key_of(reference, self.nest.depth)
        if key not in self.hulls:
            self.hulls[key] = Hull()
            self.names[key] = free_name(reference.array, set(self.names.values()), "_")
        self.hulls[key].add(ranges_of(reference, self.nest, inside))

    def port(self, key: Key) -> Port:
        """The port of a pattern."""
        hull, (array, paving, moduli) = self.hulls[key], key
        sides = [(row, low, high, step) for row, (low, high, step) in enumerate(hull.ranges) if high > low]
        columns = [tuple(side[3] * (row == side[0]) for row in range(len(paving))) for side in sides]
        tiler = Tiler(
            tuple(low for low, _, _ in hull.ranges),
            paving,
            tuple(tuple(column[row] for column in columns) for row in range(len(paving))),
            tuple((high - low) // step + 1 for _, low, high, step in sides),
            any(modulus is not None for modulus in moduli),
        )
        return Port(self.names[key], array, tiler, self.span)

    def place(self, reference: Reference, joined: Joined, position: int | None) -> tuple[str, list[Row]]:
        """The name of the pattern of an access, and its subscripts there."""
        key = key_of(reference, self.nest.depth)
        rows = ranges_of(reference, self.nest, joined.part.inside)
        if reference.array not in self.written or (key in self.hulls and self.hulls[key].has(rows)):
            return self.names[key], self._inside(reference, key, (0,) * self.nest.depth)
        if key not in self.hulls:
            raise refused(f"{reference.array} is read otherwise than it is written", self.span)
        distance = self._distance(key, rows)
        initial = joined.initial.get(position if position is not None else -1)
        if initial is None:
            hint = "a constant stands at the border of a repetition"
            raise refused(f"{joined.part.statement.name} reads what was there before", self.span, hint)
        return self._earlier(key, distance, initial).name, self._inside(reference, key, distance)

    def _distance(self, key: Key, rows: Sequence[tuple[int, int, int]]) -> tuple[int, ...]:
        """The repetition before one that wrote what an access reads; none is beyond the sizes of the repetition."""
        reach = [FARTHEST if size is None else min(FARTHEST, size - 1) for size in self.nest.repetition]
        steps = sorted(product(*(range(-most, most + 1) for most in reach)), key=lambda d: sum(map(abs, d)))
        for distance in steps:
            shifts = [sum(p * d for p, d in zip(row, distance, strict=True)) for row in key[1]]
            moved = [(low + by, high + by, step) for (low, high, step), by in zip(rows, shifts, strict=True)]
            if any(distance) and self.hulls[key].has(moved):
                return distance
        raise refused(f"{key[0]} is read from afar", self.span, f"distances up to {FARTHEST} are found")

    def _earlier(self, key: Key, distance: tuple[int, ...], initial: str) -> Before:
        found = self.before.get((key, distance))
        if found is None:
            taken = {*self.names.values(), *(each.name for each in self.before.values())}
            found = Before(free_name("before", taken), self.names[key], distance, initial, self.span)
            self.before[key, distance] = found
        if found.initial != initial:
            raise refused(f"{key[0]} starts from different values", self.span)
        return found

    def _inside(self, reference: Reference, key: Key, distance: Sequence[int]) -> list[Row]:
        """The subscripts in a pattern: iterators inside alone, counted from its first element."""
        found: list[Row] = []
        depth, first = self.nest.depth, self.nest.first
        for row, steps, (low, high, step) in zip(reference.rows, key[1], self.hulls[key].ranges, strict=True):
            if high == low:
                continue
            start = row.constant + sum(a * b for a, b in zip(row.factors, first, strict=False))
            start += sum(p * d for p, d in zip(steps, distance, strict=True)) - low
            inner = row.factors[depth:]
            found.append(Row(tuple(factor // step for factor in inner), start // step))
        return found
