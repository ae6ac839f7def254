"""Expressions of loop trees as hardware."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import assert_never

from loadstone.errors import Diagnostic, InputError, UnsupportedError
from loadstone.hardware.control import ranged
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
    binary,
    integer,
    walk,
)
from loadstone.model.tidy import tidy
from loadstone.rtl.expressions import Const, Signal, Value

Term = tuple[str, int]
"""A variable and its factor."""


@dataclass(frozen=True, slots=True, eq=False)
class Steady:
    """Values that do not change, and registers for what is computed of them alone.

    They are there for `cycles` before they are used: values of parameters, or those of counters around a loop with
    registers above it. What is computed of values of `earlier` ones comes from the registers of these.
    """

    names: Names
    values: Mapping[Term, ranged.Ranged]
    cycles: int = 1
    earlier: tuple[Steady, ...] = ()
    registers: dict[Expression, ranged.Ranged] = field(default_factory=dict[Expression, ranged.Ranged])

    def knows(self, expression: Expression) -> bool:
        """Whether an expression does not change."""
        return all((part.name, 1) in self.values for part in walk(expression) if isinstance(part, Variable))

    def holds(self, expression: Expression) -> bool:
        """Whether there is a register for an expression: it does not change, and is neither a number nor a variable."""
        is_computed = any(isinstance(part, Variable) for part in walk(expression))
        return is_computed and not isinstance(expression, Variable) and self.knows(expression)

    def value(self, expression: Expression) -> ranged.Ranged:
        """The number that an expression was some cycles before."""
        if expression not in self.registers:
            found = Arithmetic(self.names, self.values, "steady_part", self.earlier).value(expression)
            if not isinstance(found.value, Const):
                found = replace(found, value=self._stored(found.value))
            self.registers[expression] = found
        return self.registers[expression]

    def _stored(self, value: Value) -> Value:
        for _ in range(self.cycles):
            value = self.names.module.stored(self.names.fresh("steady"), value)
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Arithmetic:
    """Where variables, and multiples of them that are at hand, come from, and where helping wires go.

    `wish` is how helping wires want to be called. What is computed of values that do not change comes from the first of
    `steady` that has a register for it.
    """

    names: Names
    values: Mapping[Term, ranged.Ranged]
    wish: str
    steady: tuple[Steady, ...] = ()

    def value(self, expression: Expression) -> ranged.Ranged:
        """The number that an expression is."""
        steady = self._register(expression)
        if steady is not None:
            return steady
        match expression:
            case Constant(value=int(value)):
                return ranged.number(value)
            case Variable(name=name):
                return self._variable(name)
            case Cast(operand=operand):
                return self.value(operand)
            case Unary(op="-", operand=operand):
                return ranged.difference(ranged.number(0), self.value(operand))
            case Select(condition=condition, then=then, otherwise=otherwise):
                holds = self._condition_part(condition, "")
                return ranged.chosen(holds, self.value(then), self._alternative(otherwise))
            case Binary(op=op) if op not in COMPARISONS | LOGICAL:
                return self._operation(expression)
            case Unary(op="!") | Binary():
                return ranged.Ranged(self.condition(expression), 0, 1)
            case Unary() | Call() | Operand() | Constant():
                raise _unsupported()
            case _:
                assert_never(expression)

    def condition(self, expression: Expression) -> Value:
        """Whether an expression is not zero."""
        steady = self._register(expression)
        if steady is not None:
            return ranged.compared("!=", steady, ranged.number(0))
        match expression:
            case Unary(op="!", operand=operand):
                return ~self.condition(operand)
            case Binary(op="&&", left=left, right=right):
                return self._condition_part(left, "&&") & self._condition_part(right, "&&")
            case Binary(op="||", left=left, right=right):
                return self._condition_part(left, "||") | self._condition_part(right, "||")
            case Binary(
                op="==", left=Binary(op="%", left=left, right=Constant(value=int(divisor))), right=Constant(value=0)
            ):
                return ranged.compared("==", self._remainder(self.value(left), divisor), ranged.number(0))
            case Binary(op=op, left=left, right=right) if op in COMPARISONS:
                return ranged.compared(op, self.value(left), self.value(right))
            case _:
                return ranged.compared("!=", self.value(expression), ranged.number(0))

    def _condition_part(self, expression: Expression, op: str) -> Value:
        """A condition in another one, as a wire if it is of several with another operator."""
        value = self.condition(expression)
        match expression:
            case Binary(op="&&" | "||" as inner) if inner != op:
                return self.names.named(self.wish, value)
            case _:
                return value

    def _alternative(self, expression: Expression) -> ranged.Ranged:
        """The number where a condition does not hold, as a wire if it depends on another one."""
        value = self.value(expression)
        return self.named(value) if isinstance(expression, Select) else value

    def _register(self, expression: Expression) -> ranged.Ranged | None:
        """The register for an expression, if there is one."""
        return next((each.value(expression) for each in self.steady if each.holds(expression)), None)

    def named(self, value: ranged.Ranged) -> ranged.Ranged:
        """The number as a wire, if it is none yet."""
        if isinstance(value.value, Signal | Const):
            return value
        return ranged.Ranged(self.names.wire(self.wish, value.value), value.low, value.high)

    def _variable(self, name: str) -> ranged.Ranged:
        if (name, 1) not in self.values:
            raise InputError(Diagnostic(f"parameter '{name}' has no range"))
        return self.values[name, 1]

    def _operation(self, expression: Binary) -> ranged.Ranged:
        left, right = expression.left, expression.right
        match expression.op:
            case "+" | "-" if (parts := self._parted(expression)) is not None:
                changing, steady = parts
                return ranged.total(self.value(changing), self.value(steady))
            case "+":
                return ranged.total(self.value(left), self.value(right))
            case "-":
                return ranged.difference(self.value(left), self.value(right))
            case "*":
                return self._product(left, right)
            case "min" | "max" as op:
                return self._extremum(op, self.value(left), self.value(right))
            case op:
                return self._division(op, self.value(left), self.value(right).constant)

    def _parted(self, expression: Expression) -> tuple[Expression, Expression] | None:
        """A sum as two: of what changes, and of several terms that do not; None where that is of no use."""
        changing: list[tuple[int, Expression]] = []
        steady: list[tuple[int, Expression]] = []
        for sign, term in _signed(expression) if self.steady else ():
            (steady if self.steady[-1].knows(term) else changing).append((sign, term))
        if len(steady) < 2 or not changing or all(isinstance(term, Constant) for _, term in steady):
            return None
        return _summed(changing), _summed(steady)

    def _product(self, left: Expression, right: Expression) -> ranged.Ranged:
        match left, right:
            case Constant(value=int(factor)), Variable(name=name):
                found = self.values.get((name, factor))
                return ranged.multiple(self._variable(name), factor) if found is None else found
            case Constant(value=int(factor)), _:
                return ranged.multiple(self.named(self.value(right)), factor)
            case _, Constant():
                return self._product(right, left)
            case _:
                raise _unsupported()

    def _extremum(self, op: str, left: ranged.Ranged, right: ranged.Ranged) -> ranged.Ranged:
        first, second = (left, right) if op == "min" else (right, left)
        if first.high <= second.low:
            return left
        if second.high <= first.low:
            return right
        left, right = self.named(left), self.named(right)
        found = ranged.chosen(ranged.compared("<=" if op == "min" else ">=", left, right), left, right)
        best = min if op == "min" else max
        return ranged.Ranged(found.value, best(left.low, right.low), best(left.high, right.high))

    def _division(self, op: str, dividend: ranged.Ranged, divisor: int | None) -> ranged.Ranged:
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
                return ranged.difference(dividend, ranged.multiple(self._truncated(dividend, divisor), divisor))
            case _:
                raise _unsupported()

    def _quotient(self, dividend: ranged.Ranged, divisor: int) -> ranged.Ranged:
        """The quotient rounded down. A range that goes below zero is moved up before, and back down afterwards."""
        if dividend.low // divisor == dividend.high // divisor:
            return ranged.number(dividend.low // divisor)
        if is_power_of_two(divisor):
            return ranged.shifted_down(dividend, divisor)
        lift = max(0, -(dividend.low // divisor))
        lifted = self.named(ranged.total(dividend, ranged.number(lift * divisor)))
        return ranged.difference(ranged.reciprocal_quotient(lifted, divisor), ranged.number(lift))

    def _truncated(self, dividend: ranged.Ranged, divisor: int) -> ranged.Ranged:
        """The quotient rounded towards zero, as C has it."""
        if dividend.low >= 0:
            return self._quotient(dividend, divisor)
        dividend = self.named(dividend)
        negative = ranged.difference(ranged.number(0), dividend)
        below = ranged.difference(ranged.number(0), self._quotient(negative, divisor))
        return ranged.chosen(ranged.compared("<", dividend, ranged.number(0)), below, self._quotient(dividend, divisor))

    def _remainder(self, dividend: ranged.Ranged, divisor: int) -> ranged.Ranged:
        """The remainder that is not negative."""
        if is_power_of_two(divisor):
            return ranged.low_part(dividend, divisor)
        dividend = self.named(dividend)
        found = ranged.difference(dividend, ranged.multiple(self.named(self._quotient(dividend, divisor)), divisor))
        return ranged.Ranged(found.value.wrapped(ranged.number(divisor - 1).value.bits), 0, divisor - 1)


def _signed(expression: Expression, sign: int = 1) -> Iterator[tuple[int, Expression]]:
    """The terms of a sum, with their signs."""
    match expression:
        case Binary(op="+" | "-" as op, left=left, right=right):
            yield from _signed(left, sign)
            yield from _signed(right, sign if op == "+" else -sign)
        case _:
            yield sign, expression


def _summed(parts: Iterable[tuple[int, Expression]]) -> Expression:
    """The sum of terms with signs."""
    return tidy(reduce(lambda total, part: binary("+" if part[0] > 0 else "-", total, part[1]), parts, integer(0)))


def _unsupported() -> UnsupportedError:
    hint = "a loop controller adds, compares, and multiplies and divides by numbers"
    return UnsupportedError(Diagnostic("the loops need more arithmetic than a loop controller has", None, hint))
