"""Integers of C that leave the range of their type, where a kernel is taken to compute without bounds.

Sums, differences and products wrap, and a value that comes back into its range is what it would be without bounds. So
what counts is the value that something else looks at: a comparison, a division, a conversion to a wider type, a
subscript. Types of 32 bits and more are taken to be wide enough: only values below zero of unsigned ones are found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import assert_never

import islpy as isl

from loadstone.errors import Problems, Span
from loadstone.frontend.assumptions import Confidence, confidence, simple_condition
from loadstone.model.affine import NotAffine, affine_condition, affine_value
from loadstone.model.expression import Binary, Call, Cast, Constant, Expression, Operand, Select, Unary, Variable
from loadstone.model.kernel import Assumption
from loadstone.model.types import ScalarType
from loadstone.poly.spaces import constant

_RING = ("+", "-", "*")


@dataclass(frozen=True, slots=True, eq=False)
class Wrap:
    """Instances for which an assumption about a value fails, among the instances that observe it."""

    broken: isl.Set
    looked_at: isl.Set
    what: str
    hint: str
    span: Span | None


def observed_wraps(expression: Expression, domain: isl.Set, *, whole: bool) -> Iterator[Wrap]:
    """Values that an expression looks at, `whole` itself included, and that may have left their types."""
    if whole:
        yield from _outside(expression, domain)
    match expression:
        case Constant() | Variable() | Operand():
            return
        case Cast(operand=operand, type=kind):
            widens = kind.bits > operand.type.bits or not kind.is_integer
            yield from observed_wraps(operand, domain, whole=widens)
        case Unary(op=op, operand=operand):
            yield from observed_wraps(operand, domain, whole=op == "!")
        case Binary(op="&&" | "||" as op, left=left, right=right):
            yield from observed_wraps(left, domain, whole=True)
            yield from observed_wraps(right, _where(left, domain, op == "&&"), whole=True)
        case Binary(op=op, left=left, right=right):
            for side in (left, right):
                yield from observed_wraps(side, domain, whole=op not in _RING)
        case Select(condition=condition, then=then, otherwise=otherwise):
            yield from observed_wraps(condition, domain, whole=True)
            yield from observed_wraps(then, _where(condition, domain, True), whole=False)
            yield from observed_wraps(otherwise, _where(condition, domain, False), whole=False)
        case Call(arguments=arguments):
            for argument in arguments:
                yield from observed_wraps(argument, domain, whole=True)
        case _:
            assert_never(expression)


def _where(condition: Expression, domain: isl.Set, holds: bool) -> isl.Set:
    try:
        chosen = affine_condition(condition, domain.get_space())
    except NotAffine:
        return domain
    return domain.intersect(chosen) if holds else domain.subtract(chosen)


def _outside(expression: Expression, domain: isl.Set) -> Iterator[Wrap]:
    """The instances for which an expression has left the range of its type."""
    if expression.type.is_integer:
        with suppress(NotAffine):
            value = affine_value(expression, domain.get_space())
            yield from wraps_of(value, expression.type, domain, expression.span)


def wraps_of(value: isl.PwAff, kind: ScalarType, domain: isl.Set, span: Span | None) -> Iterator[Wrap]:
    """The instances for which a value has left the range of its type."""
    broken = domain.subtract(range_of(value, kind))
    if broken.is_empty():
        return
    if kind.bits < 32:
        what, hint = f"leaves {kind.least} to {kind.greatest}", "use a wider type"
    else:
        what, hint = "is below zero", "use a signed type, or add on the other side instead of subtracting"
    yield Wrap(broken, domain, f"this value of type '{kind}' {what}, and wraps", hint, span)


def range_of(value: isl.PwAff, kind: ScalarType) -> isl.Set:
    """Where a value is in the range of its type; those of 32 bits and more have no greatest value."""
    space = value.get_domain_space()
    if kind.bits >= 32:
        return isl.Set.universe(space) if kind.signed else value.nonneg_set()
    low = value.ge_set(constant(space, kind.least))
    return low.intersect(value.le_set(constant(space, kind.greatest)))


def settled_wraps(wraps: Sequence[Wrap], context: isl.Set, problems: Problems) -> tuple[Assumption, ...]:
    """The assumptions under which nothing wraps; what cannot be assumed is a problem."""
    found: list[Assumption] = []
    for wrap in wraps:
        known = reduce(isl.Set.intersect, (each.condition for each in found), context)
        broken, needed = (part.params().intersect(known) for part in (wrap.broken, wrap.looked_at))
        if confidence(broken, needed) is Confidence.PROVED:
            continue
        condition = simple_condition(broken, needed)
        if condition is None:
            problems.add(wrap.what, wrap.span, wrap.hint)
        else:
            line = f" (line {wrap.span.line})" if wrap.span else ""
            found.append(Assumption(condition, f"otherwise {wrap.what}{line}"))
    return tuple(found)
