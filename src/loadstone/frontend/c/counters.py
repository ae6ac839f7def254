"""Loops that count in their own ways, as `for` loops that start, test and step.

for (j = m; j-- > 0;) S           ->  for (j = m, step once; j + 1 > 0; j--) S
for (i = -1; ++i < n;) S          ->  for (i = -1, step once; i < n; i++) S
i = 0; while (i < n) { S; i++; }  ->  for (i = 0; i < n; i++) S
while (c) S                       ->  for (int iteration = 0; c; iteration++) S
do S while (c);                   ->  for (int iteration = 0; iteration == 0 || c; iteration++) S
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy
from typing import TypeGuard

from pycparser import c_ast

from loadstone.frontend import syntax
from loadstone.frontend.c.declarations import constant_number
from loadstone.frontend.c.trees import integer_declaration, items_of, mapped, names_used, summands, walk

_STEPS = {"p++": 1, "++": 1, "p--": -1, "--": -1}


def counted_loops(nodes: Iterable[c_ast.Node]) -> list[c_ast.Node]:
    """The statements of a block with `while` loops as `for` loops, where their counters are set before them."""
    result: list[c_ast.Node] = []
    for node in nodes:
        result.append(_as_for(node, result) if isinstance(node, c_ast.While) else node)
    return result


def _as_for(node: c_ast.While, before: list[c_ast.Node]) -> c_ast.Node:
    """The loop with the start of its counter, which is taken out of the statements before it."""
    counter = counter_of(node)
    start = None if counter is None else _taken_start(before, counter)
    if counter is None or start is None:
        return node
    first = c_ast.Assignment("=", c_ast.ID(counter, node.coord), start, node.coord)
    return c_ast.For(first, node.cond, None, node.stmt, node.coord)


def has_counter(node: c_ast.Node) -> TypeGuard[c_ast.For]:
    """Whether a loop starts or steps a counter in its head."""
    return isinstance(node, c_ast.For) and (node.init is not None or node.next is not None)


def repeated(node: c_ast.For | c_ast.While | c_ast.DoWhile) -> c_ast.For:
    """The loop without counter, with one that counts its iterations."""
    counter = c_ast.ID("iteration", node.coord)
    zero = c_ast.Constant("int", "0", node.coord)
    condition = node.cond
    if isinstance(node, c_ast.DoWhile):
        is_first = c_ast.BinaryOp("==", counter, zero, node.coord)
        condition = c_ast.BinaryOp("||", is_first, node.cond, node.coord)
    start = c_ast.DeclList([integer_declaration("iteration", zero, node.coord)], node.coord)
    return c_ast.For(start, condition, c_ast.UnaryOp("p++", counter, node.coord), node.stmt, node.coord)


def is_stepped_last(node: c_ast.For) -> bool:
    """Whether each iteration of a loop gets to the end of its body."""
    return not _continues(node.stmt)


def stepped_in_body(node: c_ast.For) -> list[c_ast.Node]:
    """The loop behind its start, which steps at the end of its body and counts its iterations."""
    starts = node.init.decls if isinstance(node.init, c_ast.DeclList) else [node.init] if node.init else []
    body = c_ast.Compound([*items_of(node.stmt), node.next], node.coord)
    return [*starts, repeated(c_ast.For(None, node.cond, None, body, node.coord))]


def constant_sum(node: c_ast.Node, names: Mapping[str, int]) -> int | None:
    """The value of a sum in which variables cancel each other, or None."""
    total, counts = 0, Counter[str]()
    for sign, term in summands(node):
        factor = 1 if sign == "+" else -1
        value = constant_number(term, names)
        if isinstance(value, int):
            total += factor * value
        elif isinstance(term, c_ast.ID):
            counts[term.name] += factor
        else:
            return None
    return None if any(counts.values()) else total


def plain_loop(node: c_ast.For) -> tuple[c_ast.For, syntax.FirstStep]:
    """The loop with its step behind its condition, and where its first step stands."""
    counter = counter_of(node)
    if node.next is not None or counter is None:
        return node, "after"
    steps = _steps_in(node.cond, counter)
    if not steps:
        return _stepping_last(node), "after"
    return _stepping_in_condition(node, steps[0]), "behind test" if steps[0].op.startswith("p") else "before test"


def counter_of(node: c_ast.For | c_ast.While) -> str | None:
    """The variable that a loop without a step of its own counts with: in its condition, or in its last statement."""
    if node.cond is None:
        return None
    last = [] if _continues(node.stmt) else items_of(node.stmt)[-1:]
    for part in (*walk(node.cond), *last):
        if isinstance(part, c_ast.UnaryOp) and part.op in _STEPS and isinstance(part.expr, c_ast.ID):
            target: c_ast.Node = part.expr
        elif isinstance(part, c_ast.Assignment):
            target = part.lvalue
        else:
            continue
        if isinstance(target, c_ast.ID) and target.name in set(names_used(node.cond)):
            return target.name
    return None


def _continues(node: c_ast.Node) -> bool:
    """Whether some iterations of a loop with this body do not get to its end."""
    if isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile):
        return False
    return isinstance(node, c_ast.Continue) or any(_continues(child) for _, child in node.children())


def _steps_in(condition: c_ast.Node | None, counter: str) -> list[c_ast.UnaryOp]:
    """The places where a condition steps a counter."""
    parts = () if condition is None else walk(condition)
    steps = (part for part in parts if isinstance(part, c_ast.UnaryOp) and part.op in _STEPS)
    return [part for part in steps if isinstance(part.expr, c_ast.ID) and part.expr.name == counter]


def _stepping_in_condition(node: c_ast.For, step: c_ast.UnaryOp) -> c_ast.For:
    """The loop whose condition steps; what it tests is the value before a step that follows the value."""
    sign, coord = _STEPS[step.op], step.coord
    tested = _shifted(step.expr, -sign) if step.op.startswith("p") else step.expr
    result = copy(node)
    result.cond = _replaced(node.cond, step, tested)
    result.next = c_ast.UnaryOp("p++" if sign > 0 else "p--", step.expr, coord)
    return result


def _shifted(value: c_ast.Node, amount: int) -> c_ast.Node:
    one = c_ast.Constant("int", "1", value.coord)
    return c_ast.BinaryOp("+" if amount > 0 else "-", value, one, value.coord)


def _replaced(node: c_ast.Node, old: c_ast.Node, new: c_ast.Node) -> c_ast.Node:
    return new if node is old else mapped(node, lambda child: _replaced(child, old, new))


def _stepping_last(node: c_ast.For) -> c_ast.For:
    """The loop whose last statement steps."""
    *body, last = items_of(node.stmt)
    result = copy(node)
    result.next, result.stmt = last, c_ast.Compound(body, node.stmt.coord)
    return result


def _taken_start(before: list[c_ast.Node], counter: str) -> c_ast.Node | None:
    """What a counter is set to right before its loop, taken out of the statements there."""
    match before[-1:]:
        case [c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value)] if name == counter:
            before.pop()
            return value
        case [c_ast.Decl(name=name, init=c_ast.Node()) as declared] if name == counter:
            before[-1] = copy(declared)
            before[-1].init = None
            return declared.init
        case _:
            return None
