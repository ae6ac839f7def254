"""Steps inside of expressions, and heads of loops with several counters, as statements.

b[k++] = x;                              ->  b[k] = x; k++;
b[++k] = x;                              ->  ++k; b[k] = x;
for (i = 0, j = n; i < n; i++, j--) S    ->  j = n; for (i = 0; i < n; i++) { S; j--; }
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy

from pycparser import c_ast

from loadstone.frontend.c.trees import items_of, mapped, names_used, walk

_STEPS = ("p++", "++", "p--", "--")


def with_steps_apart(node: c_ast.Assignment | c_ast.Decl) -> list[c_ast.Node]:
    """The statement between its steps; as it is where the stepped variable is used elsewhere in it."""
    steps = list(_steps(node))
    used = list(names_used(node))
    if not steps or any(used.count(step.expr.name) > 1 for step in steps):
        return [node]
    before = [step for step in steps if not step.op.startswith("p")]
    after = [step for step in steps if step.op.startswith("p")]
    return [*before, _without(node, steps), *after]


def _steps(node: c_ast.Node) -> Iterator[c_ast.UnaryOp]:
    """The steps of variables in an expression that are always executed."""
    match node:
        case c_ast.UnaryOp(op=op, expr=c_ast.ID()) if op in _STEPS:
            yield node
        case c_ast.UnaryOp(op="sizeof") | c_ast.Typename() | c_ast.FuncCall():
            return
        case c_ast.TernaryOp(cond=first) | c_ast.BinaryOp(op="&&" | "||", left=first):
            yield from _steps(first)
        case _:
            for _, child in node.children():
                yield from _steps(child)


def _without(node: c_ast.Node, steps: Sequence[c_ast.UnaryOp]) -> c_ast.Node:
    """The expression with variables in place of their steps."""
    if isinstance(node, c_ast.UnaryOp) and any(node is step for step in steps):
        return node.expr
    return mapped(node, lambda child: _without(child, steps))


def with_one_counter(node: c_ast.For) -> list[c_ast.Node]:
    """The loop with one counter in its head; as it is where others depend on it, or it on them."""
    starts, steps = _parts(node.init), _parts(node.next)
    if len(starts) < 2 and len(steps) < 2:
        return [node]
    counter = _counter(node, starts, steps)
    other_starts = [start for start in starts if _target(start) != counter]
    other_steps = [step for step in steps if _target(step) != counter]
    own = [start for start in starts if _target(start) == counter]
    own_steps = [step for step in steps if _target(step) == counter]
    used = {name for part in (*own, *own_steps) for name in names_used(part)}
    others = (*other_starts, *other_steps)
    if counter is None or any(counter in names_used(part) or _target(part) in used for part in others):
        return [node]
    loop = copy(node)
    loop.init = c_ast.DeclList(own, node.coord) if own and isinstance(own[0], c_ast.Decl) else next(iter(own), None)
    loop.next = next(iter(own_steps), None)
    body = _before_continue(node.stmt, other_steps)
    loop.stmt = c_ast.Compound([*items_of(body), *other_steps], node.stmt.coord)
    result = [*other_starts, loop]
    return [c_ast.Compound(result, node.coord)] if isinstance(node.init, c_ast.DeclList) else result


def _parts(node: c_ast.Node | None) -> list[c_ast.Node]:
    """The assignments or declarations of one place in the head of a loop."""
    match node:
        case None:
            return []
        case c_ast.DeclList(decls=decls):
            return list(decls)
        case c_ast.ExprList(exprs=exprs):
            return list(exprs)
        case _:
            return [node]


def _target(node: c_ast.Node) -> str | None:
    """The variable that an assignment, a declaration or a step sets."""
    match node:
        case c_ast.Decl(name=name) | c_ast.Assignment(lvalue=c_ast.ID(name=name)):
            return name
        case c_ast.UnaryOp(op=op, expr=c_ast.ID(name=name)) if op in _STEPS:
            return name
        case _:
            return None


def _counter(node: c_ast.For, starts: Sequence[c_ast.Node], steps: Sequence[c_ast.Node]) -> str | None:
    """The first variable that a loop starts and steps, and that decides whether it goes on."""
    tested = set[str]() if node.cond is None else set(names_used(node.cond))
    stepped = {_target(step) for step in steps}
    started = [name for start in starts if (name := _target(start)) is not None and name in stepped]
    return next((name for name in started if name in tested), None)


def _before_continue(node: c_ast.Node, steps: list[c_ast.Node]) -> c_ast.Node:
    """The body of a loop with these steps before each `continue` of this loop."""
    if isinstance(node, c_ast.Continue):
        return c_ast.Compound([*steps, node], node.coord)
    if isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile):
        return node
    if not any(isinstance(part, c_ast.Continue) for part in walk(node)):
        return node
    return mapped(node, lambda child: _before_continue(child, steps))
