"""Dataflow graphs: expressions as operations on hardware values, with the time that each takes.

Integers are exact: a value has the bits that its operands need, at most those of its C type, and wraps around there.
Floating-point numbers are their bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import overload

from loadstone.operators import Operator
from loadstone.rtl.expressions import Const, Signal, Value, const
from loadstone.rtl.types import Bits


@dataclass(frozen=True, slots=True, eq=False)
class Logic:
    """An operation without registers; `delay` is the part of a cycle that it takes."""

    make: Callable[..., Value]
    delay: float


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A number."""

    value: Const


@dataclass(frozen=True, slots=True, eq=False)
class Argument:
    """What an instance of the statement is given when it starts: an iterator, or an address."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Stable:
    """A value that does not change while the kernel runs: a parameter, or a scalar that is never written."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Fetch:
    """A word of an array; the node's only input is its address.

    `exact` says that the address surely is one of the array.
    """

    array: str
    exact: bool


Operation = Logic | Operator | Known | Argument | Stable | Fetch


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A value of a dataflow graph: what makes it, from which others, its type, and how it wants to be called."""

    operation: Operation
    inputs: tuple[Node, ...]
    type: Bits
    wish: str

    @property
    def constant(self) -> int | None:
        """The number that the value always is, if it is known."""
        return self.operation.value.value if isinstance(self.operation, Known) else None


def known(value: int, type: Bits | None = None) -> Node:
    """A number as a node."""
    number = const(value, type)
    return Node(Known(number), (), number.bits, "number")


@overload
def logic(wish: str, delay: float, make: Callable[[Value], Value], one: Node, /) -> Node: ...


@overload
def logic(wish: str, delay: float, make: Callable[[Value, Value], Value], one: Node, two: Node, /) -> Node: ...


@overload
def logic(
    wish: str, delay: float, make: Callable[[Value, Value, Value], Value], one: Node, two: Node, three: Node, /
) -> Node: ...


def logic(wish: str, delay: float, make: Callable[..., Value], *inputs: Node) -> Node:
    """An operation without registers; a number if all its inputs are."""
    values = [_placeholder(node) for node in inputs]
    result = make(*values)
    if isinstance(result, Const):
        return Node(Known(result), (), result.bits, "number")
    return Node(Logic(make, delay), inputs, result.bits, wish)


def operated(wish: str, operator: Operator, *inputs: Node) -> Node:
    """The result of a pipelined operator."""
    return Node(operator, inputs, operator.module["result"].bits, wish)


def _placeholder(node: Node) -> Value:
    """A value of the type of a node, to find out what becomes of it."""
    return node.operation.value if isinstance(node.operation, Known) else Signal(node.type, node.wish, "wire")


def in_order(*results: Node) -> tuple[Node, ...]:
    """The nodes that results are made from, and these, each once and after its inputs."""
    found: dict[Node, None] = {}
    for result in results:
        _visit(result, found)
    return tuple(found)


def _visit(node: Node, found: dict[Node, None]) -> None:
    if node not in found:
        for source in node.inputs:
            _visit(source, found)
        found[node] = None
