"""From isl's expressions back to expression trees."""

from __future__ import annotations

from functools import reduce

import islpy as isl

from loadstone.model.expression import Binary, Expression, Select, Unary, Variable, integer
from loadstone.model.types import INT
from loadstone.poly.linear import linear, variable_names

_BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "fdiv_q": "floordiv",
    "pdiv_q": "/",
    "pdiv_r": "%",
    "zdiv_r": "%",
    "min": "min",
    "max": "max",
    "eq": "==",
    "le": "<=",
    "lt": "<",
    "ge": ">=",
    "gt": ">",
    "and_": "&&",
    "and_then": "&&",
    "or_": "||",
    "or_else": "||",
}


def expression_of(value: isl.PwAff) -> Expression:
    """An expression that computes a piecewise affine function of parameters, where it is defined."""
    build = isl.AstBuild.from_context(isl.Set.universe(value.get_domain_space().params()))
    return from_ast(build.expr_from_pw_aff(value))


def condition_of(value: isl.Set) -> Expression:
    """An expression that is not zero for the parameters in a set."""
    return from_ast(isl.AstBuild.from_context(isl.Set.universe(value.get_space())).expr_from_set(value))


def from_aff(value: isl.Aff) -> Expression:
    """An affine expression with floors, term by term; rounded down where it is a fraction.

    Takes no time, unlike isl's AST generator, which tries to prove that divisions are of positive numbers.
    """
    parts = linear(value, variable_names(value.get_domain_space()))
    terms = [(factor, Variable(name, INT)) for factor, name in parts.variables]
    terms += [(factor, from_aff(argument)) for factor, argument in parts.floors]
    total = reduce(_plus, terms, integer(parts.constant))
    return total if parts.divisor == 1 else Binary("floordiv", total, integer(parts.divisor), INT)


def _plus(total: Expression, term: tuple[int, Expression]) -> Expression:
    factor, value = term
    scaled = value if abs(factor) == 1 else Binary("*", integer(abs(factor)), value, INT)
    return Binary("+" if factor > 0 else "-", total, scaled, INT)


def from_ast(expression: isl.AstExpr) -> Expression:
    """The tree of an AST expression that isl generated."""
    match expression.get_type():
        case isl.ast_expr_type.int:
            return integer(expression.get_val().to_python())
        case isl.ast_expr_type.id:
            return Variable(expression.get_id().get_name(), INT)
        case _:
            return _operation(expression)


def _operation(expression: isl.AstExpr) -> Expression:
    kind = isl.ast_expr_op_type(expression.get_op_type()).name
    arguments = [from_ast(expression.get_op_arg(k)) for k in range(expression.get_op_n_arg())]
    if kind == "minus":
        return Unary("-", arguments[0], INT)
    if kind in ("cond", "select"):
        return Select(arguments[0], arguments[1], arguments[2], INT)
    first, *rest = arguments
    for argument in rest:
        first = Binary(_BINARY[kind], first, argument, INT)
    return first
