"""Loop trees with simpler bounds, conditions and arguments [Devos, 5.4].

Loops that isl or CLooG generate can divide by numbers that occur nowhere in the program: their bounds are those of a
convex set around the iterations, and come from combining constraints. Where all strip sizes are powers of two such
divisions can go [Devos, 5.4], and the bounds become shifts and additions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import islpy as isl

from loadstone.loops.candidates import (
    cheapest,
    plain_divisions,
    simplified_condition,
    simplified_value,
    value_expression,
)
from loadstone.loops.division import cost, divisions, is_power_of_two, tree_cost
from loadstone.loops.facts import (
    Range,
    active,
    attempted,
    condition_on,
    first_and_last,
    narrowed,
    range_of,
    shifted_bound,
    surely,
    visited,
    with_iterator,
    without_iterator,
)
from loadstone.loops.model import Block, For, If, Instance, Node, walk
from loadstone.model.expression import Binary, Expression, Unary, Variable
from loadstone.model.types import INT


@dataclass(frozen=True, slots=True, eq=False)
class _Loop:
    """A loop in its place: its range, the facts around it, the values it takes, and the values with effect.

    `reachable`: all values with effect, in the range or not; only computed where a division in the bounds is no shift.
    """

    range: Range
    facts: isl.Set
    visited: isl.Set
    active: isl.Set
    reachable: isl.Set | None

    def same_effect(self, other: Range) -> bool:
        """Whether another range takes all values that do something, and none that this one does not.

        To be rid of a division that is no shift, others may be taken for which the body does nothing.
        """
        return surely(lambda: self._fits(visited(other, self.facts)))

    def _fits(self, values: isl.Set) -> bool:
        if not self.active.is_subset(values):
            return False
        idle = self.reachable is not None and values.intersect(self.reachable).is_subset(self.active)
        return idle or values.is_subset(self.visited)


def simplified(node: Node, context: isl.Set) -> Node:
    """A tree with simpler expressions that executes the same instances in the same order, where the context holds.

    Everything is decided under what is known at a place: the context, and the bounds and conditions around. Loops may
    become narrower, by iterations that execute nothing; what never executes anything goes. If a condition remains, or a
    division that is no shift, the narrowest loops are tried even where their bounds are longer: more is known inside.

    New `/` and `%` are of numbers that are not negative, but for `%` in comparisons with 0: shifts and masks do.
    """
    short = _simplified(node, context, False) or Block(())
    if all(map(is_power_of_two, divisions(short))) and not any(isinstance(part, If) for part in walk(short)):
        return short
    return min(short, _simplified(node, context, True) or Block(()), key=tree_cost)


def _simplified(node: Node, facts: isl.Set, narrow: bool) -> Node | None:
    """The simpler node, with the narrowest loops if `narrow`; None if it never executes an instance."""
    match node:
        case Instance(statement=statement, arguments=arguments):
            return Instance(statement, tuple(_value(argument, facts) for argument in arguments))
        case Block(items=items):
            found = (_simplified(item, facts, narrow) for item in items)
            return _block(tuple(item for item in found if item is not None))
        case If():
            return _conditional(node, facts, narrow)
        case For():
            return _loop(node, facts, narrow)


def _value(expression: Expression, facts: isl.Set) -> Expression:
    return plain_divisions(simplified_value(expression, facts), facts)


def _condition(expression: Expression, facts: isl.Set) -> Expression:
    return plain_divisions(simplified_condition(expression, facts), facts)


def _block(items: tuple[Node, ...]) -> Node | None:
    return items[0] if len(items) == 1 else Block(items) if items else None


def _conditional(node: If, facts: isl.Set, narrow: bool) -> Node | None:
    chosen = narrowed(facts, lambda: condition_on(node.condition, facts))
    rest = narrowed(facts, lambda: facts.subtract(condition_on(node.condition, facts)))
    never, always = surely(chosen.is_empty), surely(rest.is_empty)
    then = None if never else _simplified(node.then, chosen, narrow)
    otherwise = None if node.otherwise is None or always else _simplified(node.otherwise, rest, narrow)
    if never or always:
        return otherwise if never else then
    if then is None:
        return otherwise and If(_condition(Unary("!", node.condition, INT), facts), otherwise, None)
    return If(_condition(node.condition, facts), then, otherwise)


def _loop(node: For, facts: isl.Set, narrow: bool) -> Node | None:
    values = range_of(node, facts)
    inside = with_iterator(facts, node.iterator)
    found = None if values is None else attempted(lambda: visited(values, facts))
    if values is None or found is None:
        body = _simplified(node.body, inside, narrow)
        return None if body is None else replace(node, body=body)
    hard = any(cost(bound)[0] for bound in (values.start, values.last))
    loop = _Loop(values, facts, found, active(node.body, found), active(node.body, inside) if hard else None)
    if surely(loop.active.is_empty):
        return None
    best = _best_range(loop, narrow)
    body = _simplified(node.body, narrowed(inside, lambda: visited(best, facts)), narrow)
    return None if body is None else _for(best, node, body)


def _for(values: Range, node: For, body: Node) -> For:
    """The loop with a new range; its condition is `<` or `<=`, whichever is shorter."""
    iterator = Variable(values.iterator, INT)
    limits = (("<=", values.last), ("<", shifted_bound(values.last, 1)))
    op, limit = min(limits, key=lambda option: cost(option[1]))
    return For(values.iterator, values.start, Binary(op, iterator, limit, INT), node.step, body)


def _best_range(loop: _Loop, narrow: bool) -> Range:
    """The range of the same effect with the cheapest bounds found; with `narrow`, rather the narrowest one."""
    exact = _exact_bounds(loop)
    if narrow and exact and not any(cost(bound)[0] for bound in exact):
        narrowest = replace(loop.range, start=exact[0], last=exact[1])
        if loop.same_effect(narrowest):
            return _plain(narrowest, loop.facts)
    return _plain(_cheapest_range(loop, exact), loop.facts)


def _plain(values: Range, facts: isl.Set) -> Range:
    start, last = (plain_divisions(bound, facts) for bound in (values.start, values.last))
    return replace(values, start=start, last=last)


def _cheapest_range(loop: _Loop, exact: tuple[Expression, ...]) -> Range:
    """The range of the same effect with the cheapest bounds found: first the start is chosen, then the end."""
    values = loop.range

    def starts_right(start: Expression) -> bool:
        return start == values.start or loop.same_effect(replace(values, start=start))

    starts = (values.start, *_simpler(loop, values.start), *exact[:1])
    best = replace(values, start=cheapest(starts, starts_right) or values.start)

    def ends_right(last: Expression) -> bool:
        return last == values.last or loop.same_effect(replace(best, last=last))

    ends = (values.last, *_simpler(loop, values.last), *exact[1:])
    return replace(best, last=cheapest(ends, ends_right) or values.last)


def _simpler(loop: _Loop, bound: Expression) -> Iterator[Expression]:
    """The bound simplified under all facts, and for the cases in which the loop runs at all."""
    if cost(bound) > (0, 0):
        yield simplified_value(bound, loop.facts)
        yield simplified_value(bound, narrowed(loop.facts, lambda: without_iterator(loop.visited, loop.range.iterator)))


def _exact_bounds(loop: _Loop) -> tuple[Expression, ...]:
    """The first and the last value that do something, as functions of the variables around, where that may help."""
    if loop.reachable is None and surely(lambda: loop.visited.is_equal(loop.active)):
        return ()
    ends = attempted(lambda: first_and_last(loop.active, loop.range.iterator))
    runs = attempted(lambda: without_iterator(loop.active, loop.range.iterator))
    if ends is None or runs is None:
        return ()
    first, last = (value_expression(end, runs) for end in ends)
    return () if first is None or last is None else (first, last)
