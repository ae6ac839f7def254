"""Which names steer control: they appear in bounds, subscripts and conditions that do not depend on data."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.frontend import syntax
from loadstone.frontend.scopes import Resolved, control_expressions, expressions, names_in, nodes

_LOGICAL = ("&&", "||")


def steering_names(resolved: Resolved) -> set[str]:
    """The names that decide what is executed and which elements are accessed, as far as data do not decide.

    A name that gives its value to one of them, once, is one of them too.
    """
    data = _data_names(resolved)
    found: set[str] = set()
    for expression in control_expressions(resolved.body):
        for part in _comparisons(expression):
            if not (names_in(part) & data or _has_elements(part)):
                found |= names_in(part)
    values = _single_values(resolved)
    waiting = list(found)
    while waiting:
        value = values.pop(waiting.pop(), None)
        new = names_in(value) - found if value is not None else set[str]()
        found |= new
        waiting.extend(new)
    return found


def _comparisons(expression: syntax.Expr) -> Iterator[syntax.Expr]:
    """The parts of a condition between its logical operators."""
    match expression:
        case syntax.BinaryOp(op=op, left=left, right=right) if op in _LOGICAL:
            yield from _comparisons(left)
            yield from _comparisons(right)
        case syntax.UnaryOp(op="!", operand=operand):
            yield from _comparisons(operand)
        case _:
            yield expression


def _data_names(resolved: Resolved) -> set[str]:
    """Arrays, real numbers, and scalars that are written more than once or from data."""
    single = _single_values(resolved)
    written = {_target(node) for node in _assignments(resolved)}
    fixed = {name for name, value in single.items() if not _has_elements(value)}
    return {
        name
        for name, symbol in resolved.symbols.items()
        if symbol.extents or not symbol.type.is_integer or (name in written and name not in fixed)
    }


def _single_values(resolved: Resolved) -> dict[str, syntax.Expr]:
    """The scalars that are assigned once, with what they are assigned."""
    values: dict[str, list[syntax.Expr]] = {}
    for node in _assignments(resolved):
        values.setdefault(_target(node), []).append(node.value)
    return {name: found[0] for name, found in values.items() if len(found) == 1}


def _assignments(resolved: Resolved) -> Iterator[syntax.Assign]:
    return (node for node in nodes(resolved.body) if isinstance(node, syntax.Assign))


def _target(node: syntax.Assign) -> str:
    return node.target.base if isinstance(node.target, syntax.Subscript) else node.target.id


def _has_elements(expression: syntax.Expr) -> bool:
    return any(isinstance(part, syntax.Subscript) for part in expressions(expression))
