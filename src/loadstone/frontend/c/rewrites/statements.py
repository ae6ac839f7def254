"""The statements of a kernel and of its functions, written out: `switch`, steps in expressions, counters."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

from pycparser import c_ast

from loadstone.frontend.c.rewrites.factors import by_factor
from loadstone.frontend.c.rewrites.steps import with_one_counter, with_steps_apart
from loadstone.frontend.c.rewrites.switches import UnstructuredSwitchError, as_conditions
from loadstone.frontend.c.trees import items_of, mapped


def written_out(nodes: Iterable[c_ast.Node]) -> list[c_ast.Node]:
    """The statements written out; what has no such form stays as it is."""
    return [part for node in nodes for part in _statement(node)]


def with_body_written_out(function: c_ast.FuncDef) -> c_ast.FuncDef:
    """The function with the statements of its body written out."""
    result = copy(function)
    result.body = _block(function.body)
    return result


def _statement(node: c_ast.Node) -> list[c_ast.Node]:
    match node:
        case c_ast.Compound():
            return [_block(node)]
        case c_ast.Label():
            return _labelled(node)
        case c_ast.Switch():
            return _switch(node)
        case c_ast.For():
            found = by_factor(node) or with_one_counter(node)
            return [_with_blocks(node)] if found == [node] else written_out(found)
        case c_ast.If() | c_ast.While() | c_ast.DoWhile():
            return [_with_blocks(node)]
        case c_ast.ExprList(exprs=exprs):
            return written_out(exprs)
        case c_ast.Assignment() | c_ast.Decl():
            return with_steps_apart(node)
        case _:
            return [node]


def _block(node: c_ast.Node) -> c_ast.Node:
    return c_ast.Compound(written_out(items_of(node)), node.coord)


def _with_blocks(node: c_ast.Node) -> c_ast.Node:
    """The loop or conditional with its blocks written out."""
    blocks = [getattr(node, slot, None) for slot in ("stmt", "iftrue", "iffalse")]
    return mapped(node, lambda child: _block(child) if any(child is block for block in blocks) else child)


def _switch(node: c_ast.Switch) -> list[c_ast.Node]:
    try:
        return _statement(as_conditions(node))
    except UnstructuredSwitchError:
        return [node]


def _labelled(node: c_ast.Label) -> list[c_ast.Node]:
    """The statements with the label at the first that is no step."""
    parts = _statement(node.stmt)
    main = next((k for k, part in enumerate(parts) if not isinstance(part, c_ast.UnaryOp)), 0)
    parts[main] = c_ast.Label(node.name, parts[main], node.coord)
    return parts
