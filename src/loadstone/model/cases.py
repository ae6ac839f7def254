"""Selections whose condition is known of each instance become cases: a statement for each side.

b[i] = i > 0 ? a[i - 1] : 0;        i > 0:  b[i] = a[i - 1];
                             ->     i <= 0: b[i] = 0;
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import islpy as isl

from loadstone.model.affine import NotAffine, affine_condition
from loadstone.model.expression import Expression, Operand, Select, rebuilt, walk
from loadstone.model.free_name import free_name
from loadstone.model.kernel import Kernel, Statement, renamed
from loadstone.poly import coalesced


def with_cases(kernel: Kernel) -> Kernel:
    """The kernel with the instances of each statement apart by the sides that they take of affine selections."""
    taken = {each.name for each in kernel.statements}
    found: list[Statement] = []
    for statement in kernel.statements:
        first, *rest = _cases(statement)
        found.append(first)
        for each in rest:
            name = free_name(f"{statement.name}_case", taken)
            taken.add(name)
            found.append(renamed(each, name, each.domain.set_tuple_name(name)))
    return replace(kernel, statements=tuple(found))


def _cases(statement: Statement) -> Iterator[Statement]:
    """The statement for each side of its selections, where it has instances; itself if it has no selection."""
    chosen = next(_affine_selections(statement), None)
    if chosen is None:
        yield statement
        return
    selection, where = chosen
    for side, domain in ((selection.then, where), (selection.otherwise, statement.domain.subtract(where))):
        if not domain.is_empty():
            yield from _cases(_restricted(statement, selection, side, coalesced(domain)))


def _affine_selections(statement: Statement) -> Iterator[tuple[Select, isl.Set]]:
    """Selections in a value, each with the instances that take the first side; none where subscripts are data."""
    accesses = (*statement.reads, statement.write)
    if any(isinstance(part, Operand) for each in accesses for value in each.subscripts for part in walk(value)):
        return
    space = statement.domain.get_space()
    for part in walk(statement.value):
        if isinstance(part, Select) and not any(isinstance(each, Operand) for each in walk(part.condition)):
            try:
                where = affine_condition(part.condition, space)
            except NotAffine:
                continue
            yield part, where.intersect(statement.domain)


def _restricted(statement: Statement, selection: Select, side: Expression, domain: isl.Set) -> Statement:
    """The statement for instances that take one side of a selection, with the reads that are left."""

    def taken(part: Expression) -> Expression:
        return side if part is selection else rebuilt(part, taken)

    value = taken(statement.value)
    wanted = [value, *([statement.condition] if statement.condition is not None else [])]
    used = sorted({part.position for each in wanted for part in walk(each) if isinstance(part, Operand)})
    places = {position: number for number, position in enumerate(used)}

    def renumbered(part: Expression) -> Expression:
        return replace(part, position=places[part.position]) if isinstance(part, Operand) else rebuilt(part, renumbered)

    part = renamed(statement, statement.name, domain)
    return replace(
        part,
        reads=tuple(part.reads[position] for position in used),
        value=renumbered(value),
        condition=None if statement.condition is None else renumbered(statement.condition),
    )
