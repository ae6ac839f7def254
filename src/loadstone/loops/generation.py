"""From a schedule to a loop tree, through isl's AST generator."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Literal

import islpy as isl

from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.loops.model import Block, For, If, Instance, Node, mapped, with_instances
from loadstone.loops.separation import separation
from loadstone.loops.verification import visits_all
from loadstone.model.expression import Expression, substituted
from loadstone.model.from_isl import condition_of, from_ast
from loadstone.poly.limits import LimitReached, is_exhausted, operation_limit
from loadstone.poly.spaces import has_divisions, inputs_to_parameters, maps_of

SEPARATION_LIMIT = 24_000_000
_FRESH = tuple(f"c{k}" for k in range(64))


def generate(
    schedule: isl.UnionMap,
    context: isl.Set,
    iterators: Sequence[str] = _FRESH,
    *,
    option: Literal["atomic", "separate"] | None = None,
) -> Node:
    """Loops that execute the domain of a schedule in the order of its range, for parameters in the context.

    `iterators` name the loops, one per dimension of the range. With `atomic`, no part of the domain gets loops of its
    own: each statement appears once, under conditions where need be. With `separate`, every part gets loops of its own,
    so that few conditions remain. By default isl decides. Loops that visit other instances than they should are made
    again as atomic ones, then without strides, with instances under conditions, and refused if that does not help; so
    are loops on which isl fails ("total dimensionality changed unexpectedly").
    """
    known = schedule.intersect_params(context)
    for choice in dict.fromkeys((option, "atomic")):
        tree = _if_isl_can(known, context, iterators, choice)
        if tree is not None and (not has_divisions(known) or visits_all(tree, known, context)):
            return tree
    tree = _under_conditions(known, context, iterators)
    if tree is not None and visits_all(tree, known, context):
        return tree
    raise UnsupportedError(Diagnostic("isl finds no loops that visit exactly the instances"))


def _if_isl_can(
    known: isl.UnionMap, context: isl.Set, iterators: Sequence[str], option: Literal["atomic", "separate"] | None
) -> Node | None:
    """The loops; None where isl fails on its own representation, of the schedule as it is and of coalesced pieces."""
    for form in (known.copy, known.coalesce):
        try:
            return _made(form(), context, iterators, option)
        except isl.Error as error:
            if is_exhausted():
                raise LimitReached("isl operations of the loops") from error
    return None


def _under_conditions(known: isl.UnionMap, context: isl.Set, iterators: Sequence[str]) -> Node | None:
    """Atomic loops over the domains without quotients and remainders, which stand in conditions around the instances.

    None where a date is a quotient itself, or isl fails.
    """
    parts = {part.domain().get_tuple_name(): part for part in maps_of(known)}
    wider = [part.remove_divs() for part in parts.values()]
    if not all(part.is_single_valued() for part in wider):
        return None
    tree = _if_isl_can(reduce(isl.UnionMap.union, map(isl.UnionMap.from_map, wider)), context, iterators, "atomic")

    def guarded(instance: Instance) -> Node:
        names = [f"argument {k}" for k in range(len(instance.arguments))]
        inside = condition_of(inputs_to_parameters(parts[instance.statement], names).params())
        return If(substituted(inside, dict(zip(names, instance.arguments, strict=True))), instance, None)

    return None if tree is None else with_instances(tree, guarded)


def _made(
    known: isl.UnionMap, context: isl.Set, iterators: Sequence[str], option: Literal["atomic", "separate"] | None
) -> Node:
    if option == "separate":
        return _separated(known, context, iterators)
    return _generated(known, context, iterators, None if option is None else _everywhere(option, known))


def _separated(schedule: isl.UnionMap, context: isl.Set, iterators: Sequence[str]) -> Node:
    """Loops for each part on which other statements run; by isl's own rule where there are too many parts."""
    try:
        with operation_limit(SEPARATION_LIMIT):
            return _generated(schedule, context, iterators, separation(schedule))
    except (LimitReached, isl.Error):
        return _generated(schedule, context, iterators, _everywhere("separate", schedule))


def _everywhere(option: str, schedule: isl.UnionMap) -> isl.UnionMap:
    """The option for all dates of a schedule."""
    dates = schedule.range().universe()
    return isl.UnionMap.from_domain_and_range(dates, isl.UnionSet(f"{{ {option}[x] }}"))


def _generated(
    schedule: isl.UnionMap, context: isl.Set, iterators: Sequence[str], options: isl.UnionMap | None
) -> Node:
    build = isl.AstBuild.from_context(context)
    if options is not None:
        build = build.set_options(options)
    names = isl.IdList.alloc(build.get_ctx(), len(iterators))
    for name in iterators:
        names = names.add(isl.Id(name, build.get_ctx()))
    return _node(build.set_iterators(names).node_from_schedule_map(schedule))


def _node(node: isl.AstNode) -> Node:
    kind = str(isl.ast_node_type(node.get_type()).name)
    match kind:
        case "for_":
            return _for(node)
        case "if_":
            otherwise = _node(node.if_get_else_node()) if node.if_has_else_node() else None
            return If(from_ast(node.if_get_cond()), _node(node.if_get_then_node()), otherwise)
        case "block":
            children = node.block_get_children()
            return Block(tuple(_node(children.get_at(k)) for k in range(children.n_ast_node())))
        case "user":
            return _instance(node.user_get_expr())
        case "mark":
            return _node(node.mark_get_node())
        case other:
            raise AssertionError(f"unexpected AST node {other}")


def _for(node: isl.AstNode) -> Node:
    iterator = node.for_get_iterator().get_id().get_name()
    start, body = from_ast(node.for_get_init()), _node(node.for_get_body())
    if node.for_is_degenerate():
        return _once(iterator, start, body)
    return For(iterator, start, from_ast(node.for_get_cond()), from_ast(node.for_get_inc()), body)


def _once(iterator: str, value: Expression, body: Node) -> Node:
    """The body with the iterator of a loop of one iteration replaced by its value."""
    values = {iterator: value}

    def change(expression: Expression) -> Expression:
        return substituted(expression, values)

    return mapped(body, change)


def _instance(expression: isl.AstExpr) -> Instance:
    name = expression.get_op_arg(0).get_id().get_name()
    return Instance(name, tuple(from_ast(expression.get_op_arg(k)) for k in range(1, expression.get_op_n_arg())))
