"""Schedules that hold one array: its subscripts come first wherever a statement accesses it.

    c[k][j] += a[i][k] * b[i][j]    ->    k, j, i        holding c
    c[i][j] += a[i][k] * b[k][j]    ->    i, j, k

Tiles in the first dimensions keep a tile of the array in local memory, and all else streams by; nests that follow each
other may hold the same one, so that others need little memory. The loops as they stand do this for the arrays of some
statements only, and reorderings of all nests at once do not either. A statement that does not access the array runs
beside one of its nest with which it shares another, in its first or its last date.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from loadstone.model.kernel import Access, Array, Kernel, Statement
from loadstone.poly import map_from_values
from loadstone.poly.extrema import greatest_value, least_value
from loadstone.poly.spaces import constant, dimension, values_of
from loadstone.tiling_search.footprints import forms
from loadstone.transfer.strips import in_memory, memory_arrays
from loadstone.transform.tiling import TiledKernel, nest_of

Dates = tuple[isl.PwAff, ...]
Place = tuple[int, int]
"""A nest, and a part of it: before, with or behind its deepest statements."""


def schedules_that_hold(kernel: Kernel) -> Iterator[tuple[TiledKernel, frozenset[int]]]:
    """For each array with more than one element, the schedules that hold it, of size 1, and the dimensions it has."""
    for array in memory_arrays(kernel):
        for theta, first in _Holding(kernel, array).thetas() if array.rank else ():
            dims = len(values_of(next(iter(theta.values()))))
            yield TiledKernel(kernel, theta, (1,) * dims, 1), frozenset(range(first, first + array.rank))


@dataclass(frozen=True, slots=True, eq=False)
class _Holding:
    """A kernel, and the array to hold."""

    kernel: Kernel
    array: Array

    def thetas(self) -> Iterator[tuple[Mapping[str, isl.Map], int]]:
        """The dates of all statements, if some have different elements for different iterators; the first subscript.

        Where the deepest statements of a nest see the array by other iterators, they run together, and one behind the
        other: what one of them reads then does not wait for the other.
        """
        plain = {s.name: dates for s in self.kernel.statements if (dates := _around(s, self.array.name)) is not None}
        if plain:
            dates = {s.name: plain.get(s.name) or self._beside(s, plain) for s in self.kernel.statements}
            yield self._numbered(dates, apart=False)
            if self._differ(dates):
                yield self._numbered(dates, apart=True)

    def _differ(self, dates: Mapping[str, Dates]) -> bool:
        length = max(map(len, dates.values()))
        deep = [s for s in self.kernel.statements if len(dates[s.name]) == length]
        seen = {(nest_of(s), tuple(names)) for s in deep if (names := _iterators(s, self.array.name)) is not None}
        return len(seen) > len({nest for nest, _ in seen})

    def _numbered(self, dates: Mapping[str, Dates], *, apart: bool) -> tuple[Mapping[str, isl.Map], int]:
        length = max(map(len, dates.values()))
        places = {s.name: self._place(s, dates, length, apart) for s in self.kernel.statements}
        numbers = sorted(set(places.values()))
        every = self.kernel.statements
        theta = {s.name: _numbered(s, dates[s.name], length, numbers, places[s.name]) for s in every}
        return theta, int(len(numbers) > 1)

    def _beside(self, statement: Statement, plain: Mapping[str, Dates]) -> Dates:
        """The dates of a statement that does not access the array: those of its loops if it is beside no other one."""
        names = [each.name for each in self.kernel.statements]
        for other in self.kernel.statements:
            if other.name in plain and nest_of(other) == nest_of(statement):
                is_later = names.index(statement.name) > names.index(other.name)
                found = _aligned(statement, other, plain[other.name], is_later)
                if found is not None:
                    return found
        return _loops(statement)

    def _place(self, statement: Statement, dates: Mapping[str, Dates], length: int, apart: bool) -> Place:
        """The nest of a statement, and whether it runs before all others of the nest, with them, or behind them.

        It is apart if it reads other arrays in fewer loops: their tiles would be held beside that of the array. Where
        all are `apart`, the last of the deepest ones runs first.
        """
        nest = nest_of(statement) or 0
        beside = [each for each in self.kernel.statements if (nest_of(each) or 0) == nest]
        number, is_deep = beside.index(statement), len(dates[statement.name]) == length
        if is_deep or not (apart or self._reads_others(statement)):
            return nest, -number if apart else 0
        deep = next((k for k, each in enumerate(beside) if len(dates[each.name]) == length), 0)
        return nest, -len(beside) if number < deep else 1

    def _reads_others(self, statement: Statement) -> bool:
        """Whether a statement reads arrays in memory beside the one that is held."""
        reads = (read.array for read in statement.reads if in_memory(self.kernel.arrays[read.array]))
        return any(array != self.array.name for array in reads)


def _numbered(statement: Statement, dates: Dates, length: int, numbers: Sequence[Place], place: Place) -> isl.Map:
    """The dates as a map, with the number of the place before them if there are several, and zeros behind.

    What is apart goes along its first loop behind, so that no more than a row of its tiles is held.
    """
    space = statement.domain.get_space()
    number = [constant(space, numbers.index(place))] if len(numbers) > 1 else []
    missing = [constant(space, 0)] * (length - len(dates))
    if missing and place[1] and statement.iterators:
        missing[0] = dimension(space, 0)
    return map_from_values(space, [*number, *dates, *missing]).intersect_domain(statement.domain)


def _around(statement: Statement, array: str) -> Dates | None:
    """The subscripts of the array, then the loops whose iterators they do not have."""
    found = _plain_access(statement, array)
    if found is None:
        return None
    access, names = found
    return (*_dates(access.relation), *(value for value in _loops(statement) if not _has(value, names, statement)))


def _iterators(statement: Statement, array: str) -> list[str] | None:
    """The iterators by which a statement sees an array."""
    found = _plain_access(statement, array)
    return None if found is None else found[1]


def _plain_access(statement: Statement, array: str) -> tuple[Access, list[str]] | None:
    """An access of an array, the write first, with a different iterator in each subscript, and these iterators."""
    every = ((access, _plain_subscripts(access, statement)) for access in (statement.write, *statement.reads))
    return next(((a, names) for a, names in every if a.array == array and names is not None), None)


def _has(value: isl.PwAff, names: Sequence[str], statement: Statement) -> bool:
    (form, _), *_ = forms(map_from_values(statement.domain.get_space(), [value]), statement)
    return form is not None and bool(form) and set(form) <= set(names)


def _plain_subscripts(access: Access, statement: Statement) -> list[str] | None:
    """The iterators in the subscripts of an access, if each has a different one, and nothing else but a constant."""
    found = [form for form, _ in forms(access.relation, statement)]
    names = [
        name for form in found if form is not None and len(form) == 1 for name, factor in form.items() if factor == 1
    ]
    return names if len(names) == len(found) == len(set(names)) and access.exact else None


def _dates(relation: isl.Map) -> Dates:
    return values_of(relation.reset_tuple_id(isl.dim_type.out))


def _loops(statement: Statement) -> Dates:
    """The iterators of a statement."""
    space = statement.domain.get_space()
    return tuple(dimension(space, k) for k in range(len(statement.iterators)))


def _aligned(statement: Statement, other: Statement, dates: Dates, is_later: bool) -> Dates | None:
    """The dates at which another statement accesses the element that one writes: the first or last of them."""
    mine = _plain_subscripts(statement.write, statement)
    for access in (other.write, *other.reads):
        theirs = _plain_subscripts(access, other) if access.array == statement.write.array else None
        if mine is None or theirs is None:
            continue
        own = dict(zip(theirs, _dates(statement.write.relation), strict=True))
        found = [_matching(value, own, other) for value in dates]
        reach = map_from_values(other.domain.get_space(), dates).intersect_domain(other.domain).range()
        space = statement.domain.get_space()
        values = [_end(reach, k, is_later, space) if value is None else value for k, value in enumerate(found)]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            return tuple(known)
    return None


def _matching(value: isl.PwAff, own: Mapping[str, isl.PwAff], other: Statement) -> isl.PwAff | None:
    """The subscript in place of an iterator of the other statement; None where a date is something else."""
    (form, _), *_ = forms(map_from_values(other.domain.get_space(), [value]), other)
    return own.get(next(iter(form))) if form is not None and len(form) == 1 else None


def _end(reach: isl.Set, position: int, last: bool, space: isl.Space) -> isl.PwAff | None:
    """The first or the last date in one dimension, for instances of a statement; None unless it is affine."""
    end = (greatest_value if last else least_value)(reach, position)
    found: list[isl.Aff] = []
    end.insert_domain(space).foreach_piece(lambda _, function: found.append(function))
    return isl.PwAff.from_aff(found[0]) if len(found) == 1 else None
