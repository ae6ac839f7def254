"""What a source tells us beside its program: assumptions, default values and a tiling, checked against the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import reduce

import islpy as isl

from loadstone.errors import InputError, Problems
from loadstone.frontend import syntax
from loadstone.frontend.typing import Names, Typing, not_affine
from loadstone.frontend.wraparound import range_of
from loadstone.model.affine import NotAffine, affine_condition, affine_value
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Expression, Variable, walk
from loadstone.model.kernel import Kernel, Statement, TilingRequest
from loadstone.model.types import INT
from loadstone.poly import coalesced, set_space, variable


def parameter_context(directives: syntax.Directives, names: Names, problems: Problems, *known: isl.Set) -> isl.Set:
    """What is known of the parameters: the ranges of their types, assumptions, and known sets."""
    space = set_space(names.parameters, "", ())
    context = reduce(lambda all_, each: all_.intersect_params(each.params()), known, isl.Set.universe(space))
    for name in names.parameters:
        value = variable(space, name)
        if value is not None:
            context = context.intersect(range_of(value, names.symbols[name].type))
    for assumption in directives.assumptions:
        context = context.intersect(_assumed(assumption, names, context, problems))
    for stated in directives.hints:
        context = context.intersect(_assumed(stated, names, context, Problems()))
    said = (*directives.assumptions, *directives.hints)
    if context.is_empty() and said and not problems.found:
        hint = "no parameters satisfy them together with the extents of the arrays"
        problems.add("the assumptions contradict each other", said[0].span, hint)
    return coalesced(context.params())


def _assumed(assumption: syntax.Expr, names: Names, context: isl.Set, problems: Problems) -> isl.Set:
    """The parameters for which an assumption holds; all of them where it is wrong."""
    typing = Typing(names, {}, context)
    try:
        expression = typing.expression(assumption)
    except InputError as error:
        problems.extend(error)
        return context
    try:
        return affine_condition(expression, context.get_space())
    except NotAffine as error:
        problems.extend(not_affine("assumption", error, expression, typing.reads))
        return context


def default_values(directives: syntax.Directives, names: Names, problems: Problems) -> dict[str, int]:
    """The default values of parameters; an expression may use earlier ones."""
    result: dict[str, int] = {}
    for name, value in directives.defaults:
        if name.id not in names.parameters:
            known = ", ".join(names.parameters) or "none"
            problems.add(f"'{name.id}' is not a parameter of the kernel", name.span, f"parameters are: {known}")
        else:
            result[name.id] = value if isinstance(value, int) else _default_value(value, names, result, problems)
    return result


def _default_value(value: syntax.Expr, names: Names, known: Mapping[str, int], problems: Problems) -> int:
    """The value of an expression over known parameters; a problem is recorded, and the value 0, where it has none."""
    typing = Typing(names, {}, isl.Set.universe(set_space(names.parameters, "", ())))
    try:
        expression = typing.expression(value)
    except InputError as error:
        problems.extend(error)
        return 0
    unknown = [part.name for part in walk(expression) if isinstance(part, Variable) and part.name not in known]
    if not (typing.reads or unknown) and expression.type.is_integer:
        with suppress(ArithmeticError):
            return int(evaluate(expression, known, ()))
    hint = "use whole numbers, and parameters whose defaults stand before"
    problems.add("this default has no value", value.span, hint)
    return 0


def requested_tiling(
    tiling: syntax.Tiling | None, kernel: Kernel, names: Names, problems: Problems
) -> TilingRequest | None:
    """The tiling of the source."""
    if tiling is None:
        return None
    schedule: list[tuple[str, tuple[Expression, ...]]] = []
    for name, values in tiling.schedule:
        statement = next((s for s in kernel.statements if s.name == name.id), None)
        if statement is None:
            known = ", ".join(s.name for s in kernel.statements)
            problems.add(f"there is no statement '{name.id}'", name.span, f"statements are: {known}")
        elif any(name.id == other for other, _ in schedule):
            problems.add(f"the schedule of '{name.id}' is given twice", name.span, "remove one of them")
        else:
            schedule.append((name.id, tuple(_theta(values, statement, names, problems))))
    asked = {name.id for name, _ in tiling.schedule}
    missing = [s.name for s in kernel.statements if s.name not in asked]
    if tiling.schedule and missing:
        hint = f"add '{missing[0]}: ...' to the schedule"
        problems.add("the tiling has no schedule for " + ", ".join(missing), tiling.span, hint)
    return TilingRequest(tuple(schedule), tiling.sizes, tiling.strip, tiling.span)


def _theta(
    values: tuple[syntax.Expr, ...], statement: Statement, names: Names, problems: Problems
) -> Iterator[Expression]:
    for value in values:
        typing = Typing(names, dict.fromkeys(statement.iterators, INT), statement.domain)
        try:
            expression = typing.expression(value)
        except InputError as error:
            problems.extend(error)
            continue
        try:
            affine_value(expression, statement.domain.get_space())
            yield expression
        except NotAffine as error:
            problems.extend(not_affine("schedule", error, expression, typing.reads))
