"""Expressions of loop trees as hardware."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from loadstone.errors import Diagnostic, InputError, UnsupportedError
from loadstone.hardware.control.ranged import (
    Ranged,
    chosen,
    compared,
    difference,
    low_part,
    multiple,
    number,
    reciprocal_quotient,
    shifted_down,
    total,
)
from loadstone.hardware.names import Names
from loadstone.loops.division import is_power_of_two
from loadstone.model.expression import (
    COMPARISONS,
    LOGICAL,
    Binary,
    Call,
    Cast,
    Constant,
    Expression,
    Operand,
    Select,
    Unary,
    Variable,
    walk,
)
from loadstone.rtl.expressions import Const, Signal, Value

Term = tuple[str, int]
"""A variable and its factor."""


@dataclass(frozen=True, slots=True, eq=False)
class Steady:
    """Values of parameters that do not change, and registers for what is computed of them alone."""

    names: Names
    values: Mapping[Term, Ranged]
    registers: dict[Expression, Ranged] = field(default_factory=dict[Expression, Ranged])

    def holds(self, expression: Expression) -> bool:
        """Whether an expression is computed of parameters alone."""
        used = {(part.name, 1) for part in walk(expression) if isinstance(part, Variable)}
        return bool(used) and used <= set(self.values) and not isinstance(expression, Variable)

    def value(self, expression: Expression) -> Ranged:
        """The number that an expression was in the cycle before."""
        if expression not in self.registers:
            found = Arithmetic(self.names, self.values, "steady_part").value(expression)
            if not isinstance(found.value, Const):
                found = replace(found, value=self.names.module.stored(self.names.fresh("steady"), found.value))
            self.registers[expression] = found
        return self.registers[expression]


@dataclass(frozen=True, slots=True, eq=False)
class Arithmetic:
    """Where variables, and multiples of them that are at hand, come from, and where helping wires go.

    `wish` is how helping wires want to be called. What is computed of parameters alone comes from `steady`, if it is
    there.
    """

    names: Names
    values: Mapping[Term, Ranged]
    wish: str
    steady: Steady | None = None

    def value(self, expression: Expression) -> Ranged:
        """The number that an expression is."""
        if self.steady is not None and self.steady.holds(expression):
            return self.steady.value(expression)
        match expression:
            case Constant(value=int(value)):
                return number(value)
            case Variable(name=name):
                return self._variable(name)
            case Cast(operand=operand):
                return self.value(operand)
            case Unary(op="-", operand=operand):
                return difference(number(0), self.value(operand))
            case Select(condition=condition, then=then, otherwise=otherwise):
                return chosen(self.condition(condition), self.value(then), self.value(otherwise))
            case Binary(op=op) if op not in COMPARISONS | LOGICAL:
                return self._operation(expression)
            case Unary(op="!") | Binary():
                return Ranged(self.condition(expression), 0, 1)
            case Unary() | Call() | Operand() | Constant():
                raise _unsupported()
            case _:
                assert_never(expression)

    def condition(self, expression: Expression) -> Value:
        """Whether an expression is not zero."""
        if self.steady is not None and self.steady.holds(expression):
            return compared("!=", self.steady.value(expression), number(0))
        match expression:
            case Unary(op="!", operand=operand):
                return ~self.condition(operand)
            case Binary(op="&&", left=left, right=right):
                return self.condition(left) & self.condition(right)
            case Binary(op="||", left=left, right=right):
                return self.condition(left) | self.condition(right)
            case Binary(
                op="==", left=Binary(op="%", left=left, right=Constant(value=int(divisor))), right=Constant(value=0)
            ):
                return compared("==", self._remainder(self.value(left), divisor), number(0))
            case Binary(op=op, left=left, right=right) if op in COMPARISONS:
                return compared(op, self.value(left), self.value(right))
            case _:
                return compared("!=", self.value(expression), number(0))

    def named(self, value: Ranged) -> Ranged:
        """The number as a wire, if it is none yet."""
        if isinstance(value.value, Signal | Const):
            return value
        return Ranged(self.names.wire(self.wish, value.value), value.low, value.high)

    def _variable(self, name: str) -> Ranged:
        if (name, 1) not in self.values:
            raise InputError(Diagnostic(f"parameter '{name}' has no range"))
        return self.values[name, 1]

    def _operation(self, expression: Binary) -> Ranged:
        left, right = expression.left, expression.right
        match expression.op:
            case "+":
                return total(self.value(left), self.value(right))
            case "-":
                return difference(self.value(left), self.value(right))
            case "*":
                return self._product(left, right)
            case "min" | "max" as op:
                return self._extremum(op, self.value(left), self.value(right))
            case op:
                return self._division(op, self.value(left), self.value(right).constant)

    def _product(self, left: Expression, right: Expression) -> Ranged:
        match left, right:
            case Constant(value=int(factor)), Variable(name=name):
                found = self.values.get((name, factor))
                return multiple(self._variable(name), factor) if found is None else found
            case Constant(value=int(factor)), _:
                return multiple(self.named(self.value(right)), factor)
            case _, Constant():
                return self._product(right, left)
            case _:
                raise _unsupported()

    def _extremum(self, op: str, left: Ranged, right: Ranged) -> Ranged:
        first, second = (left, right) if op == "min" else (right, left)
        if first.high <= second.low:
            return left
        if second.high <= first.low:
            return right
        left, right = self.named(left), self.named(right)
        found = chosen(compared("<=" if op == "min" else ">=", left, right), left, right)
        best = min if op == "min" else max
        return Ranged(found.value, best(left.low, right.low), best(left.high, right.high))

    def _division(self, op: str, dividend: Ranged, divisor: int | None) -> Ranged:
        if divisor is None or divisor <= 0:
            raise _unsupported()
        match op:
            case "floordiv":
                return self._quotient(dividend, divisor)
            case "mod":
                return self._remainder(dividend, divisor)
            case "/":
                return self._truncated(dividend, divisor)
            case "%" if dividend.low >= 0:
                return self._remainder(dividend, divisor)
            case "%":
                dividend = self.named(dividend)
                return difference(dividend, multiple(self._truncated(dividend, divisor), divisor))
            case _:
                raise _unsupported()

    def _quotient(self, dividend: Ranged, divisor: int) -> Ranged:
        """The quotient rounded down. A range that goes below zero is moved up before, and back down afterwards."""
        if dividend.low // divisor == dividend.high // divisor:
            return number(dividend.low // divisor)
        if is_power_of_two(divisor):
            return shifted_down(dividend, divisor)
        lift = max(0, -(dividend.low // divisor))
        lifted = self.named(total(dividend, number(lift * divisor)))
        return difference(reciprocal_quotient(lifted, divisor), number(lift))

    def _truncated(self, dividend: Ranged, divisor: int) -> Ranged:
        """The quotient rounded towards zero, as C has it."""
        if dividend.low >= 0:
            return self._quotient(dividend, divisor)
        dividend = self.named(dividend)
        negative = difference(number(0), dividend)
        below = difference(number(0), self._quotient(negative, divisor))
        return chosen(compared("<", dividend, number(0)), below, self._quotient(dividend, divisor))

    def _remainder(self, dividend: Ranged, divisor: int) -> Ranged:
        """The remainder that is not negative."""
        if is_power_of_two(divisor):
            return low_part(dividend, divisor)
        dividend = self.named(dividend)
        found = difference(dividend, multiple(self.named(self._quotient(dividend, divisor)), divisor))
        return Ranged(found.value.wrapped(number(divisor - 1).value.bits), 0, divisor - 1)


def _unsupported() -> UnsupportedError:
    hint = "a loop controller adds, compares, and multiplies and divides by numbers"
    return UnsupportedError(Diagnostic("the loops need more arithmetic than a loop controller has", None, hint))
