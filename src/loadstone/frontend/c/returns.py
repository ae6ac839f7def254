"""Early returns turned into structured code.

if (c) { A; return; } B;                    ->   if (c) { A; } else { B; }
if (c) return a; if (d) return b; return e; ->   c ? a : d ? b : e
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pycparser import c_ast

from loadstone.frontend.c.trees import items_of, walk


class UnstructuredReturnError(Exception):
    """A return stands where it cannot be taken away, in a loop for example."""

    def __init__(self, node: c_ast.Node) -> None:
        super().__init__()
        self.node = node


def without_returns(
    items: Sequence[c_ast.Node], finish: Callable[[c_ast.Return], list[c_ast.Node]]
) -> list[c_ast.Node]:
    """The statements with `finish` in place of each return, and what follows a return not executed after it."""
    for position, item in enumerate(items):
        before, rest = list(items[:position]), list(items[position + 1 :])
        match item:
            case c_ast.Return():
                return [*before, *finish(item)]
            case _ if not _returns(item):
                continue
            case c_ast.Compound() if _always_returns([item]):
                return [*before, c_ast.Compound(without_returns(items_of(item), finish), item.coord)]
            case c_ast.If():
                return [*before, _branch(item, rest, finish)]
            case _:
                raise UnstructuredReturnError(next(part for part in walk(item) if isinstance(part, c_ast.Return)))
    return list(items)


def _branch(node: c_ast.If, rest: list[c_ast.Node], finish: Callable[[c_ast.Return], list[c_ast.Node]]) -> c_ast.If:
    """The conditional with what follows it moved into the side that does not return."""
    then, otherwise = items_of(node.iftrue), items_of(node.iffalse)
    if not _always_returns(then):
        then = [*_own_scope(node.iftrue), *rest]
        if not _always_returns(otherwise):
            raise UnstructuredReturnError(next(part for part in walk(node) if isinstance(part, c_ast.Return)))
    elif not _always_returns(otherwise):
        otherwise = [*_own_scope(node.iffalse), *rest]
    chosen, other = (c_ast.Compound(without_returns(side, finish), node.coord) for side in (then, otherwise))
    return c_ast.If(node.cond, chosen, other, node.coord)


def _own_scope(node: c_ast.Node | None) -> list[c_ast.Node]:
    """A branch as one statement, so that its declarations stay its own."""
    return [] if node is None else [node]


def _returns(node: c_ast.Node) -> bool:
    return any(isinstance(part, c_ast.Return) for part in walk(node))


def _always_returns(items: Sequence[c_ast.Node]) -> bool:
    for item in items:
        match item:
            case c_ast.Return():
                return True
            case c_ast.Compound() if _always_returns(items_of(item)):
                return True
            case c_ast.If() if _always_returns(items_of(item.iftrue)) and _always_returns(items_of(item.iffalse)):
                return True
            case _:
                continue
    return False


def returned_expression(items: Sequence[c_ast.Node]) -> c_ast.Node | None:
    """The expression that statements return, where they only choose between returns."""
    if not items:
        return None
    first, *rest = items
    match first:
        case c_ast.Return():
            return first.expr
        case c_ast.Compound():
            return returned_expression([*items_of(first), *rest])
        case c_ast.If():
            then = returned_expression([*items_of(first.iftrue), *rest])
            otherwise = returned_expression([*items_of(first.iffalse), *rest])
            return then and otherwise and c_ast.TernaryOp(first.cond, then, otherwise, first.cond.coord)
        case c_ast.EmptyStatement() | c_ast.Pragma():
            return returned_expression(rest)
        case _:
            return None
