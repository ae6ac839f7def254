"""Conditions: values of one bit, any or all of them, and the choice of a value by one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from loadstone.rtl.expressions import Const, Mux, Operand, Value, as_value, const, converted
from loadstone.rtl.types import RtlError, bit, common_type

Choice = tuple[Value, Value]
"""A condition, and the value that it chooses."""


def truth(condition: Operand) -> Value:
    """A condition, which must be one unsigned bit."""
    value = as_value(condition)
    if value.type != bit:
        raise RtlError(f"a condition is one bit, not {value.type}")
    return value


def any_of(*conditions: Operand) -> Value:
    """Whether one of the conditions holds."""
    return reduce(lambda left, right: left | right, map(truth, conditions), const(0))


def all_of(*conditions: Operand) -> Value:
    """Whether all of the conditions hold."""
    return reduce(lambda left, right: left & right, map(truth, conditions), const(1))


def mux(condition: Operand, left: Operand, right: Operand) -> Value:
    """The left value where the condition holds, else the right one, in the smallest type for both."""
    choice = truth(condition)
    first, second = as_value(left), as_value(right)
    target = common_type(first.bits, second.bits)
    first, second = converted(first, target), converted(second, target)
    if isinstance(choice, Const):
        return first if choice.value else second
    return Mux(target, choice, first, second)


def one_hot_mux(choices: Sequence[Choice]) -> Value:
    """The value of the only condition that holds; any, if none does."""
    *others, (_, last) = choices or [(const(0), const(0))]
    return reduce(lambda rest, choice: mux(choice[0], choice[1], rest), reversed(others), last)
