"""Elements that a body writes whatever its conditions are: `if (c) y = 1; else y = 2;` writes y."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import islpy as isl

from loadstone.model.expression import Binary, Expression, Operand, Unary, walk
from loadstone.model.kernel import Kernel, Statement

MOST_CONDITIONS = 8
"""So many conditions on data are tried in all combinations."""

Atom = tuple[str, ...]
"""A condition on data: its text and the elements that it reads."""


def element_of(statement: Statement) -> isl.Set:
    """The elements that a statement may write."""
    return statement.write.relation.range()


def without_sure_writes(elements: isl.Set, writers: Sequence[Statement], body: Kernel) -> isl.Set:
    """The elements of an array that some execution of a body leaves unwritten."""
    for group in _at_the_same_points(writers):
        if all(each.condition is not None for each in group) and not _one_holds(group, body):
            continue
        elements = elements.subtract(element_of(group[0]))
    return elements


def _at_the_same_points(writers: Sequence[Statement]) -> list[list[Statement]]:
    """Statements with equal iterators that write equal elements, the unconditional ones alone."""
    found: dict[tuple[str, bool], list[Statement]] = {}
    for each in writers:
        relation = each.write.relation.set_tuple_name(isl.dim_type.in_, "S").intersect_domain(
            each.domain.set_tuple_name("S")
        )
        found.setdefault((str(relation), each.condition is None), []).append(each)
    return list(found.values())


def _one_holds(group: Sequence[Statement], body: Kernel) -> bool:
    """Whether one of the conditions holds, for all values of the data that they read."""
    atoms = sorted({atom for each in group for atom, _ in _atoms(each, each.condition)})
    changes = {each.write.array for each in body.statements if body.arrays[each.write.array].rank}
    reads = {array for atom in atoms for array in atom[1:]}
    if len(atoms) > MOST_CONDITIONS or any(array.split("[")[0] in changes for array in reads):
        return False
    values = (dict(zip(atoms, chosen, strict=True)) for chosen in product((False, True), repeat=len(atoms)))
    return all(any(_holds(each, each.condition, value) for each in group) for value in values)


def _atoms(statement: Statement, condition: Expression | None) -> Iterator[tuple[Atom, Expression]]:
    match condition:
        case None:
            return
        case Unary(op="!", operand=operand):
            yield from _atoms(statement, operand)
        case Binary(op="&&" | "||", left=left, right=right):
            yield from (*_atoms(statement, left), *_atoms(statement, right))
        case _:
            yield _atom(statement, condition), condition


def _atom(statement: Statement, condition: Expression) -> Atom:
    """A condition, with the elements in place of the positions of reads."""
    positions = [each.position for each in walk(condition) if isinstance(each, Operand)]
    text = repr(condition)
    for position in positions:
        text = text.replace(f"Operand(position={position},", "Operand(")
    read = (statement.reads[position] for position in positions)
    return text, *(f"{each.array}[{', '.join(map(repr, each.subscripts))}]" for each in read)


def _holds(statement: Statement, condition: Expression | None, values: Mapping[Atom, bool]) -> bool:
    match condition:
        case None:
            return True
        case Unary(op="!", operand=operand):
            return not _holds(statement, operand, values)
        case Binary(op="&&", left=left, right=right):
            return _holds(statement, left, values) and _holds(statement, right, values)
        case Binary(op="||", left=left, right=right):
            return _holds(statement, left, values) or _holds(statement, right, values)
        case _:
            return values[_atom(statement, condition)]
