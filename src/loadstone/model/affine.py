"""From expression trees to isl's piecewise affine functions and sets.

Integer arithmetic is taken as exact here: a kernel whose index arithmetic overflows is outside of the model.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from loadstone.model import expression as expr
from loadstone.poly import spaces

_COMPARE = {
    "<": isl.PwAff.lt_set,
    "<=": isl.PwAff.le_set,
    ">": isl.PwAff.gt_set,
    ">=": isl.PwAff.ge_set,
    "==": isl.PwAff.eq_set,
    "!=": isl.PwAff.ne_set,
}
_COMBINE = {"+": isl.PwAff.add, "-": isl.PwAff.sub, "min": isl.PwAff.min, "max": isl.PwAff.max}


class NotAffine(Exception):
    """An expression is not affine; holds the smallest part that is to blame, and why."""

    def __init__(self, expression: expr.Expression, reason: str) -> None:
        super().__init__(reason)
        self.expression = expression
        self.reason = reason


def affine_value(expression: expr.Expression, space: isl.Space) -> isl.PwAff:
    """The value of an integer expression as a piecewise (quasi-)affine function on a set space.

    >>> from loadstone.model.expression import Variable, binary, integer
    >>> from loadstone.model.types import INT
    >>> print(affine_value(binary("*", integer(2), Variable("i", INT)), spaces.set_space((), "S", ("i",))))
    { S[i] -> [(2i)] }
    """
    match expression:
        case expr.Constant(value=int(value), type=kind) if kind.is_integer:
            return spaces.constant(space, value)
        case expr.Variable(name=name):
            return _variable(expression, name, space)
        case expr.Unary(op="-", operand=operand):
            return affine_value(operand, space).neg()
        case expr.Cast(operand=operand, type=kind) if kind.is_integer and (
            kind.bits >= 32 or kind.includes(operand.type)
        ):
            return affine_value(operand, space)
        case expr.Select():
            return _select(expression, space)
        case expr.Binary(op=op) if op in expr.COMPARISONS or op in expr.LOGICAL:
            return affine_condition(expression, space).indicator_function()
        case expr.Unary(op="!"):
            return affine_condition(expression, space).indicator_function()
        case expr.Binary():
            return _arithmetic(expression, space)
        case expr.Operand():
            raise NotAffine(expression, "it depends on data")
        case expr.Constant() | expr.Cast() | expr.Call() | expr.Unary():
            raise NotAffine(expression, "it is not an integer expression of iterators and parameters")


def affine_condition(expression: expr.Expression, space: isl.Space) -> isl.Set:
    """The set of points where an affine condition holds."""
    match expression:
        case expr.Binary(op="&&", left=left, right=right):
            return affine_condition(left, space).intersect(affine_condition(right, space))
        case expr.Binary(op="||", left=left, right=right):
            return affine_condition(left, space).union(affine_condition(right, space))
        case expr.Unary(op="!", operand=operand):
            return affine_condition(operand, space).complement()
        case expr.Binary(op=op, left=left, right=right) if op in expr.COMPARISONS:
            return _COMPARE[op](affine_value(left, space), affine_value(right, space))
        case _:
            return affine_value(expression, space).non_zero_set()


def _variable(expression: expr.Expression, name: str, space: isl.Space) -> isl.PwAff:
    value = spaces.variable(space, name)
    if value is None:
        raise NotAffine(expression, f"'{name}' is neither an iterator of an enclosing loop nor a parameter")
    return value


def _select(expression: expr.Select, space: isl.Space) -> isl.PwAff:
    chosen = affine_condition(expression.condition, space)
    then = affine_value(expression.then, space).intersect_domain(chosen)
    otherwise = affine_value(expression.otherwise, space).intersect_domain(chosen.complement())
    return then.union_add(otherwise).coalesce()


def _arithmetic(expression: expr.Binary, space: isl.Space) -> isl.PwAff:
    left = affine_value(expression.left, space)
    right = affine_value(expression.right, space)
    match expression.op:
        case "+" | "-" | "min" | "max" as op:
            return _COMBINE[op](left, right)
        case "*":
            return _product(expression, left, right)
        case "/" | "%" | "floordiv" | "mod":
            return _division(expression, left, _nonzero_constant(expression.right, right))
        case "<<" | ">>" | "&":
            return _bit_operation(expression, left, _nonzero_constant(expression.right, right))
        case op:
            raise NotAffine(expression, f"'{op}' is not an affine operation")


def _product(expression: expr.Expression, left: isl.PwAff, right: isl.PwAff) -> isl.PwAff:
    if not (left.is_cst() or right.is_cst()):
        raise NotAffine(expression, "it multiplies two variables")
    return left.mul(right)


def _nonzero_constant(expression: expr.Expression, value: isl.PwAff) -> int:
    number = constant_value(value)
    if not number:
        raise NotAffine(expression, "the right operand is not a nonzero constant")
    return number


def constant_value(value: isl.PwAff) -> int | None:
    """The number that a function is everywhere equal to, if there is one."""
    pieces = value.get_pieces() if value.is_cst() else []
    numbers = {aff.get_constant_val().to_python() for _, aff in pieces}
    return numbers.pop() if len(numbers) == 1 else None


def _division(expression: expr.Binary, left: isl.PwAff, divisor: int) -> isl.PwAff:
    space = left.get_domain_space()
    right = spaces.constant(space, divisor)
    match expression.op:
        case "/":
            return left.tdiv_q(right)
        case "%":
            return left.tdiv_r(right)
        case "floordiv":
            return left.div(right).floor()
        case _:
            return left.sub(left.div(right).floor().mul(right))


def _bit_operation(expression: expr.Binary, left: isl.PwAff, bits: int) -> isl.PwAff:
    space = left.get_domain_space()
    match expression.op:
        case "<<" if 0 < bits < 31:
            return left.mul(spaces.constant(space, 1 << bits))
        case ">>" if 0 < bits < 31:
            return left.div(spaces.constant(space, 1 << bits)).floor()
        case "&" if bits > 0 and bits & (bits + 1) == 0:
            return left.mod_val(isl.Val.int_from_si(space.get_ctx(), bits + 1))
        case op:
            raise NotAffine(expression, f"'{op}' with {bits} is not an affine operation")


def affine_text(expression: expr.Expression, parameters: Sequence[str]) -> str:
    """An expression of parameters in short form, like `2N + 1`; as isl prints it where it has several pieces."""
    space = spaces.set_space(parameters, "", ())
    try:
        value = affine_value(expression, space).coalesce()
    except NotAffine as error:
        return f"<{error.reason}>"
    pieces = value.get_pieces()
    if len(pieces) != 1 or not pieces[0][0].plain_is_universe() or pieces[0][1].dim(spaces.Dim.div):
        return str(value)
    aff = pieces[0][1]
    terms = [(aff.get_coefficient_val(spaces.Dim.param, k).to_python(), name) for k, name in enumerate(parameters)]
    return signed_sum([*terms, (aff.get_constant_val().to_python(), "")])


def signed_sum(terms: Sequence[tuple[int, str]], times: str = "") -> str:
    """A linear combination in short form; `times` stands between factors and names.

    >>> signed_sum([(2, "N"), (-1, "M"), (1, "")])
    '2N - M + 1'
    """
    text = ""
    for factor, name in terms:
        if factor == 0:
            continue
        size = ("" if abs(factor) == 1 else f"{abs(factor)}{times}") if name else str(abs(factor))
        sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
        text += f"{sign}{size}{name}"
    return text or "0"
