"""Scalars that are set and used in the same iteration give way to their values.

    for (i...) {                             for (i...)
      t = a[i] * b[i];              ->         c[i] = (a[i] * b[i]) + (a[i] * b[i]) / 2;
      c[i] = t + t / 2;
    }

One scalar for all iterations lets them run in one order only. Without it they can be tiled and unrolled, and a datapath
takes an iteration as a whole; words and results that are written twice are made once there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import islpy as isl

from loadstone.analysis.dataflow import flow_through
from loadstone.model.expression import Expression, Operand, cast, rebuilt, walk
from loadstone.model.kernel import Access, Kernel, Statement
from loadstone.poly import map_from_values
from loadstone.poly.limits import if_affordable
from loadstone.poly.spaces import Dim, dimension, maps_of
from loadstone.transform.removal import without_array
from loadstone.transform.selections import spelled, with_selections

MOST_PARTS = 400
"""How large a value may become; scalars whose values would make it larger stay."""


@lru_cache(maxsize=2)
def without_temporaries(kernel: Kernel) -> Kernel:
    """The kernel with the values of scalars where these are read, for all scalars where that can be done.

    Conditional updates of temporaries become selections.
    """
    kernel = with_selections(kernel)
    for name in [name for name, array in kernel.arrays.items() if array.rank == 0 and not array.live_out]:
        kernel = if_affordable(partial(_without, kernel, name)) or kernel
    return kernel


def _without(kernel: Kernel, name: str) -> Kernel | None:
    """The kernel without a scalar; None if it is needed."""
    if not any(s.write.array == name for s in kernel.statements):
        return None
    readers = {s.name for s in kernel.statements if _reads(s, name)}
    if not readers:
        return None
    sources = _sources(kernel, name)
    statements = {s.name: s for s in kernel.statements}
    while readers:
        ready = [each for each in readers if _is_ready(kernel, statements, each, sources.get(each), name)]
        if not ready:
            return None
        for each in ready:
            statements[each] = _with_value(statements[each], statements[sources[each].writer], sources[each], name)
        readers -= set(ready)
    if any(_size(each) > MOST_PARTS for each in statements.values()):
        return None
    return _dropped(kernel, name, statements)


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """Where a statement finds the value of a scalar: the writer, and for each instance the one that wrote it."""

    writer: str
    instances: isl.Map


def _sources(kernel: Kernel, name: str) -> dict[str, _Source]:
    """The unique writer of the value that a statement reads, by statement."""
    found: dict[str, _Source] = {}
    for (reader, _), flow in flow_through(kernel, name).items():
        maps = maps_of(flow)
        if len(maps) == 1:
            found[reader] = _Source(maps[0].get_tuple_name(Dim.in_), maps[0].reverse())
    return found


def _reads(statement: Statement, name: str) -> bool:
    return any(read.array == name for read in statement.reads)


def _is_ready(
    kernel: Kernel, statements: Mapping[str, Statement], name: str, source: _Source | None, scalar: str
) -> bool:
    """Whether a statement can compute the value of a scalar itself."""
    if source is None:
        return False
    reader, writer = statements[name], statements[source.writer]
    return (
        writer.condition is None
        and writer.write.exact
        and not _reads(writer, scalar)
        and _is_same_iteration(kernel, reader, writer, source.instances)
        and not any(_changes_between(kernel, reader, writer, read, source.instances) for read in writer.reads)
    )


def _is_same_iteration(kernel: Kernel, reader: Statement, writer: Statement, instances: isl.Map) -> bool:
    """Whether all instances of the reader find the value in the same iterations of the loops around the writer.

    A scalar that is set outside of all loops keeps none of them apart.
    """
    depth = len(writer.iterators)
    if not depth or reader.iterators[:depth] != writer.iterators:
        return False
    space = reader.domain.get_space()
    same = map_from_values(space, [dimension(space, k) for k in range(depth)], writer.name)
    return instances.is_subset(same) and reader.domain.intersect_params(kernel.context).is_subset(instances.domain())


def _changes_between(kernel: Kernel, reader: Statement, writer: Statement, read: Access, instances: isl.Map) -> bool:
    """Whether an element that gives the value may be written after the writer and before the reader."""
    length = max(each.schedule.dim(Dim.out) for each in kernel.statements)
    first, last = writer.times(length), reader.times(length)
    for other in kernel.statements:
        if other.write.array != read.array:
            continue
        date = other.times(length)
        after = read.relation.apply_range(other.write.relation.reverse()).intersect(first.lex_lt_map(date))
        between = after.apply_range(date.lex_lt_map(last)).intersect(instances.reverse())
        if not between.intersect_params(kernel.context).is_empty():
            return True
    return False


def _with_value(reader: Statement, writer: Statement, source: _Source, scalar: str) -> Statement:
    """The reader with the value of the writer in place of a scalar, and with what that reads among its reads."""
    own = [position for position, read in enumerate(reader.reads) if read.array == scalar]
    first, more = own[0], len(writer.reads)
    kept = [position for position in range(len(reader.reads)) if position not in own]
    places = {position: place + (more if position > first else 0) for place, position in enumerate(kept)}

    def given(expression: Expression) -> Expression:
        return _with_operands(expression, lambda each: replace(each, position=first + each.position))

    value = spelled(given(writer.value))

    def changed(expression: Expression) -> Expression:
        return _with_operands(
            expression,
            lambda each: (
                cast(value, each.type) if each.position in own else replace(each, position=places[each.position])
            ),
        )

    is_exact = any(reader.reads[position].exact for position in own)
    brought = [
        replace(
            _with_subscripts(read, given),
            relation=source.instances.apply_range(read.relation),
            exact=read.exact and is_exact,
        )
        for read in writer.reads
    ]
    others = [_with_subscripts(reader.reads[position], changed) for position in kept]
    return replace(
        reader,
        reads=(*others[:first], *brought, *others[first:]),
        write=_with_subscripts(reader.write, changed),
        value=changed(reader.value),
        condition=None if reader.condition is None else changed(reader.condition),
    )


def _with_subscripts(access: Access, change: Callable[[Expression], Expression]) -> Access:
    return replace(access, subscripts=tuple(map(change, access.subscripts)))


def _with_operands(expression: Expression, change: Callable[[Operand], Expression]) -> Expression:
    """The expression with other expressions in place of what was read."""
    if isinstance(expression, Operand):
        return change(expression)
    return rebuilt(expression, lambda child: _with_operands(child, change))


def _size(statement: Statement) -> int:
    """The number of operations of a statement."""
    bodies = (statement.value, *(() if statement.condition is None else (statement.condition,)))
    return sum(1 for body in bodies for _ in walk(body))


def _dropped(kernel: Kernel, name: str, statements: Mapping[str, Statement]) -> Kernel:
    """The kernel with other statements and without a scalar."""
    kept = tuple(each for each in statements.values() if each.write.array != name)
    return without_array(replace(kernel, statements=kept), name)
