"""How far floating-point results may be from those of real numbers: running error analysis.

Each value carries a bound on its distance from what real arithmetic gives for the same inputs. An operation adds up the
bounds of its operands, as its derivative passes them on, and u = 2^-p of its own result (p bits of precision) [Higham,
Accuracy and Stability of Numerical Algorithms, 3.3]. For a sum of n terms this is at most about (n - 1) u times the sum
of their magnitudes. Two orders of the same reductions have the same value in real arithmetic, so that their results
differ by at most the sum of their bounds. What depends on a comparison that rounding could turn has no bound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, assert_never

from loadstone.model import expression as expr
from loadstone.model.evaluate import convert, evaluate
from loadstone.model.kernel import Access, Kernel, Statement
from loadstone.model.types import Number, ScalarType
from loadstone.simulate.interpreter import instances_in_order
from loadstone.simulate.memory import Memory

_PRECISION = {32: 24, 64: 53}
_LEAST = {32: 2.0**-149, 64: 2.0**-1074}


class Bounded(NamedTuple):
    """A value, and how far it may be from that of real arithmetic."""

    value: Number
    error: float = 0.0


Errors = dict[str, dict[tuple[int, ...], float]]
"""For each array, the bounds of elements that have one other than zero."""


def rounding_errors(kernel: Kernel, parameters: Mapping[str, int], memory: Memory) -> Errors:
    """Bounds on the rounding errors of all elements after a run of the kernel on a memory, which it changes."""
    errors: Errors = {name: {} for name in kernel.arrays}
    statements = {statement.name: statement for statement in kernel.statements}
    for name, point in instances_in_order(kernel, parameters):
        statement = statements[name]
        variables = {**parameters, **dict(zip(statement.iterators, point, strict=True))}
        _run(statement, variables, memory, errors)
    return errors


def _run(statement: Statement, variables: Mapping[str, int], memory: Memory, errors: Errors) -> None:
    operands: list[Bounded] = []
    for read in statement.reads:
        operands.append(_read(read, variables, operands, memory, errors))
    element = _element(statement.write, variables, operands)
    if statement.condition is not None:
        chosen = _bounded(statement.condition, variables, operands)
        if chosen.error:
            errors[statement.write.array][element] = math.inf
        if not chosen.value:
            return
    result = _bounded(statement.value, variables, operands)
    memory[statement.write.array][element] = result.value
    errors[statement.write.array][element] = result.error


def _element(access: Access, variables: Mapping[str, int], operands: Sequence[Bounded]) -> tuple[int, ...]:
    values = [operand.value for operand in operands]
    return tuple(int(evaluate(subscript, variables, values)) for subscript in access.subscripts)


def _read(
    access: Access, variables: Mapping[str, int], operands: Sequence[Bounded], memory: Memory, errors: Errors
) -> Bounded:
    """What an access brings; nothing where a condition keeps it from being evaluated outside of its array."""
    element = _element(access, variables, operands)
    try:
        return Bounded(memory[access.array][element], errors[access.array].get(element, 0.0))
    except IndexError:
        return Bounded(0, math.inf)


def _bounded(expression: expr.Expression, variables: Mapping[str, int], operands: Sequence[Bounded]) -> Bounded:
    match expression:
        case expr.Constant() | expr.Variable():
            return Bounded(evaluate(expression, variables, ()))
        case expr.Operand(position=position):
            return operands[position]
        case expr.Cast(operand=operand, type=kind):
            return _converted(_bounded(operand, variables, operands), operand.type, kind)
        case expr.Select(condition=condition, then=then, otherwise=otherwise):
            test = _bounded(condition, variables, operands)
            chosen = _bounded(then if test.value else otherwise, variables, operands)
            return Bounded(chosen.value, math.inf) if test.error else chosen
        case expr.Unary() | expr.Binary() | expr.Call():
            return _operation(expression, variables, operands)
        case _:
            assert_never(expression)


def _operation(
    expression: expr.Unary | expr.Binary | expr.Call, variables: Mapping[str, int], operands: Sequence[Bounded]
) -> Bounded:
    parts = [_bounded(part, variables, operands) for part in expr.children(expression)]
    value = evaluate(expression, variables, [operand.value for operand in operands])
    if not any(part.error for part in parts) and expression.type.is_integer:
        return Bounded(value)
    op = expression.function if isinstance(expression, expr.Call) else expression.op
    return Bounded(value, _passed_on(op, parts) + _of_result(value, expression.type))


def _passed_on(op: str, parts: Sequence[Bounded]) -> float:
    """The error of an operation on real numbers, due to those of its operands."""
    errors = [part.error for part in parts]
    sizes = [abs(part.value) for part in parts]
    if op in ("+", "-", "fabs", "fabsf"):
        return sum(errors)
    if op in ("min", "max", "fmin", "fmax", "fminf", "fmaxf"):
        return max(errors)
    if op == "*":
        return sizes[0] * errors[1] + sizes[1] * errors[0] + errors[0] * errors[1]
    if op == "/" and sizes[1] > errors[1]:
        return (errors[0] + sizes[0] / sizes[1] * errors[1]) / (sizes[1] - errors[1])
    if op in ("sqrt", "sqrtf") and sizes[0] > errors[0]:
        return errors[0] / math.sqrt(sizes[0] - errors[0])
    if op in expr.COMPARISONS and abs(parts[0].value - parts[1].value) > sum(errors):
        return 0.0
    return math.inf if any(errors) else 0.0


def _of_result(value: Number, kind: ScalarType) -> float:
    """The rounding of one result: half a unit of its last place, or of the least number."""
    if kind.kind != "float":
        return 0.0
    return abs(value) * 2.0 ** -_PRECISION[kind.bits] + _LEAST[kind.bits]


def _converted(part: Bounded, source: ScalarType, kind: ScalarType) -> Bounded:
    value = convert(part.value, source, kind)
    if kind.kind == "float":
        exact = value == part.value
        return Bounded(value, part.error + (0.0 if exact else _of_result(value, kind)))
    return Bounded(value, math.inf if part.error else 0.0)


def reached(kernel: Kernel, arrays: frozenset[str]) -> frozenset[str]:
    """The arrays whose contents depend on those of some arrays, these among them."""
    while True:
        using = (s.write.array for s in kernel.statements if any(read.array in arrays for read in s.reads))
        more = arrays.union(using)
        if more == arrays:
            return arrays
        arrays = more
