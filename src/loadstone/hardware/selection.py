"""Multiplexers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from loadstone.rtl.conditions import mux
from loadstone.rtl.expressions import Value, const

Choice = tuple[Value, Value]
"""A condition, and the value that it chooses."""


def one_hot_mux(choices: Sequence[Choice]) -> Value:
    """The value of the only condition that holds; any, if none does."""
    *others, (_, last) = choices or [(const(0), const(0))]
    return reduce(lambda rest, choice: mux(choice[0], choice[1], rest), reversed(others), last)
