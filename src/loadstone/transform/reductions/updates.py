"""Reductions: updates `x = x + e` that may run in any order, if the operator is taken as associative and commutative.

Then the order among the updates of an element is free, but every update stays behind each write before it and ahead of
each read of the result behind it [Devos, 3.4.3]. So flow through such arrays becomes memory-based: with the order of
the updates open, each of them may be the last. (Devos argues there with addition, while his S2 multiplies.)
`orderless.py` says for which of them all bits stay the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import islpy as isl

from loadstone.analysis import Dependences, memory_flow
from loadstone.model.expression import Binary, Cast, Expression, Operand, walk
from loadstone.model.kernel import Kernel, Statement, union_of_maps

_REORDERABLE = frozenset({"+", "*", "&", "|", "^", "min", "max"})


def with_free_reductions(kernel: Kernel, known: Dependences) -> Dependences:
    """The dependences that remain when the updates of each reduction may run in any order."""
    updates = [statement for statement in kernel.statements if is_reduction(statement)]
    return without_order(kernel, known, [(statement, statement) for statement in updates])


def without_order(kernel: Kernel, known: Dependences, free: Sequence[tuple[Statement, Statement]]) -> Dependences:
    """The dependences that remain when updates of an element by these pairs of statements may run in any order."""
    if not free:
        return known
    arrays = sorted({statement.write.array for statement, _ in free})
    among = union_of_maps(kernel, (_same_element(*pair) for pair in free))
    through = memory_flow(kernel, arrays)
    return replace(
        known,
        flow=known.flow.union(through).subtract(among),
        anti=known.anti.subtract(among),
        output=known.output.subtract(among),
    )


def is_reduction(statement: Statement) -> bool:
    """Whether a statement updates the element that it writes by an associative and commutative operator."""
    value = _without_casts(statement.value)
    if statement.condition is not None or not statement.exact or not isinstance(value, Binary):
        return False
    left, right = _without_casts(value.left), _without_casts(value.right)
    either = value.op in _REORDERABLE and (is_own(left, statement) or is_own(right, statement))
    return (either or (value.op == "-" and is_own(left, statement))) and _only_once(statement)


def _without_casts(expression: Expression) -> Expression:
    return _without_casts(expression.operand) if isinstance(expression, Cast) else expression


def is_own(expression: Expression, statement: Statement) -> bool:
    """Whether an expression is the element that the statement writes."""
    if not isinstance(expression, Operand):
        return False
    read, write = statement.reads[expression.position], statement.write
    return read.array == write.array and read.relation.is_equal(write.relation)


def _only_once(statement: Statement) -> bool:
    """Whether the array that is written is read once, and that value used once."""
    positions = [k for k, read in enumerate(statement.reads) if read.array == statement.write.array]
    used = [node.position for node in walk(statement.value) if isinstance(node, Operand)]
    return len(positions) == 1 and used.count(positions[0]) == 1


def between(kernel: Kernel, known: Dependences, pair: tuple[Statement, Statement]) -> Dependences:
    """The dependences among the updates of an element by two statements."""
    among = union_of_maps(kernel, iter([_same_element(*pair)]))
    return Dependences(known.flow.intersect(among), known.anti.intersect(among), known.output.intersect(among))


def _same_element(first: Statement, second: Statement) -> isl.Map:
    """The pairs of instances that update the same element."""
    return first.write.relation.apply_range(second.write.relation.reverse())
