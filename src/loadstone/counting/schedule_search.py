"""Search for the linear schedule under which a kernel needs the least memory [Devos, 4.7].

One-dimensional schedules theta(x) = u . x + c have coefficients other than zero without a common divisor; a statement
gets the latest offset c that keeps the dependences, counted from the statements that nothing depends on, which have 0
[Devos, 4.7.2]. Schedules of more dimensions are matrices that give each instance a date of its own, without offsets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd, inf

import islpy as isl

from loadstone.analysis import anti, flow, output
from loadstone.counting.bounding import Method
from loadstone.counting.cardinality import parts_of
from loadstone.counting.extremum import Value, number
from loadstone.counting.schedule_memory import Lifetime, memory_size
from loadstone.model.kernel import Kernel, Statement, union_of_maps
from loadstone.poly import fixed, map_from_values
from loadstone.poly.order import later
from loadstone.poly.spaces import Dim, combination, constant, fixed_to_zero

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A schedule and the memory that it needs, or a bound on that."""

    schedule: isl.UnionMap
    size: Value
    exact: bool


def search(
    kernel: Kernel,
    parameters: Mapping[str, int],
    largest: int,
    *,
    dimensions: int = 1,
    lifetime: Lifetime | None = None,
    method: Method | None = None,
) -> Iterator[Found]:
    """All legal schedules with coefficients of at most this absolute value, with the memory that each needs."""
    commutative = lifetime is not None and lifetime.commutative
    for schedule in schedules(kernel, parameters, largest, dimensions=dimensions, commutative=commutative):
        bound = memory_size(kernel, schedule, parameters, lifetime=lifetime, method=method)
        yield Found(schedule, number(bound) or 0, bound.attained)


def schedules(
    kernel: Kernel, parameters: Mapping[str, int], largest: int, *, dimensions: int = 1, commutative: bool = False
) -> Iterator[isl.UnionMap]:
    """The legal schedules among all with such coefficients."""
    needed = _dependences(kernel, parameters)
    choices = [list(_coefficients(len(s.iterators), largest, dimensions)) for s in kernel.statements]
    for chosen in product(*choices):
        rows = dict(zip((s.name for s in kernel.statements), chosen, strict=True))
        if dimensions == 1:
            offsets = _offsets(kernel, rows, needed, commutative)
            if offsets is not None:
                yield linear_schedule(kernel, rows, offsets)
        elif _is_legal(kernel, rows, needed, commutative):
            yield linear_schedule(kernel, rows)


def _coefficients(count: int, largest: int, dimensions: int) -> Iterator[Rows]:
    numbers = [number for number in range(-largest, largest + 1) if number or dimensions > 1]
    for entries in product(numbers, repeat=count * dimensions):
        if dimensions > 1 or count == 0 or gcd(*entries) == 1:
            yield tuple(entries[k * count : (k + 1) * count] for k in range(dimensions))


def linear_schedule(kernel: Kernel, rows: Mapping[str, Rows], offsets: Mapping[str, int] | None = None) -> isl.UnionMap:
    """The schedule with these coefficients of each statement's iterators, and this offset in its first dimension."""
    shifts = offsets or {}
    parts = (_theta(s, rows[s.name], shifts.get(s.name, 0)).intersect_domain(s.domain) for s in kernel.statements)
    return union_of_maps(kernel, parts)


def _theta(statement: Statement, rows: Rows, offset: int) -> isl.Map:
    space = statement.domain.get_space()
    values = [combination(space, row, None) for row in rows]
    return map_from_values(space, [values[0].add(constant(space, offset)), *values[1:]])


def _dependences(kernel: Kernel, parameters: Mapping[str, int]) -> Sequence[isl.Map]:
    every = flow(kernel).union(anti(kernel)).union(output(kernel))
    return parts_of(fixed(every.intersect_params(kernel.context), parameters))


def _distances(kernel: Kernel, rows: Mapping[str, Rows], dependence: isl.Map) -> isl.Set:
    """The differences of the dates of dependent instances."""
    source, target = (kernel.statement(dependence.get_tuple_name(side)) for side in (Dim.in_, Dim.out))
    dated = dependence.apply_domain(_theta(source, rows[source.name], 0))
    return dated.apply_range(_theta(target, rows[target.name], 0)).deltas()


def _offsets(
    kernel: Kernel, rows: Mapping[str, Rows], needed: Sequence[isl.Map], commutative: bool
) -> dict[str, int] | None:
    """The latest offsets that keep all dependences; None if there are none."""
    gaps: list[tuple[str, str, int]] = []
    for dependence in needed:
        source, target = dependence.get_tuple_name(Dim.in_), dependence.get_tuple_name(Dim.out)
        distances = _distances(kernel, rows, dependence)
        if source != target:
            gaps.append((source, target, distances.dim_min_val(0).to_python()))
        elif not _keeps_itself(distances, commutative):
            return None
    return _latest([statement.name for statement in kernel.statements], gaps)


def _latest(names: Sequence[str], gaps: Sequence[tuple[str, str, int]]) -> dict[str, int] | None:
    """The largest offsets with offset(target) + gap > offset(source), zero for what is no source; None without any.

    Where all statements depend on each other, the last one has zero.
    """
    sources = {source for source, _, _ in gaps}
    offsets: dict[str, float] = {name: inf if name in sources else 0 for name in names}
    if sources.issuperset(names):
        offsets[names[-1]] = 0
    for _ in range(len(names) + 1):
        before = dict(offsets)
        for source, target, gap in gaps:
            offsets[source] = min(offsets[source], offsets[target] + gap - 1)
        if offsets == before:
            return {name: 0 if offset == inf else int(offset) for name, offset in offsets.items()}
    return None


def _keeps_itself(distances: isl.Set, commutative: bool) -> bool:
    """Whether dependent instances of one statement run in order, or, if that does not matter, not at the same time."""
    zero = fixed_to_zero(isl.Set.universe(distances.get_space()), range(distances.dim(Dim.set)))
    return (
        distances.intersect(zero).is_empty()
        if commutative
        else distances.is_subset(zero.apply(later(zero.get_space())))
    )


def _is_legal(kernel: Kernel, rows: Mapping[str, Rows], needed: Sequence[isl.Map], commutative: bool) -> bool:
    """Whether all instances of a statement have dates of their own, and dependent ones are in order."""
    for statement in kernel.statements:
        if not _theta(statement, rows[statement.name], 0).is_injective():
            return False
    return all(
        _keeps_itself(
            _distances(kernel, rows, part),
            commutative and part.get_tuple_name(Dim.in_) == part.get_tuple_name(Dim.out),
        )
        for part in needed
    )
