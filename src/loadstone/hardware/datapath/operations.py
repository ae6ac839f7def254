"""C's operators on nodes of dataflow graphs: integers, fixed point, and floating point."""

from __future__ import annotations

from dataclasses import dataclass

from loadstone import operators
from loadstone.errors import Span
from loadstone.hardware.datapath.arithmetic import (
    CHOICE,
    COMPARE,
    COMPARISON,
    GATE,
    NAMES,
    SUM,
    fitted,
    fixed,
    fixed_point,
    in_range,
    integer,
    selected,
    unsupported,
    whole,
)
from loadstone.hardware.datapath.dataflow import Node, known, logic, operated
from loadstone.hardware.datapath.functions import MakeFloat, float_of, operator_of
from loadstone.hardware.words import bits_of, encoded, format_of
from loadstone.model.functions import generic
from loadstone.model.types import BOOL, ScalarType
from loadstone.operators.compare import Relation
from loadstone.rtl.conditions import mux
from loadstone.rtl.types import bit, signed

_RELATIONS: dict[str, Relation] = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_FLOATS: dict[str, MakeFloat] = {
    "+": operators.make_add,
    "-": operators.make_subtract,
    "*": operators.make_multiply,
    "/": operators.make_divide,
}


def unary(op: str, node: Node, kind: ScalarType) -> Node:
    """`-x`, `~x` or `units x` of a type."""
    if op == "units":
        bits = bits_of(kind)
        return node if node.type == bits else logic("units", 0, lambda a: a.wrapped(bits), node)
    if kind.kind == "float":
        return operated("negative", operators.make_negate(float_of(kind)), node)
    if op == "-":
        return logic("negative", SUM + GATE * kind.is_fixed, lambda a: in_range(-a, kind), node)
    return logic("inverse", GATE, lambda a: ~a.wrapped(bits_of(kind)), node)


@dataclass(frozen=True, slots=True)
class Operations:
    """C's operators. Without `subnormals`, floating-point numbers below the least normal one are taken for 0."""

    subnormals: bool = True

    def truth(self, node: Node, kind: ScalarType) -> Node:
        """Whether a value is not zero."""
        if kind.kind == "float":
            return self.compared("!=", node, known(0, bits_of(kind)), kind)
        return node if node.type == bit else logic("is_true", COMPARISON, lambda a: a != 0, node)

    def converted(self, node: Node, source: ScalarType, target: ScalarType) -> Node:
        """The value converted from one C type to another."""
        if target == BOOL:
            return self.truth(node, source)
        match source.kind, target.kind:
            case "int", "int":
                return fitted(node, bits_of(target))
            case "int" | "fixed", "float":
                return self._real(node, source, target)
            case "float", "int":
                wide = bits_of(target) if target.bits >= 32 else signed(32)
                return fitted(
                    operated("whole", operators.make_to_integer(float_of(source), wide), node), bits_of(target)
                )
            case "float", "float":
                operator = operators.make_convert(float_of(source), float_of(target), subnormals=self.subnormals)
                return node if source.bits == target.bits else operated("real", operator, node)
            case "fixed", "int":
                return whole(node, source, bits_of(target))
            case "int" | "fixed", "fixed":
                return fixed_point(node, source, target)
            case _:
                operator = operators.make_fixed_from_float(
                    float_of(source), format_of(target), rounding=target.rounding, overflow=target.overflow
                )
                return operated("converted", operator, node)

    def _real(self, node: Node, source: ScalarType, target: ScalarType) -> Node:
        """An integer or fixed-point number in floating point: the units, then exactly their share."""
        units = operated("real", operators.make_from_integer(node.type, float_of(target)), node)
        if not source.fraction:
            return units
        share = known(encoded(2.0**-source.fraction, target), bits_of(target))
        return operated("share", operators.make_multiply(float_of(target), subnormals=self.subnormals), units, share)

    def compared(self, op: str, left: Node, right: Node, kind: ScalarType) -> Node:
        """A comparison of two values of a C type."""
        if kind.kind == "float":
            operator = operators.make_compare(float_of(kind), _RELATIONS[op], subnormals=self.subnormals)
            return operated(f"is_{_RELATIONS[op]}", operator, left, right)
        return logic(f"is_{_RELATIONS[op]}", COMPARISON, COMPARE[op], left, right)

    def extremum(self, op: str, left: Node, right: Node, kind: ScalarType) -> Node:
        """The left value where it is the smaller (or greater) one, else the right one."""
        return selected(self.compared("<" if op == "min" else ">", left, right, kind), left, right)

    def binary(self, op: str, left: Node, right: Node, kind: ScalarType, span: Span | None) -> Node:
        """An arithmetic operator on two values of a C type."""
        if op in ("min", "max"):
            return self.extremum(op, left, right, kind)
        if kind.kind == "float":
            return operated(NAMES[op], _FLOATS[op](float_of(kind), subnormals=self.subnormals), left, right)
        if kind.is_fixed:
            return fixed(op, left, right, kind)
        return integer(op, left, right, bits_of(kind), span)

    def called(self, function: str, arguments: tuple[Node, ...], kind: ScalarType, span: Span | None) -> Node:
        """A call of a library function."""
        if kind.is_integer:
            (operand,) = arguments
            return logic("magnitude", SUM + CHOICE, lambda a: in_range(mux(a < 0, -a, a), kind), operand)
        operator = operator_of(function, self.subnormals)
        if operator is None:
            raise unsupported(f"the function '{function}'", span)
        return operated(generic(function), operator, *arguments)
