"""From isl's AST expressions back to expression trees."""

from __future__ import annotations

import islpy as isl

from loadstone.model.expression import Binary, Expression, Select, Unary, Variable, integer
from loadstone.model.types import INT

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
