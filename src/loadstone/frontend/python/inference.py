"""The types of expressions before they are built: what Python's operators mean depends on them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import assert_never

from loadstone.frontend import syntax
from loadstone.frontend.scopes import names_in
from loadstone.model.expression import COMPARISONS, LOGICAL, SHIFTS
from loadstone.model.functions import SIGNATURES
from loadstone.model.types import BOOL, INT, ScalarType, common_type, promoted


@dataclass(frozen=True, slots=True)
class Inference:
    """Tells the types of expressions over declared names, iterators and helper functions."""

    symbols: Mapping[str, syntax.Symbol]
    iterators: Mapping[str, ScalarType]
    functions: Mapping[str, ScalarType]
    untyped: Set[str] = frozenset()

    def type_of(self, node: syntax.Expr) -> ScalarType:
        """The type of an expression, by the conversions of C."""
        match node:
            case syntax.Literal(type=kind) | syntax.Conversion(type=kind):
                return kind
            case syntax.Name(id=name) | syntax.Subscript(base=name):
                return self.symbols[name].type if name in self.symbols else self.iterators.get(name, INT)
            case syntax.UnaryOp(op="!"):
                return INT
            case syntax.UnaryOp(operand=operand):
                return promoted(self.type_of(operand))
            case syntax.BinaryOp(op=op) if op in COMPARISONS or op in LOGICAL:
                return INT
            case syntax.BinaryOp(op=op, left=left) if op in SHIFTS:
                return promoted(self.type_of(left))
            case syntax.BinaryOp(left=left, right=right) | syntax.Conditional(then=left, otherwise=right):
                return common_type(self.type_of(left), self.type_of(right))
            case syntax.Invocation(function=name):
                return self.functions[name] if name in self.functions else SIGNATURES[name][1]
            case _:
                assert_never(node)

    def are_integers(self, *nodes: syntax.Expr) -> bool:
        """Whether all of these have integer types."""
        return all(self.type_of(node).is_integer for node in nodes)

    def has_fraction(self, node: syntax.Expr) -> bool:
        """Whether the type is known, and is a floating-point one."""
        return not self.are_integers(node) and not names_in(node) & self.untyped

    def is_truth(self, node: syntax.Expr) -> bool:
        """Whether the value can only be true or false."""
        match node:
            case syntax.BinaryOp(op=op):
                return op in COMPARISONS or op in LOGICAL
            case syntax.UnaryOp(op="!"):
                return True
            case _:
                return self.type_of(node) == BOOL
