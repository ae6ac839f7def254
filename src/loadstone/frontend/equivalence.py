"""Expressions that say the same, wherever they stand."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, cast

from loadstone.frontend import syntax

_SWAPPED = {"<": "max", "<=": "max", ">": "min", ">=": "min"}
_STRAIGHT = {"<": "min", "<=": "min", ">": "max", ">=": "max"}


def alike(first: Any, second: Any) -> bool:
    """Whether two pieces of syntax are equal but for their positions."""
    if type(first) is not type(second):
        return False
    if isinstance(first, tuple):
        parts = cast("tuple[Any, ...]", first)
        return len(parts) == len(second) and all(map(alike, parts, second))
    if not is_dataclass(first):
        return first == second
    names = (field.name for field in fields(first) if field.name != "span")
    return all(alike(getattr(first, name), getattr(second, name)) for name in names)


def extremum(node: syntax.Conditional) -> tuple[str, bool] | None:
    """`min` or `max` where a conditional chooses the smaller or greater of what it compares, and whether it names the
    right operand first: `a < b ? a : b` is `min` of a and b, `a < b ? b : a` is `max` of b and a."""
    condition = node.condition
    if not isinstance(condition, syntax.BinaryOp) or condition.op not in _STRAIGHT:
        return None
    if alike(node.then, condition.left) and alike(node.otherwise, condition.right):
        return _STRAIGHT[condition.op], False
    if alike(node.then, condition.right) and alike(node.otherwise, condition.left):
        return _SWAPPED[condition.op], True
    return None
