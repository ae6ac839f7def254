"""Modular mappings x -> A x mod b, which let an array live in fewer cells than it has elements.

Two elements conflict when they are alive at once; the differences of conflicting elements, with 0, are a symmetric set.
A mapping is admissible when no such difference but 0 is mapped to 0, that is, when the lattice that is its kernel meets
the set in 0 only. It uses as many cells as the determinant of that lattice [Darte, Schreiber, Villard: Lattice-based
memory allocation].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd, prod

import islpy as isl

from loadstone.poly.enumeration import Point
from loadstone.poly.spaces import Dim
from loadstone.storage.search import (
    Bases,
    Budget,
    Exhausted,
    Lattice,
    LatticeSearch,
    Members,
    Rows,
    bases_near_identity,
    identity,
    leading_positive,
    rounded,
    scales,
    tuple_text,
)

DEFAULT_BUDGET = 80_000
NARROW, WIDE = 64, 8


@dataclass(frozen=True, slots=True)
class Modular:
    """The mapping x -> A x mod b; `rows` are the rows of A, `moduli` the entries of b.

    >>> Modular(((1, -1),), (5,)).cell_of((1, 3))
    (3,)
    """

    rows: Rows
    moduli: tuple[int, ...]

    @property
    def cells(self) -> int:
        """The number of cells that elements are mapped to."""
        return prod(self.moduli)

    def cell_of(self, point: Point) -> tuple[int, ...]:
        """The cell of an element; its coordinates are at least 0."""
        sums = (sum(a * b for a, b in zip(row, point, strict=True)) for row in self.rows)
        return tuple(total % modulus for total, modulus in zip(sums, self.moduli, strict=True))


def successive_modulo(differences: isl.Set) -> Modular:
    """The mapping by the identity with b_k = 1 + max d_k over the differences with d_0 = ... = d_(k-1) = 0.

    Always admissible [Lefebvre, Feautrier: Automatic storage management for parallel programs].

    >>> successive_modulo(isl.Set("{ [x, y] : -7 <= x <= 7 and -3 <= x - y <= 3 }"))
    Modular(rows=((1, 0), (0, 1)), moduli=(8, 4))
    """
    rows = identity(differences.dim(Dim.set))
    return Modular(rows, Bases(_with_zero(differences), False).moduli(rows))


def best_modular(
    differences: isl.Set, least: int, *, power_of_two: bool = False, budget: int = DEFAULT_BUDGET
) -> Modular:
    """An admissible mapping with few cells: never more than by successive modulo.

    The search ends with `least` cells, a lower bound. It tries successive modulo in the given basis and in others close
    to it, and all lattices, those with few offsets first, as long as the budget lasts: about as many points are tested.
    With `power_of_two`, all moduli are powers of two; then successive modulo is that with moduli rounded up.

    >>> best_modular(isl.Set("{ [x, y] : -8 < y < 8 and -18 < 8 x + y < 18 }"), 18)
    Modular(rows=((8, 1),), moduli=(18,))
    """
    plain = _with_zero(differences)
    rank = plain.dim(Dim.set)
    bases = Bases(plain, power_of_two)
    best = Modular(identity(rank), bases.moduli(identity(rank)))
    goal = rounded(least, power_of_two)
    if best.cells <= goal:
        return best
    search = _Search(bases, Members.of(plain), goal)
    best = search.by_lattices(best, range(1), budget // rank**2)
    best = search.by_bases(best)
    return search.by_lattices(best, range(1, rank * (rank - 1) // 2 + 1), budget - budget // rank**2)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """What finds mappings with fewer cells than a given one, `best`, but not less than `least`."""

    bases: Bases
    members: Members
    least: int

    def by_bases(self, best: Modular) -> Modular:
        """The mapping with the fewest cells among `best` and successive modulo in bases close to the given one."""
        try:
            for rows in bases_near_identity(len(self.members.reach)):
                if best.cells > self.least and self.bases.has_fewer(rows, best.cells):
                    best = _readable(rows, self.bases.moduli(rows))
        except Exhausted:
            pass
        return best

    def by_lattices(self, best: Modular, offsets: range, budget: int) -> Modular:
        """The mapping with the fewest cells among `best` and those by lattices with so many offsets other than 0.

        Each number of offsets and each scale gets an equal share of what those before it have left of the budget.
        """
        stages = list(product(offsets, scales(self.members.reach)))
        for done, (count, scale) in enumerate(stages):
            share = Budget(budget // (len(stages) - done))
            budget -= share.left
            best = self._by_scaled_lattices(best, count, LatticeSearch(self.members, scale, share))
            budget += share.left
        return best

    def _by_scaled_lattices(self, best: Modular, offsets: int, search: LatticeSearch) -> Modular:
        unit = prod(search.scale)
        try:
            for window in self._windows(-(-self.least // unit), -(-best.cells // unit)):
                fewer = (determinant for determinant in window if determinant * unit < best.cells)
                lattice = search.smallest(fewer, offsets)
                best = best if lattice is None else mapping_of(lattice)
        except Exhausted:
            pass
        return best

    def _windows(self, least: int, end: int) -> Iterator[range | list[int]]:
        """Determinants from `least` to below `end`: the first few, in case the bound is tight, then down from the end.

        Where they are to be powers of two, from `least` up. Inside of a window, determinants grow.
        """
        if self.bases.power_of_two:
            yield [1 << k for k in range(least.bit_length() - 1, (end - 1).bit_length())]
            return
        first = range(least, min(end, least + 1 + least // NARROW))
        yield first
        while end > first.stop:
            start = max(first.stop, end - 1 - end // WIDE)
            yield range(start, end)
            end = start


def _readable(rows: Iterable[tuple[int, ...]], moduli: Iterable[int]) -> Modular:
    """The same mapping up to the names of cells, with rows in the order of dimensions.

    Where all rows are those of the identity, all of them are kept; otherwise only those with a modulus above 1.
    """
    pairs = sorted(zip(rows, moduli, strict=True), reverse=True)
    if tuple(row for row, _ in pairs) != identity(len(pairs)):
        pairs = [(row, modulus) for row, modulus in pairs if modulus > 1]
    return Modular(tuple(row for row, _ in pairs), tuple(modulus for _, modulus in pairs))


def mapping_of(lattice: Lattice) -> Modular:
    """A mapping whose kernel is the lattice: dimensions that no offset couples to others keep their own modulus.

    >>> mapping_of(((4, 0), (3,)))
    Modular(rows=((1, 0), (0, 1)), moduli=(4, 3))
    >>> mapping_of(((1, 3), (5,)))
    Modular(rows=((2, 1),), moduli=(5,))
    """
    rank = len(lattice)
    full = tuple((0,) * k + row for k, row in enumerate(lattice))
    components: list[tuple[tuple[int, ...], int]] = []
    for group in _coupled(full):
        for modulus, column in smith([[full[k][j] for j in group] for k in group]):
            entries = dict(zip(group, _simplest_multiple(column, modulus), strict=True))
            components.append((tuple(entries.get(k, 0) for k in range(rank)), modulus))
    return _readable((row for row, _ in components), (modulus for _, modulus in components))


def _coupled(rows: Rows) -> list[tuple[int, ...]]:
    """The finest partition of the dimensions such that the entries of each row other than 0 lie in one part."""
    parts: list[set[int]] = []
    for row in rows:
        touched = {k for k, entry in enumerate(row) if entry}
        joined = [part for part in parts if part & touched]
        parts = [part for part in parts if part not in joined] + [touched.union(*joined)]
    return sorted(tuple(sorted(part)) for part in parts)


def _simplest_multiple(row: tuple[int, ...], modulus: int) -> tuple[int, ...]:
    """A row with small entries that is a multiple modulo `modulus` of the given one, and the other way round."""
    if len(row) == 1:
        return (1,)
    units = [1, *(pow(entry, -1, modulus) for entry in row if gcd(entry, modulus) == 1)]
    return min((_small_residues(row, unit, modulus) for unit in units), key=_row_complexity)


def _small_residues(row: tuple[int, ...], factor: int, modulus: int) -> tuple[int, ...]:
    half = (modulus - 1) // 2
    return leading_positive(tuple((factor * entry + half) % modulus - half for entry in row))


def _row_complexity(row: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
    return sum(map(abs, row)), sum(entry < 0 for entry in row), row


def smith(matrix: Sequence[Sequence[int]]) -> list[tuple[int, tuple[int, ...]]]:
    """The diagonal of the Smith form U M V of a regular matrix M, each number with its column of V.

    Each number divides the next. A vector x is in the lattice that the rows of M span if and only if each x . column is
    a multiple of its number.
    """
    size = len(matrix)
    table = [*map(list, matrix), *map(list, identity(size))]
    for corner in range(size):
        _clear(table, corner, size)
        while (row := _undivided(table, corner, size)) is not None:
            _add_row(table, corner, row, 1)
            _clear(table, corner, size)
    columns = zip(*table[size:], strict=True)
    return [(abs(table[k][k]), column) for k, column in enumerate(columns)]


def _clear(table: list[list[int]], corner: int, size: int) -> None:
    """Make the entries to the right of a corner and below it 0, by operations on the rows and columns from it on."""
    rest = range(corner + 1, size)
    while not table[corner][corner] or any(table[corner][k] or table[k][corner] for k in rest):
        _move_smallest(table, corner, size)
        pivot = table[corner][corner]
        for k in rest:
            _add_row(table, k, corner, -(table[k][corner] // pivot))
        for k in rest:
            _add_column(table, k, corner, -(table[corner][k] // pivot))


def _move_smallest(table: list[list[int]], corner: int, size: int) -> None:
    """Bring the smallest entry other than 0 to the corner, by a swap of rows and one of columns."""
    block = range(corner, size)
    _, i, j = min((abs(table[i][j]), i, j) for i in block for j in block if table[i][j])
    table[corner], table[i] = table[i], table[corner]
    for row in table:
        row[corner], row[j] = row[j], row[corner]


def _undivided(table: list[list[int]], corner: int, size: int) -> int | None:
    """A row with an entry that the corner does not divide."""
    rest = range(corner + 1, size)
    return next((k for k in rest if any(table[k][j] % table[corner][corner] for j in rest)), None)


def _add_row(table: list[list[int]], target: int, source: int, factor: int) -> None:
    table[target] = [a + factor * b for a, b in zip(table[target], table[source], strict=True)]


def _add_column(table: list[list[int]], target: int, source: int, factor: int) -> None:
    for row in table:
        row[target] += factor * row[source]


def _zero(rank: int) -> isl.Set:
    return isl.Set(f"{{ {tuple_text(rank)} : {' and '.join(f'd{k} = 0' for k in range(rank)) or 'true'} }}")


def _with_zero(differences: isl.Set) -> isl.Set:
    """The differences without a name for their tuple, and 0."""
    plain, zero = differences.reset_tuple_id(), _zero(differences.dim(Dim.set))
    return plain if zero.is_subset(plain) else plain.union(zero)
