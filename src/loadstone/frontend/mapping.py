"""Rebuilding the syntax tree with other expressions in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from loadstone.frontend import syntax

Change = Callable[[syntax.Expr], syntax.Expr]


def with_parts(node: syntax.Expr, change: Change) -> syntax.Expr:
    """The expression with the expressions right below it changed."""
    match node:
        case syntax.Literal() | syntax.Name():
            return node
        case syntax.Subscript(indices=indices):
            return replace(node, indices=tuple(map(change, indices)))
        case syntax.Invocation(arguments=arguments):
            return replace(node, arguments=tuple(map(change, arguments)))
        case syntax.UnaryOp(operand=operand) | syntax.Conversion(operand=operand):
            return replace(node, operand=change(operand))
        case syntax.BinaryOp(left=left, right=right):
            return replace(node, left=change(left), right=change(right))
        case syntax.Conditional(condition=condition, then=then, otherwise=otherwise):
            return replace(node, condition=change(condition), then=change(then), otherwise=change(otherwise))
        case _:
            assert_never(node)


def with_value(node: syntax.Expr, name: str, value: syntax.Expr) -> syntax.Expr:
    """The expression with a value in place of a scalar."""
    if isinstance(node, syntax.Name) and node.id == name:
        return value
    return with_parts(node, lambda part: with_value(part, name, value))


def with_blocks(node: syntax.Node, change: Callable[[syntax.Block], syntax.Block]) -> syntax.Node:
    """The statement with the blocks right below it changed, itself if it is one."""
    match node:
        case syntax.Block():
            return change(node)
        case syntax.For(body=body):
            return replace(node, body=change(body))
        case syntax.If(then=then, otherwise=otherwise):
            return replace(node, then=change(then), otherwise=change(otherwise))
        case syntax.Assign() | syntax.Declare() | syntax.Jump():
            return node
        case _:
            assert_never(node)


def with_expressions(node: syntax.Node, change: Change) -> syntax.Node:
    """The statement with all its expressions changed; scalars that it assigns to stay."""
    match node:
        case syntax.Assign(target=target, value=value):
            changed = with_parts(target, change)
            assert isinstance(changed, syntax.Name | syntax.Subscript)
            return replace(node, target=changed, value=change(value))
        case syntax.For(start=start, condition=condition, body=body):
            inside = with_expressions_in(body, change)
            return replace(node, start=change(start), condition=change(condition), body=inside)
        case syntax.If(condition=condition, then=then, otherwise=otherwise):
            chosen, other = (with_expressions_in(side, change) for side in (then, otherwise))
            return syntax.If(change(condition), chosen, other, node.span)
        case syntax.Block():
            return with_expressions_in(node, change)
        case syntax.Declare(symbol=symbol):
            extents = tuple(None if extent is None else change(extent) for extent in symbol.extents)
            return syntax.Declare(replace(symbol, extents=extents))
        case syntax.Jump():
            return node
        case _:
            assert_never(node)


def with_expressions_in(block: syntax.Block, change: Change) -> syntax.Block:
    """The block with all its expressions changed."""
    return syntax.Block(tuple(with_expressions(item, change) for item in block.items))
