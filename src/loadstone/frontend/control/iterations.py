"""The iterations of a loop: those reached from its start by its step, until its condition fails or its body leaves."""

from __future__ import annotations

from dataclasses import dataclass, field

import islpy as isl

from loadstone.errors import refused
from loadstone.frontend import syntax
from loadstone.frontend.scopes import expressions
from loadstone.frontend.typing import Names, Typing, not_affine
from loadstone.frontend.wraparound import Wrap, observed_wraps, wraps_of
from loadstone.model.affine import NotAffine, affine_condition, affine_value
from loadstone.model.expression import COMPARISONS, LOGICAL, Expression, converted
from loadstone.model.types import INT, ScalarType, promoted
from loadstone.poly import coalesced, variable
from loadstone.poly.spaces import constant, later_in_last_dim, stepped

_ENDLESS = "the loop does not end"
_BOUNDED = "bound the iterator in the loop's direction, or leave the loop with 'break'"


@dataclass(frozen=True, slots=True, eq=False)
class Iterations:
    """The values of a loop's iterator as far as its head tells.

    `reached`: all from the start on, the `first` among them. `holds`, `fails`: where the condition does, and does not.
    `domain`: those before it first fails. `wraps`: values that may have left their types.
    """

    node: syntax.For
    kind: ScalarType
    condition: Expression
    reached: isl.Set
    first: isl.Set
    holds: isl.Set
    fails: isl.Set
    domain: isl.Set
    wraps: list[Wrap] = field(default_factory=list[Wrap])

    def ended(self, leaves: isl.Set) -> isl.Set:
        """The iterations that execute when the body leaves the loop in some, which may be none."""
        upward = self.node.step > 0
        domain = self.domain.subtract(later_in_last_dim(stepped(leaves, 1 if upward else -1), upward))
        ends = self.fails.union(leaves)
        if not ends.is_empty() and (_has_inequation(self.node.condition) or not leaves.is_empty()):
            before = later_in_last_dim(ends, not upward)
            endless = domain.subtract(before)
            if not endless.is_empty():
                self.wraps.append(Wrap(endless, self.reached, _ENDLESS, _BOUNDED, self.node.condition.span))
                domain = domain.intersect(before)
        simple = self.reached.intersect(self.holds)
        domain = simple if simple.is_equal(domain) else domain
        if not (simple.is_bounded() or domain.is_bounded()):
            raise refused(_ENDLESS, self.node.condition.span, _BOUNDED)
        self._note_wraps(domain.subtract(leaves))
        return coalesced(domain)

    def _note_wraps(self, stepping: isl.Set) -> None:
        """Note what the condition sees outside of the types, at the start and behind the iterations that step."""
        tested = self.first.union(stepped(stepping, self.node.step))
        self.wraps.extend(observed_wraps(self.condition, tested, whole=False))
        if self.node.first_step == "behind test":
            space = tested.get_space()
            before = _iterator(self.node, space).sub(constant(space, self.node.step))
            self.wraps.extend(wraps_of(before, self.kind, tested, self.node.span))


def iterations_of(node: syntax.For, outer: isl.Set, iterators: dict[str, ScalarType], names: Names) -> Iterations:
    """The iterations of a loop inside of `outer`, whose last dimension is the loop's and free."""
    space = outer.get_space()
    iterator = _iterator(node, space)
    wraps: list[Wrap] = []
    start = _start(node, outer, iterators, names, wraps)
    distance = iterator.sub(start) if node.step > 0 else start.sub(iterator)
    reached = outer.intersect(distance.nonneg_set())
    if abs(node.step) != 1:
        modulus = isl.Val.int_from_si(space.get_ctx(), abs(node.step))
        reached = reached.intersect(distance.mod_val(modulus).zero_set())
    condition, holds = _condition(node, reached, iterators, names)
    fails = reached.subtract(holds)
    domain = reached.subtract(later_in_last_dim(fails, node.step > 0))
    first = reached.intersect(distance.zero_set())
    return Iterations(node, iterators[node.iterator], condition, reached, first, holds, fails, domain, wraps)


def check_counter(node: syntax.For, domain: isl.Set, names: Names) -> None:
    """Refuse a counter of a type of HLS that may leave its range, also by the step behind the last iteration."""
    symbol = names.symbols.get(node.iterator)
    kind = node.declared or (symbol.type if symbol else INT)
    if not kind.widening:
        return
    space = domain.get_space()
    counter = _iterator(node, space)
    for value in (counter, counter.add(constant(space, node.step))):
        in_range = value.ge_set(constant(space, kind.least)).intersect(value.le_set(constant(space, kind.greatest)))
        if not domain.is_subset(in_range):
            message = f"the counter '{node.iterator}' of {kind.bits} bits may wrap"
            raise refused(message, node.span, "declare it as int, or bound it with '#pragma loadstone assume'")


def _iterator(node: syntax.For, space: isl.Space) -> isl.PwAff:
    iterator = variable(space, node.iterator)
    assert iterator is not None
    return iterator


def _start(
    node: syntax.For, domain: isl.Set, iterators: dict[str, ScalarType], names: Names, wraps: list[Wrap]
) -> isl.PwAff:
    """The first value of an iterator."""
    typing = Typing(names, iterators, domain)
    expression = typing.expression(node.start)
    ahead = constant(domain.get_space(), 0 if node.first_step == "after" else node.step)
    wraps.extend(observed_wraps(converted(expression, iterators[node.iterator]), domain, whole=False))
    try:
        return affine_value(expression, domain.get_space()).add(ahead)
    except NotAffine as error:
        raise not_affine("loop bound", error, expression, typing.reads) from None


def _condition(
    node: syntax.For, domain: isl.Set, iterators: dict[str, ScalarType], names: Names
) -> tuple[Expression, isl.Set]:
    """The condition of a loop, and where it holds; a value before a step back may leave a narrow type."""
    if node.first_step == "behind test":
        iterators = {**iterators, node.iterator: promoted(iterators[node.iterator])}
    typing = Typing(names, iterators, domain)
    expression = typing.expression(node.condition)
    try:
        return expression, affine_condition(expression, domain.get_space())
    except NotAffine as error:
        raise not_affine("loop bound", error, expression, typing.reads) from None


def _has_inequation(node: syntax.Expr) -> bool:
    """Whether a condition holds a `!=`, or is a number: a loop with it is taken not to step over its end."""
    operators = {part.op for part in expressions(node) if isinstance(part, syntax.BinaryOp)}
    return "!=" in operators or not operators & (COMPARISONS | LOGICAL)
