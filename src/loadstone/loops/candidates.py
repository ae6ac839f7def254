"""Cheaper forms of values and conditions: found by proposing many, and proving the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

import islpy as isl

from loadstone.loops.division import cost, readable, without_division
from loadstone.loops.facts import attempted, condition_on, folded, surely, terms, value_on
from loadstone.model.expression import Binary, Constant, Expression, Select, integer, rebuilt
from loadstone.model.from_isl import from_ast
from loadstone.model.tidy import tidy
from loadstone.model.types import INT

MOST_CASES = 4
"""The most different offsets that a bound is split into."""
MOST_TERMS = 6
"""The most pieces of a function that are tried as the terms of one minimum or maximum."""

_PLAIN = {"floordiv": "/", "mod": "%"}


def cheapest(found: Iterable[Expression], right: Callable[[Expression], bool]) -> Expression | None:
    """The cheapest of the expressions that can be proven right; the first one of equal cost."""
    return next((expression for expression in sorted(found, key=cost) if right(expression)), None)


def simplified_value(expression: Expression, facts: isl.Set) -> Expression:
    """The cheapest expression found that has the same value everywhere in the facts."""
    value = attempted(lambda: value_on(expression, facts))
    if value is None:
        return expression
    return value_expression(value, facts, _from_terms(expression, facts), expression) or expression


def plain_divisions(expression: Expression, facts: isl.Set) -> Expression:
    """The expression with `/` and `%` for divisions of numbers that are never negative, as C has them."""
    match rebuilt(expression, lambda part: plain_divisions(part, facts)):
        case Binary(op="floordiv" | "mod" as op, left=dividend, right=divisor) as division:
            negative = Binary("<", dividend, integer(0), INT)
            plain = surely(lambda: condition_on(negative, facts).is_empty())
            return Binary(_PLAIN[op], dividend, divisor, INT) if plain else division
        case Binary(op="==", left=Binary(op="mod", left=dividend, right=divisor), right=Constant(value=0) as zero):
            return Binary("==", Binary("%", dividend, divisor, INT), zero, INT)
        case other:
            return other


def _floored(expression: Expression) -> Expression:
    """The expression with all divisions rounding down, as they do where isl writes `/` and `%`."""
    match rebuilt(expression, _floored):
        case Binary(op="/" | "%" as op, left=dividend, right=divisor):
            return Binary("floordiv" if op == "/" else "mod", dividend, divisor, INT)
        case other:
            return other


def value_expression(
    value: isl.PwAff, facts: isl.Set, proposed: Iterable[Expression] = (), given: Expression | None = None
) -> Expression | None:
    """The cheapest expression found for a function on the facts, among the proposed and other ones."""
    start = () if given is None else (given,)

    def equal(candidate: Expression) -> bool:
        return candidate is given or surely(lambda: _agree(value, candidate, facts))

    best = cheapest((*start, *proposed, *_from_pieces(value, facts)), equal)
    if best is not None and not cost(best)[0]:
        return best
    return cheapest((*(() if best is None else (best,)), *_by_cases(value, facts)), equal)


def _agree(value: isl.PwAff, candidate: Expression, facts: isl.Set) -> bool:
    found = value_on(candidate, facts)
    everywhere = found.eq_set(value)
    return facts.is_subset(everywhere)


def _from_terms(expression: Expression, facts: isl.Set) -> Iterator[Expression]:
    """The expression as a minimum or maximum of simple terms, as far as they are needed."""
    for op in ("max", "min"):
        parts = [_term(part, facts) for part in terms(expression, op)]
        total = folded(op, needed_terms(op, parts, facts))
        if total is not None:
            yield total


def _term(expression: Expression, facts: isl.Set) -> Expression:
    value = attempted(lambda: value_on(expression, facts))
    pieces = [] if value is None else value.get_pieces()
    return readable(pieces[0][1]) if len(pieces) == 1 else tidy(expression)


def needed_terms(op: str, parts: Sequence[Expression], facts: isl.Set) -> tuple[Expression, ...]:
    """The terms of a minimum or maximum without the dominated ones; costly ones go first.

    max(0, ceil((ab - x) / d)) = 0 <=> ab - x <= 0 [Devos, (5.5)], and with min and >= (5.6), as a question about the
    facts; roundings go into the terms, as (5.3) and (5.4) allow.
    """
    kept = list(dict.fromkeys(parts))
    for part in sorted(kept, key=cost, reverse=True):
        others = [other for other in kept if other is not part]
        if others and surely(lambda part=part, others=others: _never_decides(op, part, others, facts)):
            kept = others
    return tuple(kept)


def _never_decides(op: str, part: Expression, others: Sequence[Expression], facts: isl.Set) -> bool:
    """Whether a term of a maximum is nowhere greater than all the others; of a minimum, smaller."""
    where = facts
    for other in others:
        where = condition_on(Binary(">" if op == "max" else "<", part, other, INT), where)
    return where.is_empty()


def _from_pieces(value: isl.PwAff, facts: isl.Set) -> Iterator[Expression]:
    """The function as isl writes it, and as the maximum or minimum of its pieces."""
    written = attempted(lambda: from_ast(isl.AstBuild.from_context(facts).expr_from_pw_aff(value)))
    if written is not None:
        yield tidy(_floored(written))
    pieces = list(dict.fromkeys(readable(aff) for _, aff in value.get_pieces()))
    if len(pieces) <= MOST_TERMS:
        for op in ("max", "min"):
            total = folded(op, needed_terms(op, pieces, facts))
            if total is not None:
                yield total


def _by_cases(value: isl.PwAff, facts: isl.Set) -> Iterator[Expression]:
    """The function as one of its cheap pieces, or zero, plus one of few numbers, chosen by conditions."""
    bases = [readable(aff) for _, aff in value.get_pieces()]
    for base in dict.fromkeys((integer(0), *bases)):
        if not cost(base)[0]:
            yield from _offset_cases(base, value, facts)


def _offset_cases(base: Expression, value: isl.PwAff, facts: isl.Set) -> Iterator[Expression]:
    offset = attempted(lambda: value.sub(value_on(base, facts)).intersect_params(facts))
    ends = attempted(lambda: _ends(offset)) if offset is not None else None
    if offset is None or ends is None or ends[1] - ends[0] >= MOST_CASES:
        return
    found = _chosen(base, offset, range(ends[0], ends[1] + 1), facts)
    if found is not None:
        yield found


def _ends(offset: isl.PwAff) -> tuple[int, int] | None:
    least, most = offset.min_val(), offset.max_val()
    return (least.to_python(), most.to_python()) if least.is_int() and most.is_int() else None


def _chosen(base: Expression, offset: isl.PwAff, numbers: range, facts: isl.Set) -> Expression | None:
    """`offset is the first number ? base + that number : the same with the other numbers`."""
    first = _term(Binary("+", base, integer(numbers[0]), INT), facts)
    if len(numbers) == 1:
        return first
    where = attempted(lambda: facts.intersect(offset.eq_set(_number(offset, numbers[0]))))
    rest = None if where is None else attempted(lambda: facts.subtract(where))
    if where is None or rest is None:
        return None
    others = _chosen(base, offset, numbers[1:], rest)
    here, elsewhere = condition_expression(where, facts), condition_expression(rest, facts)
    if others is None or (here is None and elsewhere is None):
        return None
    if here is None or (elsewhere is not None and cost(elsewhere) < cost(here)):
        assert elsewhere is not None
        return Select(elsewhere, others, first, INT)
    return Select(here, first, others, INT)


def _number(like: isl.PwAff, number: int) -> isl.PwAff:
    return like.sub(like).add_constant_val(isl.Val.int_from_si(like.get_ctx(), number))


def simplified_condition(expression: Expression, facts: isl.Set) -> Expression:
    """The cheapest condition found that holds at the same points of the facts."""
    where = attempted(lambda: condition_on(expression, facts))
    if where is None:
        return expression
    parts = tuple(map(without_division, terms(expression, "&&")))
    proposed = (expression, *_conjunctions(parts, facts), *_conjunctions(terms(expression, "&&"), facts))
    return condition_expression(where, facts, proposed, expression) or expression


def condition_expression(
    where: isl.Set, facts: isl.Set, proposed: Iterable[Expression] = (), given: Expression | None = None
) -> Expression | None:
    """The cheapest condition found that holds in a part of the facts, among the proposed and other ones."""

    def equal(candidate: Expression) -> bool:
        return candidate is given or surely(lambda: condition_on(candidate, facts).is_equal(where))

    return cheapest(chain(proposed, _from_sets(where, facts)), equal)


def _conjunctions(parts: Sequence[Expression], facts: isl.Set) -> Iterator[Expression]:
    """The conditions not implied by the facts and the others."""
    kept = list(parts)
    for part in sorted(parts, key=cost, reverse=True):
        others = [other for other in kept if other is not part]
        if others and surely(lambda part=part, others=others: _implied(part, others, facts)):
            kept = others
    total = folded("&&", kept)
    if total is not None:
        yield total


def _implied(part: Expression, others: Sequence[Expression], facts: isl.Set) -> bool:
    where = facts
    for other in others:
        where = condition_on(other, where)
    return where.is_subset(condition_on(part, where))


def _from_sets(where: isl.Set, facts: isl.Set) -> Iterator[Expression]:
    """A set as isl writes it, and the convex sets around it, which may be the same where known."""
    shapes: tuple[Callable[[], isl.Set], ...] = (
        lambda: where,
        lambda: isl.Set.from_basic_set(where.affine_hull()),
        lambda: isl.Set.from_basic_set(where.simple_hull()),
    )
    for shape in shapes:
        written = attempted(lambda shape=shape: _written(shape(), facts))
        if written is not None:
            yield written


def _written(where: isl.Set, facts: isl.Set) -> Expression:
    return _floored(from_ast(isl.AstBuild.from_context(facts).expr_from_set(where.gist(facts))))
