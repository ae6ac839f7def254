"""Statements under conditions on the repetition, joined: at a border a constant stands in place of an earlier value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import islpy as isl

from loadstone.emit.arrayol.accesses import refused
from loadstone.emit.arrayol.nests import Nest, Part, Reference
from loadstone.model.expression import Cast, Constant, Expression, Operand, Unary, children


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """A statement for all repetitions; `initial` has the constants that stand for some of its reads at a border."""

    part: Part
    initial: dict[int, str]


def joined(nest: Nest) -> list[Joined]:
    """The statements of a nest, each for all repetitions; raises `UnsupportedError` where one is missing somewhere."""
    waiting, found = list(nest.parts), list[Joined]()
    while waiting:
        base = waiting.pop(0)
        if base.repetitions.is_equal(nest.box):
            found.append(Joined(base, {}))
            continue
        others = [each for each in waiting if _is_variant(each, base) or _is_variant(base, each)]
        family = sorted((base, *others), key=lambda part: -len(part.reads))
        waiting = [each for each in waiting if each not in others]
        found.append(_family(nest, family))
    return found


def _is_variant(variant: Part, base: Part) -> bool:
    if variant.write != base.write or not variant.inside.is_equal(base.inside):
        return False
    disjoint = variant.repetitions.intersect(base.repetitions).is_empty()
    return disjoint and constants_of(variant, base) is not None


def _family(nest: Nest, family: Sequence[Part]) -> Joined:
    base, done = family[0], isl.Set.empty(nest.box.get_space())
    initial: dict[int, str] = {}
    for part in family:
        done = done.union(part.repetitions)
        constants = constants_of(part, base) or {}
        if any(initial.get(position, text) != text for position, text in constants.items()):
            raise refused(f"{base.statement.name} starts from different values", base.statement.span)
        initial |= constants
    if not done.is_equal(nest.box):
        name, span = base.statement.name, base.statement.span
        raise refused(f"{name} is not done in every repetition", span, "each repetition does the same")
    return Joined(replace(base, repetitions=nest.box), initial)


def constants_of(variant: Part, base: Part) -> dict[int, str] | None:
    """The constants that a statement has where another one reads; None where they differ in more than that."""
    found: dict[int, str] = {}
    if (variant.statement.condition is None) != (base.statement.condition is None):
        return None
    pairs = [(variant.statement.value, base.statement.value)]
    if variant.statement.condition is not None and base.statement.condition is not None:
        pairs.append((variant.statement.condition, base.statement.condition))
    alike = all(_alike(one, other, variant.reads, base.reads, found) for one, other in pairs)
    return found if alike else None


def _alike(
    one: Expression, other: Expression, reads: Sequence[Reference], of_base: Sequence[Reference], found: dict[int, str]
) -> bool:
    if isinstance(other, Operand):
        if isinstance(one, Operand):
            return reads[one.position] == of_base[other.position]
        text = _number(one)
        if text is not None and one.type == other.type:
            found[other.position] = text
            return True
        return False
    if type(one) is not type(other) or replace_children(one) != replace_children(other):
        return False
    pairs = zip(children(one), children(other), strict=True)
    return all(_alike(a, b, reads, of_base, found) for a, b in pairs)


def replace_children(expression: Expression) -> tuple[object, ...]:
    """What an expression is without its parts."""
    names = ("value", "name", "op", "function", "implicit")
    own = tuple(getattr(expression, name, None) for name in names)
    return (expression.type, len(children(expression)), *own)


def _number(expression: Expression) -> str | None:
    """A constant with its conversions, as a number."""
    match expression:
        case Constant(value=value):
            return repr(value)
        case Cast(operand=operand, type=kind):
            text = _number(operand)
            return text if text is not None and (kind.kind == "float" or "." not in text) else None
        case Unary(op="-", operand=operand):
            text = _number(operand)
            return None if text is None else text[1:] if text.startswith("-") else f"-{text}"
        case _:
            return None
