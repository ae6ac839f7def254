"""What is known at a place of a loop tree: a set of parameters and of iterators of the loops around.

Iterators count as parameters here. A known set may be larger than what really happens, never smaller: all that is
concluded holds on all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import islpy as isl

from loadstone.loops.model import Block, For, If, Instance, Node
from loadstone.model.affine import NotAffine, affine_condition, affine_value
from loadstone.model.expression import Binary, Constant, Expression, Variable, integer, walk
from loadstone.model.tidy import tidy
from loadstone.model.types import INT
from loadstone.poly import coalesced
from loadstone.poly.dimensions import only_parameters
from loadstone.poly.extrema import greatest_value, least_value
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.linear import variable_names
from loadstone.poly.simplify import MOST_PIECES
from loadstone.poly.spaces import dimension, set_space, variable

QUESTION_LIMIT = 60_000
"""The most isl operations for one question; what takes more is not simplified."""

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Range:
    """A loop over `start, start + step, ...` up to `last`; the bounds do not depend on the iterator."""

    iterator: str
    start: Expression
    last: Expression
    step: int


def attempted(compute: Callable[[], Answer]) -> Answer | None:
    """The result of a computation; None where it is not affine or takes too many operations."""
    try:
        with operation_limit(QUESTION_LIMIT):
            return compute()
    except (LimitReached, NotAffine, isl.Error):
        return None


def surely(compute: Callable[[], bool]) -> bool:
    """Whether a question is answered with yes within the limit."""
    return bool(attempted(compute))


def never_empty(loop: Range, facts: isl.Set) -> bool:
    """Whether a loop surely has iterations."""
    return surely(lambda: facts.is_subset(without_iterator(visited(loop, facts), loop.iterator)))


def range_of(loop: For, facts: isl.Set) -> Range | None:
    """The loop as a range; None where it is something else, or hides a name."""
    bounds = [_upper(part, loop.iterator) for part in terms(loop.condition, "&&")]
    last = folded("min", tuple(bound for bound in bounds if bound is not None))
    if last is None or None in bounds or loop.iterator in variable_names(facts.get_space()):
        return None
    match loop.step:
        case Constant(value=int(step)) if step > 0 and not _mentions(loop.start, loop.iterator):
            return Range(loop.iterator, loop.start, last, step)
        case _:
            return None


def _upper(condition: Expression, iterator: str) -> Expression | None:
    match condition:
        case Binary(op="<=" | "<" as op, left=Variable(name=name), right=right) if name == iterator:
            last = right if op == "<=" else shifted_bound(right, -1)
            return None if _mentions(right, iterator) else last
        case _:
            return None


def shifted_bound(bound: Expression, offset: int) -> Expression:
    """The bound plus a number, which goes into the terms of a minimum."""
    shifted = (tidy(Binary("+", term, integer(offset), INT)) for term in terms(bound, "min"))
    return folded("min", tuple(shifted)) or bound


def _mentions(expression: Expression, name: str) -> bool:
    return any(isinstance(part, Variable) and part.name == name for part in walk(expression))


def terms(expression: Expression, op: str) -> tuple[Expression, ...]:
    """The operands of a chain of one associative operator."""
    match expression:
        case Binary(op=found, left=left, right=right) if found == op:
            return (*terms(left, op), *terms(right, op))
        case _:
            return (expression,)


def folded(op: str, operands: Sequence[Expression]) -> Expression | None:
    """The chain of one operator over some operands, if there are any."""
    total: Expression | None = None
    for operand in operands:
        total = operand if total is None else Binary(op, total, operand, INT)
    return total


def value_on(expression: Expression, facts: isl.Set) -> isl.PwAff:
    """The value of an expression where known."""
    value = affine_value(expression, facts.get_space()).intersect_params(facts)
    return coalesced(value).gist_params(facts)


def condition_on(expression: Expression, facts: isl.Set) -> isl.Set:
    """Where a condition holds, of what is known."""
    found = facts
    for part in terms(expression, "&&"):
        found = found.intersect(affine_condition(part, facts.get_space()))
    return coalesced(found)


def with_iterator(facts: isl.Set, iterator: str) -> isl.Set:
    """The facts with one more variable, of which nothing is known; it hides another one of its name."""
    names = [name for name in variable_names(facts.get_space()) if name != iterator]
    others = only_parameters(facts, names)
    return others.align_params(set_space((*names, iterator), "", ()).params())


def without_iterator(facts: isl.Set, iterator: str) -> isl.Set:
    """The facts without a variable: the values of the others for which there is one."""
    names = [name for name in variable_names(facts.get_space()) if name != iterator]
    return coalesced(only_parameters(facts, names))


def visited(loop: Range, facts: isl.Set) -> isl.Set:
    """The facts with the values that the iterator of a loop takes."""
    found, iterator = with_iterator(facts, loop.iterator), Variable(loop.iterator, INT)
    for bound in terms(loop.start, "max"):
        found = condition_on(Binary("<=", bound, iterator, INT), found)
    for bound in terms(loop.last, "min"):
        found = condition_on(Binary("<=", iterator, bound, INT), found)
    if loop.step > 1:
        distance = Binary("mod", Binary("-", iterator, loop.start, INT), integer(loop.step), INT)
        found = condition_on(Binary("==", distance, integer(0), INT), found)
    return found


def first_and_last(active: isl.Set, iterator: str) -> tuple[isl.PwAff, isl.PwAff]:
    """The least and the greatest value of one variable of a set, as functions of the other ones."""
    names = variable_names(active.get_space())
    space = set_space(names, "", ("value",))
    equal = next(value.eq_set(dimension(space, 0)) for value in (variable(space, iterator),) if value is not None)
    others = [name for name in names if name != iterator]
    values = coalesced(only_parameters(equal.intersect_params(active), others))
    return least_value(values), greatest_value(values)


def narrowed(facts: isl.Set, fewer: Callable[[], isl.Set]) -> isl.Set:
    """The result of a computation that restricts the facts; the facts themselves where that takes too long.

    What has too many pieces is replaced by a convex set around them.
    """
    found = attempted(lambda: _with_few_pieces(fewer()))
    return facts if found is None else found


def _with_few_pieces(value: isl.Set) -> isl.Set:
    return value if value.n_basic_set() <= MOST_PIECES else isl.Set.from_basic_set(value.simple_hull())


def active(node: Node, facts: isl.Set) -> isl.Set:
    """Where a node executes an instance, of what is known; larger where that is hard to say."""
    match node:
        case Instance():
            return facts
        case Block(items=items):
            return _union(facts, [active(item, facts) for item in items])
        case If(condition=condition, then=then, otherwise=otherwise):
            chosen = narrowed(facts, lambda: condition_on(condition, facts))
            rest = narrowed(facts, lambda: facts.subtract(condition_on(condition, facts)))
            others = [] if otherwise is None else [active(otherwise, rest)]
            return _union(facts, [active(then, chosen), *others])
        case For():
            return _active_outside(node, facts)


def _active_outside(loop: For, facts: isl.Set) -> isl.Set:
    values = range_of(loop, facts)
    if values is None:
        return facts
    inside = with_iterator(facts, loop.iterator)
    found = active(loop.body, narrowed(inside, lambda: visited(values, facts)))
    return narrowed(facts, lambda: without_iterator(found, loop.iterator))


def _union(facts: isl.Set, parts: Sequence[isl.Set]) -> isl.Set:
    def whole() -> isl.Set:
        total = isl.Set.empty(facts.get_space())
        for part in parts:
            total = total.union(part)
        return coalesced(total)

    return narrowed(facts, whole)
