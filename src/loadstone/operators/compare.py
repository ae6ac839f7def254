"""Floating-point comparisons, minimum and maximum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

from loadstone.operators import significands
from loadstone.operators.formats import Float
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.rtl import Signal, Value, cat, mux

Relation = Literal["eq", "ne", "lt", "le", "gt", "ge"]
_SYMBOLS: dict[Relation, str] = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@dataclass(frozen=True, slots=True, eq=False)
class _Ordered:
    """An operand of a comparison; subnormal numbers are zeros where they are flushed."""

    sign: Signal
    magnitude: Signal
    is_nan: Signal

    @property
    def bits(self) -> Value:
        """Sign and magnitude."""
        return cat(self.sign, self.magnitude)


@shared
def make_compare(format: Float, relation: Relation, *, subnormals: bool = True) -> Operator:
    """Whether a and b are in a relation, as in C: with a NaN only `ne` holds, and 0 equals -0."""
    comment = f"a {_SYMBOLS[relation]} b in {format.name} precision."
    p = Pipeline(significands.operator_name(format, f"is_{relation}", subnormals), comment)
    p.stage("Compare.")
    a, b = (_ordered(p, format, name, subnormals) for name in ("a", "b"))
    ordered = p.wire("ordered", ~(a.is_nan | b.is_nan))
    zeros = p.wire("zeros", ~(a.magnitude | b.magnitude).any())
    equal = p.wire("equal", zeros | (a.bits == b.bits))
    below = p.wire("below", ~equal & _less(a, b))
    return p.finished(_holds(relation, ordered, equal, below))


@shared
def make_minimum(format: Float, *, subnormals: bool = True) -> Operator:
    """The lesser of a and b, as C's fmin: the other one where one is NaN; -0 is less than 0."""
    return _make_choice(format, "minimum", subnormals)


@shared
def make_maximum(format: Float, *, subnormals: bool = True) -> Operator:
    """The greater of a and b, as C's fmax: the other one where one is NaN; 0 is greater than -0."""
    return _make_choice(format, "maximum", subnormals)


def _make_choice(format: Float, operation: Literal["minimum", "maximum"], subnormals: bool) -> Operator:
    p = Pipeline(
        significands.operator_name(format, operation, subnormals),
        f"The {operation} of a and b in {format.name} precision.",
    )
    p.stage("Compare.")
    a, b = (_ordered(p, format, name, subnormals) for name in ("a", "b"))
    less = p.wire("less", _less(a, b))
    first = p.wire("first", less if operation == "minimum" else ~less)
    p.stage("Choose.")
    take_a = p.wire("take_a", ~a.is_nan & (b.is_nan | first))
    return p.finished(mux(a.is_nan & b.is_nan, format.nan, mux(take_a, a.bits, b.bits)))


def _ordered(p: Pipeline, format: Float, name: str, subnormals: bool) -> _Ordered:
    """A new operand in the form in which it is compared."""
    operand = p.operand(name, format.type)
    magnitude = operand[:-1]
    if not subnormals:
        is_normal = p.wire(f"{name}_is_normal", operand[format.fraction_bits : -1].any())
        magnitude = mux(is_normal, magnitude, 0)
    return _Ordered(
        p.wire(f"{name}_sign", operand[-1]),
        p.wire(f"{name}_magnitude", magnitude),
        p.wire(f"{name}_is_nan", operand[:-1] > format.infinity),
    )


def _less(a: _Ordered, b: _Ordered) -> Value:
    """Whether a comes before b in the order of numbers, where -0 comes before 0."""
    same_sign = mux(a.sign, b.magnitude < a.magnitude, a.magnitude < b.magnitude)
    return mux(a.sign ^ b.sign, a.sign, same_sign)


def _holds(relation: Relation, ordered: Signal, equal: Signal, below: Signal) -> Value:
    match relation:
        case "eq":
            return ordered & equal
        case "ne":
            return ~(ordered & equal)
        case "lt":
            return ordered & below
        case "le":
            return ordered & (below | equal)
        case "gt":
            return ordered & ~(below | equal)
        case "ge":
            return ordered & ~below
        case _:
            assert_never(relation)
