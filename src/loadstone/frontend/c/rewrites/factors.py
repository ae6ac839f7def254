"""Loops that multiply, divide or shift their counter, with constants, written out iteration by iteration.

for (int s = 1; s < 8; s *= 2) S  ->  { int s = 1; S } { int s = 2; S } { int s = 4; S }
"""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from loadstone.frontend.c.declarations import constant_number
from loadstone.frontend.c.rewrites.places import sets_of
from loadstone.frontend.c.trees import mapped, names_declared, walk
from loadstone.model.types import INT, Number

MOST_ITERATIONS = 64
_TESTS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "!=": lambda left, right: left != right,
}


def by_factor(node: c_ast.For) -> list[c_ast.Node] | None:
    """The iterations of a loop whose counter is multiplied, divided or shifted; None where they are not constant.

    The counter keeps its value behind the loop where it is not declared there.
    """
    counter, start = _start(node.init)
    if counter is None or not _is_plain(node.stmt, counter):
        return None
    values = _values(start, node, counter)
    if values is None:
        return None
    *values, last = values
    iterations = [c_ast.Compound([_fixed(node.stmt, counter, value)], node.stmt.coord) for value in values]
    if isinstance(node.init, c_ast.DeclList):
        return [*iterations]
    return [*iterations, c_ast.Assignment("=", c_ast.ID(counter, node.coord), _number(last, node), node.coord)]


def hint_of_step(node: c_ast.For, counter: str) -> str:
    """What to write in place of a step that is no constant."""
    match node.next:
        case c_ast.Assignment(op="*=" | "/=" | "<<=" | ">>="):
            return "start, end and factor of such a loop must be constants, its body without 'break' and 'continue'"
        case _:
            return f"write {counter}++ or {counter} += 2"


def _start(node: c_ast.Node | None) -> tuple[str | None, c_ast.Node | None]:
    """The counter that the head of a loop starts, and its first value."""
    match node:
        case c_ast.DeclList(decls=[c_ast.Decl(name=name, init=value)]):
            return name, value
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value):
            return name, value
        case _:
            return None, None


def _values(start: c_ast.Node | None, node: c_ast.For, counter: str) -> list[int] | None:
    """The values of the counter in all iterations, and the one behind the loop."""
    values: list[int] = []
    value = constant_number(start, {})
    while isinstance(value, int) and 0 <= value <= INT.greatest and len(values) <= MOST_ITERATIONS:
        values.append(value)
        goes_on = _holds(node.cond, counter, value)
        if goes_on is not True:
            return None if goes_on is None else values
        value = _next(node.next, counter, value)
    return None


def _holds(condition: c_ast.Node | None, counter: str, value: int) -> bool | None:
    """Whether a condition of the counter and constants holds; None for others."""
    match condition:
        case c_ast.ID(name=name) if name == counter:
            return value != 0
        case c_ast.BinaryOp(op=op, left=left, right=right) if op in _TESTS:
            sides = [constant_number(side, {counter: value}) for side in (left, right)]
            known = [side for side in sides if isinstance(side, int)]
            return _TESTS[op](*known) if len(known) == len(sides) else None
        case _:
            return None


def _next(step: c_ast.Node | None, counter: str, value: int) -> Number | None:
    """The next value of a counter that is multiplied, divided or shifted by a constant."""
    match step:
        case c_ast.Assignment(op="*=" | "/=" | "<<=" | ">>=" as op, lvalue=c_ast.ID(name=name), rvalue=amount):
            moved = c_ast.BinaryOp(op[:-1], step.lvalue, amount, step.coord)
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=c_ast.BinaryOp(op=op) as moved):
            if op not in ("*", "/", "<<", ">>"):
                return None
        case _:
            return None
    return constant_number(moved, {counter: value}) if name == counter else None


def _is_plain(body: c_ast.Node, counter: str) -> bool:
    """Whether all iterations of a loop get to the end of its body, which does not set the counter."""
    own = not any(sets_of(body, counter)) and counter not in names_declared(body)
    return own and not any(isinstance(part, c_ast.Break | c_ast.Continue | c_ast.Return) for part in walk(body))


def _fixed(node: c_ast.Node, counter: str, value: int) -> c_ast.Node:
    """The body with the counter's value, without labels."""
    match node:
        case c_ast.ID(name=name) if name == counter:
            return _number(value, node)
        case c_ast.Label():
            return _fixed(node.stmt, counter, value)
        case c_ast.StructRef():
            return c_ast.StructRef(_fixed(node.name, counter, value), node.type, node.field, node.coord)
        case _:
            return mapped(node, lambda child: _fixed(child, counter, value))


def _number(value: int, at: c_ast.Node) -> c_ast.Constant:
    return c_ast.Constant("int", str(value), at.coord)
