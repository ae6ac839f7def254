"""The searches behind modular mappings: bases for successive modulo, and integer lattices by growing determinant.

Both look for few cells for a bounded symmetric set of differences that holds 0 and has no parameters.

A lattice of rank n is given by the rows of its Hermite form without their leading zeros: n, n - 1, ..., 1 numbers. The
first number of a row, its pivot, is positive; each of the others, its offsets, is at least 0 and less than the pivot
below it. Every integer lattice has exactly one such form, and its determinant is the product of the pivots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, combinations, permutations
from math import isqrt
from operator import mul

import islpy as isl

from loadstone.poly import coalesced
from loadstone.poly.enumeration import Point, ranges_of
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.linear import conditions, linear, point_in
from loadstone.poly.spaces import Dim

Lattice = tuple[tuple[int, ...], ...]
Found = list[tuple[int, Lattice | None]]
"""Lattices, each with the steps to it from the one before; at last None, with the steps to the end."""
Rows = tuple[tuple[int, ...], ...]

HULL_LIMIT = 100_000
ISL_PRICE = 40
MOST_MAXIMA = 300
RESOLUTIONS = (4, 8, 16)
BASIS_STEPS = {2: 4, 3: 3, 4: 2}


class Exhausted(Exception):
    """A search has used up its budget."""


@dataclass(slots=True)
class Budget:
    """How many more steps a search may take; `once` are those taken for answers, which cost nothing from then on."""

    left: int
    once: int = 0

    def spend(self, steps: int) -> None:
        """Take steps; raises `Exhausted` when fewer are left, and then none is."""
        if steps > self.left:
            self.left = 0
            raise Exhausted
        self.left -= steps

    def spend_once(self, steps: int) -> None:
        """Take steps for an answer."""
        self.spend(steps)
        self.once += steps


@dataclass(frozen=True, slots=True)
class _Form:
    """(coefficients . point + sum of factor * floor(form) + constant) / divisor."""

    coefficients: tuple[int, ...]
    floors: tuple[tuple[int, _Form], ...]
    constant: int
    divisor: int

    def numerator(self, point: Point) -> int:
        """The value at a point times the divisor, which is positive."""
        total = self.constant
        for coefficient, coordinate in zip(self.coefficients, point, strict=True):
            total += coefficient * coordinate
        for factor, form in self.floors:
            total += factor * (form.numerator(point) // form.divisor)
        return total


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """The points where all forms are at least 0 and that `rest`, if there is one, holds."""

    forms: tuple[_Form, ...]
    rest: isl.BasicSet | None

    def holds(self, point: Point) -> bool:
        """Whether a point belongs to the piece."""
        if any(form.numerator(point) < 0 for form in self.forms):
            return False
        return self.rest is None or not self.rest.intersect(_only(point, self.rest.get_space())).is_empty()


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Membership in a set of differences; `reach` is its greatest coordinate in each dimension.

    Exact. isl decides only points that arithmetic does not, each once.
    """

    reach: tuple[int, ...]
    pieces: tuple[_Piece, ...]
    answers: dict[Point, bool] = field(default_factory=dict[Point, bool])

    @classmethod
    def of(cls, differences: isl.Set) -> Members:
        """Membership in this set."""
        reach = tuple(greatest for _, greatest in ranges_of(differences))
        return cls(reach, tuple(_piece(part) for part in coalesced(differences).get_basic_sets()))

    def price(self, point: Point) -> int:
        """About how many times longer than a look at an answer that is known it takes to find this one."""
        return 0 if point in self.answers else sum(1 if piece.rest is None else ISL_PRICE for piece in self.pieces)

    def holds(self, point: Point) -> bool:
        """Whether a point belongs to the set."""
        answer = self.answers.get(point)
        if answer is None:
            answer = self.answers[point] = any(piece.holds(point) for piece in self.pieces)
        return answer


def _piece(part: isl.BasicSet) -> _Piece:
    """A basic set as arithmetic, and as itself where it has existential variables that are not known to be floors."""
    try:
        with operation_limit(HULL_LIMIT):
            hull = part.remove_unknown_divs()
    except LimitReached:
        return _Piece((), part)
    names = tuple(f"d{k}" for k in range(part.dim(Dim.set)))
    forms = tuple(_form(condition, names) for condition in conditions(hull))
    return _Piece(forms, None if hull.plain_is_equal(part) else part)


def _only(point: Point, space: isl.Space) -> isl.BasicSet:
    return isl.BasicSet.from_point(point_in(space, {}, point))


def _form(value: isl.Aff, names: tuple[str, ...]) -> _Form:
    parts = linear(value, names)
    factors = {name: factor for factor, name in parts.variables}
    return _Form(
        tuple(factors.get(name, 0) for name in names),
        tuple((factor, _form(argument, names)) for factor, argument in parts.floors),
        parts.constant,
        parts.divisor,
    )


def scales(reach: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The powers of two that divide the reach into a few parts, for a few, more, and many parts; at last, all 1."""
    found = [tuple(1 << max(width // count, 1).bit_length() - 1 for width in reach) for count in RESOLUTIONS]
    return list(dict.fromkeys([*found, (1,) * len(reach)]))


@dataclass(frozen=True, slots=True, eq=False)
class LatticeSearch:
    """A search for lattices that meet a set in 0 only; coordinates of their points are multiples of `scale`.

    Determinants are given in multiples of the least one, the product of the scale. What runs out of steps raises
    `Exhausted`. Lattices of fewer rows than the whole are kept, and cost as many steps each time.
    """

    members: Members
    scale: tuple[int, ...]
    steps: Budget
    kept: dict[tuple[int, int, int], Found] = field(default_factory=dict[tuple[int, int, int], Found])

    def smallest(self, determinants: Iterable[int], offsets: int) -> Lattice | None:
        """A lattice with this many offsets other than 0, of the first determinant for which there is one."""
        for determinant in determinants:
            for lattice in self.lattices(len(self.scale), determinant, offsets):
                return lattice
        return None

    def lattices(self, rank: int, determinant: int, offsets: int) -> Iterator[Lattice]:
        """The lattices in the last `rank` dimensions with this many offsets other than 0.

        The rows below a row span such a lattice themselves, so rows are added from the last one up.
        """
        if rank == 0:
            return iter([()] if offsets == 0 else [])
        if rank == len(self.scale):
            return self._lattices(rank, determinant, offsets)
        found = self.kept.get((rank, determinant, offsets))
        return self._recorded(rank, determinant, offsets) if found is None else self._repeated(found)

    def _recorded(self, rank: int, determinant: int, offsets: int) -> Iterator[Lattice]:
        """The lattices, which are kept once all have been found."""
        found = Found()
        before = self._to_repeat()
        for lattice in self._lattices(rank, determinant, offsets):
            found.append((before - self._to_repeat(), lattice))
            yield lattice
            before = self._to_repeat()
        found.append((before - self._to_repeat(), None))
        self.kept[rank, determinant, offsets] = found

    def _to_repeat(self) -> int:
        """What is left of the budget but for the steps that are taken once."""
        return self.steps.left + self.steps.once

    def _repeated(self, found: Found) -> Iterator[Lattice]:
        for steps, lattice in found:
            self.steps.spend(steps)
            if lattice is not None:
                yield lattice

    def _lattices(self, rank: int, determinant: int, offsets: int) -> Iterator[Lattice]:
        self.steps.spend(1 + isqrt(determinant) // 16)
        for pivot in _divisors(determinant) if rank > 1 else [determinant]:
            for own in range(min(offsets, rank - 1) + 1):
                for below in self.lattices(rank - 1, determinant // pivot, offsets - own):
                    for row in self._rows(pivot * self.scale[-rank], below, own):
                        if self._is_clear(row, below):
                            yield (row, *below)

    def _rows(self, pivot: int, below: Lattice, offsets: int) -> Iterator[tuple[int, ...]]:
        """The rows with this pivot and this many offsets other than 0 that may stand above a lattice."""
        for chosen in combinations(range(len(below)), offsets):
            choices = [self._offsets(below, k) if k in chosen else range(1) for k in range(len(below))]
            for values in _product(choices):
                yield (pivot, *values)

    def _offsets(self, below: Lattice, position: int) -> range:
        step = self.scale[position - len(below)]
        return range(step, below[position][0], step)

    def _is_clear(self, row: tuple[int, ...], below: Lattice) -> bool:
        """Whether no sum of a positive multiple of the row and a point of the lattice below it is in the set."""
        zeros = (0,) * (len(self.scale) - len(row))
        pivot, *offsets = row
        self.steps.spend(1)
        for multiple in range(1, self.members.reach[-len(row)] // pivot + 1):
            if self._meets((*zeros, multiple * pivot), [multiple * offset for offset in offsets], below):
                return False
        return True

    def _meets(self, start: Point, shift: Sequence[int], lattice: Lattice) -> bool:
        """Whether the set holds a point of the lattice, moved by `shift`, behind the coordinates `start`."""
        if not lattice:
            return self._holds(start)
        pivot, *offsets = lattice[0]
        reach = self.members.reach[len(start)]
        values = range((shift[0] + reach) % pivot - reach, reach + 1, pivot)
        self.steps.spend(1 + len(values))
        if not offsets:
            return any(self._holds((*start, value)) for value in values)
        for value in values:
            multiple = (value - shift[0]) // pivot
            moved = [shift[k] + multiple * offset for k, offset in enumerate(offsets, 1)]
            if self._meets((*start, value), moved, lattice[1:]):
                return True
        return False

    def _holds(self, point: Point) -> bool:
        """Whether the set holds a point; looks at answers that are known cost nothing."""
        known = self.members.answers.get(point)
        if known is not None:
            return known
        self.steps.spend_once(self.members.price(point))
        return self.members.holds(point)


def _product(choices: Sequence[range]) -> Iterator[Point]:
    """The tuples of one number of each range; unlike `itertools.product`, without a copy of the ranges."""
    if not choices:
        yield ()
    elif all(choices):
        yield from ((first, *rest) for first in choices[0] for rest in _product(choices[1:]))


@lru_cache(maxsize=1024)
def _divisors(number: int) -> tuple[int, ...]:
    small = [k for k in range(1, isqrt(number) + 1) if number % k == 0]
    return tuple(sorted({*small, *(number // k for k in small)}))


def rounded(number: int, power_of_two: bool) -> int:
    """The least positive number, or the least power of two, that is at least `number`."""
    return 1 << max(number - 1, 0).bit_length() if power_of_two else max(number, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Bases:
    """Successive modulo in several bases, with moduli rounded up to powers of two on request.

    Kept for leading rows of bases: the differences that they map to 0, and the modulus of the last.
    """

    differences: isl.Set
    power_of_two: bool
    slices: dict[Rows, isl.Set] = field(default_factory=dict[Rows, isl.Set])
    found: dict[Rows, int] = field(default_factory=dict[Rows, int])
    maxima: Budget = field(default_factory=lambda: Budget(MOST_MAXIMA))

    def moduli(self, rows: Rows) -> tuple[int, ...]:
        """The moduli for the basis: 1 + max row_k . d over the differences with row_0 . d = ... = row_(k-1) . d = 0."""
        return tuple(self._modulus(rows[: k + 1]) for k in range(len(rows)))

    def has_fewer(self, rows: Rows, cells: int) -> bool:
        """Whether the product of the moduli for the basis is less than `cells`. Raises `Exhausted`."""
        moduli = (self._modulus_in_budget(rows[: k + 1]) for k in range(len(rows)))
        return all(used < cells for used in accumulate(moduli, mul))

    def _modulus_in_budget(self, rows: Rows) -> int:
        if rows not in self.found:
            self.maxima.spend(self.differences.n_basic_set())
        return self._modulus(rows)

    def _modulus(self, rows: Rows) -> int:
        if rows not in self.found:
            value = isl.Aff(f"{{ {tuple_text(len(rows[0]))} -> [{text_of(rows[-1])}] }}")
            widest = self._slice(rows[:-1]).max_val(value).to_python()
            self.found[rows] = rounded(1 + widest, self.power_of_two)
        return self.found[rows]

    def _slice(self, rows: Rows) -> isl.Set:
        """The differences that all rows map to 0."""
        if not rows:
            return self.differences
        if rows not in self.slices:
            plane = isl.Set(f"{{ {tuple_text(len(rows[0]))} : {text_of(rows[-1])} = 0 }}")
            self.slices[rows] = self._slice(rows[:-1]).intersect(plane)
        return self.slices[rows]


@lru_cache(maxsize=8)
def bases_near_identity(rank: int) -> tuple[Rows, ...]:
    """Unimodular matrices a few operations on rows from the identity, in the order of complexity."""
    found = newest = {identity(rank)}
    for _ in range(BASIS_STEPS.get(rank, 1)):
        newest = {after for rows in newest for after in _one_step_from(rows)} - found
        found = found | newest
    return tuple(sorted(found, key=_complexity))


def _one_step_from(rows: Rows) -> Iterator[Rows]:
    """The matrices that differ by a swap of two rows, or by one row added to or taken from another."""
    for one, other in permutations(range(len(rows)), 2):
        yield _replaced(rows, {one: rows[other], other: rows[one]})
        for sign in (1, -1):
            total = tuple(a + sign * b for a, b in zip(rows[one], rows[other], strict=True))
            yield _replaced(rows, {one: leading_positive(total)})


def _replaced(rows: Rows, changes: dict[int, tuple[int, ...]]) -> Rows:
    return tuple(changes.get(k, row) for k, row in enumerate(rows))


def leading_positive(row: tuple[int, ...]) -> tuple[int, ...]:
    """The row or its opposite, so that the first entry other than 0 is positive."""
    return max(row, tuple(-entry for entry in row))


def _complexity(rows: Rows) -> tuple[int, int, Rows]:
    entries = [abs(entry) for row in rows for entry in row]
    return sum(map(bool, entries)), sum(entries), tuple(tuple(-entry for entry in row) for row in rows)


def identity(rank: int) -> Rows:
    """The rows of the identity."""
    return tuple(tuple(int(i == j) for j in range(rank)) for i in range(rank))


def tuple_text(rank: int) -> str:
    """The tuple [d0, d1, ...] in isl's notation."""
    return f"[{', '.join(f'd{k}' for k in range(rank))}]"


def text_of(row: tuple[int, ...]) -> str:
    """The product of a row and the tuple in isl's notation."""
    return " + ".join(f"{entry} d{k}" for k, entry in enumerate(row))
