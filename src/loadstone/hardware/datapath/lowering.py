"""Statement bodies as dataflow graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from loadstone.hardware.datapath.arithmetic import both_or_either, negated, selected
from loadstone.hardware.datapath.dataflow import Argument, Fetch, Node, Stable, known, logic
from loadstone.hardware.datapath.operations import Operations, unary
from loadstone.hardware.layout import ArrayLayouts
from loadstone.hardware.words import bits_of, encoded
from loadstone.model import expression as expr
from loadstone.model.kernel import WRITE, Access, Statement
from loadstone.rtl.expressions import cat
from loadstone.rtl.types import Bits, address_width, bit, unsigned


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """What an instance of a statement does: it writes `value` to `address`, where `condition` holds if there is one.

    `address` is None for a scalar. `fetches` are the words that it reads, by the positions of the reads that want them.
    """

    value: Node
    address: Node | None
    condition: Node | None
    fetches: Mapping[int, Node]

    @property
    def results(self) -> tuple[Node, ...]:
        """The nodes that everything is made for."""
        return tuple(node for node in (self.value, self.address, self.condition) if node is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Arguments:
    """What a statement is given: types of iterators, and of the addresses that are functions of these.

    Addresses go by the position of the read, and by -1 for that of the write. `words` are the names of words that are
    not fetched but given, by the position of the read.
    """

    iterators: Mapping[str, Bits]
    addresses: Mapping[int, tuple[str, Bits]]
    words: Mapping[int, str] = field(default_factory=dict[int, str])


COPY = "copy in use"
"""A value that does not change while instances are on their way: which copy of memories with two is in use."""


def access_at(statement: Statement, position: int) -> Access:
    """An access by its position."""
    return statement.write if position == WRITE else statement.reads[position]


def lowered(
    statement: Statement,
    arguments: Arguments,
    stable: Mapping[str, Bits],
    stores: ArrayLayouts,
    operations: Operations,
) -> Graph:
    """The dataflow graph of a statement; `stable` are the types of values that do not change."""
    lowering = _Lowering(statement, arguments, stable, stores, operations, {}, {}, {})
    kind = stores[statement.write.array].element
    value = operations.converted(lowering.node(statement.value), statement.value.type, kind)
    condition = statement.condition
    chosen = None if condition is None else operations.truth(lowering.node(condition), condition.type)
    address = None if not stores[statement.write.array].depth else lowering.address(WRITE, statement.write)
    return Graph(value, address, chosen, lowering.fetches)


def lowered_place(
    statement: Statement,
    position: int,
    arguments: Arguments,
    stable: Mapping[str, Bits],
    stores: ArrayLayouts,
    operations: Operations,
) -> Graph:
    """The dataflow graph of the address of an access, which is its value."""
    lowering = _Lowering(statement, arguments, stable, stores, operations, {}, {}, {})
    address = lowering.address(position, access_at(statement, position))
    return Graph(address, None, None, lowering.fetches)


@dataclass(frozen=True, slots=True, eq=False)
class _Lowering:
    """Makes the nodes of a statement, each expression and each word once."""

    statement: Statement
    arguments: Arguments
    stable: Mapping[str, Bits]
    stores: ArrayLayouts
    operations: Operations
    nodes: dict[expr.Expression, Node]
    words: dict[tuple[str, tuple[expr.Expression, ...]], Node]
    fetches: dict[int, Node]

    def node(self, expression: expr.Expression) -> Node:
        """The node of an expression."""
        if expression not in self.nodes:
            self.nodes[expression] = self._made(expression)
        return self.nodes[expression]

    def _made(self, expression: expr.Expression) -> Node:
        match expression:
            case expr.Constant(value=value, type=kind):
                return known(encoded(value, kind), None if kind.is_integer else bits_of(kind))
            case expr.Variable(name=name):
                return self._variable(name)
            case expr.Operand(position=position):
                return self._fetched(position, self.statement.reads[position])
            case expr.Cast(operand=operand, type=kind):
                return self.operations.converted(self.node(operand), operand.type, kind)
            case expr.Unary(op="!", operand=operand):
                return negated(self.operations.truth(self.node(operand), operand.type))
            case expr.Unary(op=op, operand=operand, type=kind):
                return unary(op, self.node(operand), kind)
            case expr.Binary():
                return self._binary(expression)
            case expr.Select(condition=condition, then=then, otherwise=otherwise):
                chosen = self.operations.truth(self.node(condition), condition.type)
                return selected(chosen, self.node(then), self.node(otherwise))
            case expr.Call(function=function, arguments=inner, type=kind, span=span):
                return self.operations.called(function, tuple(map(self.node, inner)), kind, span)
            case _:
                assert_never(expression)

    def _binary(self, expression: expr.Binary) -> Node:
        op, left, right = expression.op, expression.left, expression.right
        one, other = self.node(left), self.node(right)
        if op in expr.LOGICAL:
            truths = (self.operations.truth(one, left.type), self.operations.truth(other, right.type))
            return both_or_either(op, *truths)
        if op in expr.COMPARISONS:
            return self.operations.compared(op, one, other, left.type)
        return self.operations.binary(op, one, other, expression.type, expression.span)

    def _variable(self, name: str) -> Node:
        if name in self.arguments.iterators:
            return Node(Argument(name), (), self.arguments.iterators[name], name)
        return Node(Stable(name), (), self.stable[name], name)

    def _fetched(self, position: int, access: Access) -> Node:
        """The word that a read brings; reads of the same subscripts share it."""
        if access.array in self.stable:
            return Node(Stable(access.array), (), self.stable[access.array], access.array)
        if position in self.arguments.words:
            return Node(Argument(self.arguments.words[position]), (), self.stores[access.array].type, access.array)
        key = (access.array, access.subscripts)
        if key not in self.words:
            store = self.stores[access.array]
            inputs = (self.address(position, access),) if store.depth else ()
            self.words[key] = Node(Fetch(access.array, access.exact), inputs, store.type, access.array)
            self.fetches[position] = self.words[key]
        return self.words[key]

    def address(self, position: int, access: Access) -> Node:
        """The address of an element: an argument, or computed from what was read."""
        if position in self.arguments.addresses:
            name, type = self.arguments.addresses[position]
            return Node(Argument(name), (), type, name)
        store = self.stores[access.array]
        place = self.node(store.address(access.subscripts))
        return place if store.copies == 1 else in_copy(place, unsigned(address_width(store.depth // store.copies)))


def in_copy(place: Node, type: Bits) -> Node:
    """The address of a word in the copy that is in use, of a memory with two."""
    copy = Node(Stable(COPY), (), bit, COPY)
    return logic("address", 0.0, lambda above, below: cat(above, below.wrapped(type)), copy, place)
