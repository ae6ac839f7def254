"""`switch` as conditions.

switch (x) { case 0: A; break; case 1: case 2: B; break; default: C; }
    ->  if (x == 0) { A; } else if (x == 1 || x == 2) { B; } else { C; }
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from pycparser import c_ast

from loadstone.frontend.c.trees import items_of, walk

_Labels = list[c_ast.Node | None]
"""The values of cases with one body; None is `default`."""


class UnstructuredSwitchError(Exception):
    """A `switch` that is no choice between bodies: `message` says why, of `node`; `hint` what to write."""

    def __init__(self, node: c_ast.Node, message: str, hint: str) -> None:
        super().__init__()
        self.node = node
        self.message = message
        self.hint = hint


def as_conditions(node: c_ast.Switch) -> c_ast.Node:
    """The conditions that choose as a `switch` does; its value is compared with one case after the other."""
    if any(isinstance(part, c_ast.FuncCall | c_ast.Assignment) for part in walk(node.cond)):
        raise UnstructuredSwitchError(node.cond, "'switch' on this value is not supported", "note it in a variable")
    groups = list(_groups(items_of(node.stmt)))
    bodies = [(labels, _ended(body, is_last=k == len(groups) - 1)) for k, (labels, body) in enumerate(groups)]
    default = next((body for labels, body in bodies if None in labels), None)
    result = None if default is None else c_ast.Compound(default, node.coord)
    for labels, body in reversed([each for each in bodies if None not in each[0]]):
        tests = [c_ast.BinaryOp("==", node.cond, label, label.coord) for label in labels if label is not None]
        test = reduce(lambda left, right: c_ast.BinaryOp("||", left, right, left.coord), tests)
        result = c_ast.If(test, c_ast.Compound(body, node.coord), result, node.coord)
    return result or c_ast.Compound([], node.coord)


def _groups(items: Sequence[c_ast.Node]) -> Iterator[tuple[_Labels, list[c_ast.Node]]]:
    """Labels that stand together, with the statements behind them."""
    labels: _Labels = []
    for item in items:
        if not isinstance(item, c_ast.Case | c_ast.Default):
            raise UnstructuredSwitchError(item, "this statement stands before the first case", "move it out")
        labels.append(item.expr if isinstance(item, c_ast.Case) else None)
        if item.stmts:
            yield labels, list(item.stmts)
            labels = []
    if labels:
        yield labels, []


def _ended(body: list[c_ast.Node], *, is_last: bool) -> list[c_ast.Node]:
    """The statements of a case without the `break` at their end."""
    result, ends = _without_break(body)
    if not ends and not is_last:
        hint = "end each case with 'break', or use 'if' and 'else'"
        raise UnstructuredSwitchError(body[-1], "this case goes on with the next one", hint)
    inner = next((part for item in result for part in _breaks(item)), None)
    if inner is not None:
        hint = "use 'if' and 'else', and one 'break' at the end of each case"
        raise UnstructuredSwitchError(inner, "this 'break' does not stand at the end of its case", hint)
    return result


def _without_break(body: list[c_ast.Node]) -> tuple[list[c_ast.Node], bool]:
    """The statements without a `break` at their end, and whether what follows them is not executed."""
    match body[-1:]:
        case [c_ast.Break()]:
            return body[:-1], True
        case [c_ast.Return() | c_ast.Continue()]:
            return body, True
        case [c_ast.Compound() as block]:
            inner, ends = _without_break(items_of(block))
            return [*body[:-1], c_ast.Compound(inner, block.coord)], ends
        case _:
            return body, False


def _breaks(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The places where a statement leaves the `switch` around it."""
    if isinstance(node, c_ast.Break):
        yield node
    elif not isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile | c_ast.Switch):
        for _, child in node.children():
            yield from _breaks(child)
