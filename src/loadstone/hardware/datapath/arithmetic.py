"""Integers and fixed point on nodes of dataflow graphs, as C has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from loadstone.errors import Diagnostic, Span, UnsupportedError
from loadstone.hardware.datapath.dataflow import Node, logic, operated
from loadstone.hardware.words import bits_of, format_of
from loadstone.loops.division import is_power_of_two
from loadstone.model.types import ScalarType
from loadstone.operators import (
    Fixed,
    make_fixed_convert,
    make_fixed_divide,
    make_fixed_multiply,
    make_integer_divide,
    make_integer_modulo,
    make_integer_multiply,
)
from loadstone.operators.integer import BLOCK
from loadstone.rtl.conditions import mux
from loadstone.rtl.expressions import Value
from loadstone.rtl.types import Bits, address_width, common_type, unsigned

SUM, COMPARISON, SHIFT, CHOICE, GATE = 0.6, 0.5, 0.5, 0.2, 0.1
"""The parts of a cycle that operations without registers take, about those of 32 bits."""


_GATES: dict[str, Callable[[Value, Value], Value]] = {
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}
COMPARE: dict[str, Callable[[Value, Value], Value]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def whole(node: Node, source: ScalarType, bits: Bits) -> Node:
    """A fixed-point number without its fraction."""
    last = (1 << source.fraction) - 1

    def cut(a: Value) -> Value:
        return _wrapped((mux(a < 0, a + last, a) if last else a) >> source.fraction, bits)

    return logic("whole", SUM + CHOICE, cut, node)


def fixed_point(node: Node, source: ScalarType, target: ScalarType) -> Node:
    """An integer or fixed-point number in another fixed-point type."""
    given = Fixed(node.type.width, source.fraction, node.type.signed)
    operator = make_fixed_convert(given, format_of(target), rounding=target.rounding, overflow=target.overflow)
    return node if given == format_of(target) else operated("converted", operator, node)


def negated(node: Node) -> Node:
    """`!x` of a truth value."""
    return logic("is_false", GATE, lambda a: ~a, node)


def both_or_either(op: str, left: Node, right: Node) -> Node:
    """`&&` or `||` of truth values."""
    return logic("both" if op == "&&" else "either", GATE, _GATES[op[0]], left, right)


def selected(condition: Node, then: Node, otherwise: Node) -> Node:
    """One of two values."""
    return logic("choice", CHOICE, mux, condition, then, otherwise)


NAMES = {"+": "sum", "-": "difference", "*": "product", "/": "quotient"}


def fixed(op: str, left: Node, right: Node, kind: ScalarType) -> Node:
    """An operator on units of a fixed-point type; sums need no rounding."""
    match op:
        case "+":
            return logic("sum", SUM + GATE, lambda a, b: in_range(a + b, kind), left, right)
        case "-":
            return logic("difference", SUM + GATE, lambda a, b: in_range(a - b, kind), left, right)
        case _:
            make = make_fixed_multiply if op == "*" else make_fixed_divide
            form = format_of(kind)
            operator = make(form, form, form, rounding=kind.rounding, overflow=kind.overflow)
            return operated(NAMES[op], operator, left, right)


def in_range(value: Value, kind: ScalarType) -> Value:
    """The value brought into the range of a type."""
    bits = bits_of(kind)
    if bits.includes(value.bits) or kind.overflow == "wrap":
        return _wrapped(value, bits)
    return mux(value > bits.maximum, bits.maximum, mux(value < bits.minimum, bits.minimum, value.wrapped(bits)))


def integer(op: str, left: Node, right: Node, bits: Bits, span: Span | None) -> Node:
    """An operator on integers, modulo the bits of their type."""
    match op:
        case "+":
            return logic("sum", SUM, lambda a, b: _wrapped(a + b, bits), left, right)
        case "-":
            return logic("difference", SUM, lambda a, b: _wrapped(a - b, bits), left, right)
        case "*":
            return _product(left, right, bits)
        case "<<" | ">>":
            return _shifted(op, left, right, bits)
        case "&" | "|" | "^":
            return logic("gates", GATE, _GATES[op], left, right)
        case "/" | "%" | "floordiv" | "mod":
            return _divided(op, left, right, bits)
        case _:
            raise unsupported(f"the operator '{op}'", span)


def unsupported(what: str, span: Span | None) -> UnsupportedError:
    """The error for what hardware cannot do."""
    return UnsupportedError(Diagnostic(f"hardware cannot do {what}", span, "compute it outside of the kernel"))


def _product(left: Node, right: Node, bits: Bits) -> Node:
    if left.constant is not None:
        left, right = right, left
    factor = right.constant
    if factor == 0:
        return right
    if factor is not None and is_power_of_two(factor):
        return logic("product", 0, lambda a: _wrapped(a << (factor.bit_length() - 1), bits), left)
    exact = Bits(left.type.width + right.type.width, left.type.signed or right.type.signed)
    result = exact if bits.includes(exact) else bits
    stages = 2 if max(left.type.width, right.type.width) <= BLOCK else 3
    return operated("product", make_integer_multiply(left.type, right.type, result, stages=stages), left, right)


def _shifted(op: str, left: Node, right: Node, bits: Bits) -> Node:
    """A shift; amounts count modulo the width, as processors do it."""
    amount = unsigned(address_width(bits.width))
    if right.constant is not None:
        places = amount.wrap(right.constant)
        return logic("shifted", 0, lambda a: _wrapped(a << places if op == "<<" else a >> places, bits), left)
    if op == "<<":
        return logic("shifted", SHIFT, lambda a, b: a.wrapped(bits) << b.wrapped(amount), left, right)
    return logic("shifted", SHIFT, lambda a, b: a >> b.wrapped(amount), left, right)


def _divided(op: str, left: Node, right: Node, bits: Bits) -> Node:
    common = common_type(left.type, right.type)
    wide = Bits(min(common.width + common.signed, bits.width), common.signed)
    if right.constant is not None and is_power_of_two(right.constant) and right.constant > 1:
        return _divided_by_power(op, fitted(left, wide), right.constant.bit_length() - 1)
    rounding: Literal["floor", "truncate"] = "floor" if op in ("floordiv", "mod") else "truncate"
    make = make_integer_divide if op in ("/", "floordiv") else make_integer_modulo
    operator = make(wide, rounding=rounding)
    return operated("ratio", operator, fitted(left, wide), fitted(right, wide))


def _divided_by_power(op: str, left: Node, places: int) -> Node:
    """Quotient or rest of a division by `1 << places`: a shift, or the low bits; what is negative is corrected."""
    below, kept = (1 << places) - 1, unsigned(places)
    is_signed = left.type.signed and op in ("/", "%")
    delay = SUM + CHOICE if is_signed else 0
    match op:
        case "/" if is_signed:
            return logic("ratio", delay, lambda a: mux(a < 0, a + below, a) >> places, left)
        case "%" if is_signed:
            return logic("rest", delay, lambda a: mux(a < 0, -(-a).wrapped(kept), a.wrapped(kept)), left)
        case "/" | "floordiv":
            return logic("ratio", delay, lambda a: a >> places, left)
        case _:
            return logic("rest", delay, lambda a: a.wrapped(kept), left)


def fitted(node: Node, bits: Bits) -> Node:
    """The value of a type that equals it modulo 2^width, as it is if it belongs to the type."""
    return node if bits.includes(node.type) else logic("low", 0, lambda a: a.wrapped(bits), node)


def _wrapped(value: Value, bits: Bits) -> Value:
    return value if bits.includes(value.bits) else value.wrapped(bits)
