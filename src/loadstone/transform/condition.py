"""Affine expressions and conditions in scripts, written as in C: `i < N - 1 && j % 4 == 3`."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any, TypeVar, cast

import islpy as isl
from pycparser import c_ast, c_parser

from loadstone.model.affine import NotAffine, affine_value
from loadstone.model.expression import Expression, Variable, binary, integer, select, unary, walk
from loadstone.model.types import INT
from loadstone.transform.loop_names import StepError
from loadstone.transform.program import Part

T = TypeVar("T")
_OPERATORS = frozenset({"+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||"})


def instances_where(part: Part, text: str) -> isl.Set:
    """The instances of a statement for which a condition over its loops and the parameters holds."""
    return _affine(part, text, part.where)


def amount(part: Part, text: str) -> isl.PwAff:
    """An expression over the loops of a statement and the parameters as a function of its instances."""
    return _affine(part, text, part.value)


def original_value(part: Part, text: str) -> isl.PwAff:
    """An expression over the original iterators of a statement and the parameters as a function of its instances."""
    names = {*part.statement.iterators, *part.parameters}
    return _affine(part, text, lambda expression: affine_value(expression, part.space), names)


def _affine(part: Part, text: str, compute: Callable[[Expression], T], names: Set[str] | None = None) -> T:
    known = {loop.name for loop in part.loops} | set(part.parameters) if names is None else names
    try:
        return compute(_known(read_expression(text), known, part, text))
    except NotAffine as error:
        raise StepError(f"'{text}' is not affine: {error.reason}", text.split(maxsplit=1)[0]) from None


def _known(expression: Expression, names: Set[str], part: Part, text: str) -> Expression:
    for node in walk(expression):
        if isinstance(node, Variable) and node.name not in names:
            message = f"'{node.name}' is no loop of {part.name} and no parameter"
            hint = f"known there: {', '.join(sorted(names)) or 'nothing'}"
            raise StepError(message, text.split(maxsplit=1)[0], hint)
    return expression


def read_expression(text: str) -> Expression:
    """The expression that a text spells; raises `StepError` where it is not one of C's."""
    try:
        tree = cast("Any", c_parser.CParser().parse(f"int x = ({text});"))
    except c_parser.ParseError:
        raise StepError(f"'{text}' is not an expression", text.split(maxsplit=1)[0]) from None
    return _expression(tree.ext[0].init, text)


def _expression(node: c_ast.Node, text: str) -> Expression:
    match node:
        case c_ast.Constant(type="int", value=value):
            return integer(int(value, 0))
        case c_ast.ID(name=name):
            return Variable(name, INT)
        case c_ast.UnaryOp(op="-" | "!" as op, expr=operand):
            return unary(op, _expression(operand, text))
        case c_ast.BinaryOp(op=op, left=left, right=right) if op in _OPERATORS:
            return binary(op, _expression(left, text), _expression(right, text))
        case c_ast.TernaryOp(cond=condition, iftrue=then, iffalse=otherwise):
            return select(_expression(condition, text), _expression(then, text), _expression(otherwise, text))
        case _:
            raise StepError(f"'{text}' is not an affine expression", text.split(maxsplit=1)[0])
