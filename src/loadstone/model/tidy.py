"""Integer expressions with their terms collected, and comparisons that are decided.

>>> from loadstone.model.expression import Variable, binary
>>> i, j = Variable("i", INT), Variable("j", INT)
>>> tidy(binary("+", i, binary("-", j, i))) == j
True
"""

from __future__ import annotations

from loadstone.model.expression import COMPARISONS, Binary, Constant, Expression, Select, Unary, integer, rebuilt
from loadstone.model.types import INT


def tidy(expression: Expression) -> Expression:
    """The expression with sums of multiples of the same terms collected; other operations are terms."""
    if expression.type != INT:
        return rebuilt(expression, tidy)
    terms: dict[Expression, int] = {}
    constant = _collect(expression, 1, terms)
    return _sum(terms, constant)


def _collect(expression: Expression, factor: int, terms: dict[Expression, int]) -> int:
    """Add the multiple of an expression to the terms; returns what it adds to the constant."""
    match expression:
        case Constant(value=int(value), type=kind) if kind == INT:
            return factor * value
        case Unary(op="-", operand=operand, type=kind) if kind == INT:
            return _collect(operand, -factor, terms)
        case Binary(op="+" | "-" as op, left=left, right=right, type=kind) if kind == INT:
            return _collect(left, factor, terms) + _collect(right, factor if op == "+" else -factor, terms)
        case Binary(op="*", left=Constant(value=int(value)), right=other, type=kind) if kind == INT:
            return _collect(other, factor * value, terms)
        case Binary(op="*", left=other, right=Constant(value=int(value)), type=kind) if kind == INT:
            return _collect(other, factor * value, terms)
        case _:
            term = rebuilt(expression, tidy)
            terms[term] = terms.get(term, 0) + factor
            return 0


def _sum(terms: dict[Expression, int], constant: int) -> Expression:
    """The sum of the multiples: positive ones first, the constant last unless nothing else is positive."""
    parts = sorted(((term, factor) for term, factor in terms.items() if factor), key=lambda part: part[1] < 0)
    if constant > 0 and (not parts or parts[0][1] < 0):
        total: Expression | None = integer(constant)
        constant = 0
    else:
        total = None
    for term, factor in parts:
        total = _added(total, term, factor)
    if total is None:
        return integer(constant)
    return total if constant == 0 else Binary("+" if constant > 0 else "-", total, integer(abs(constant)), INT)


def _added(total: Expression | None, term: Expression, factor: int) -> Expression:
    scaled = term if abs(factor) == 1 else Binary("*", integer(abs(factor)), term, INT)
    if total is None:
        return scaled if factor > 0 else Unary("-", scaled, INT)
    return Binary("+" if factor > 0 else "-", total, scaled, INT)


def settled(expression: Expression) -> Expression:
    """The expression with comparisons of a number with itself decided, and selections by what is decided.

    >>> from loadstone.model.expression import Select, Variable, binary, integer
    >>> n = Variable("n", INT)
    >>> settled(Select(binary(">=", n, n), integer(1), integer(2), INT)) == integer(1)
    True
    """
    match rebuilt(expression, settled):
        case Binary(op=op, left=left, right=right) if op in COMPARISONS and left == right and left.type.is_integer:
            return integer(int(op in ("==", "<=", ">=")))
        case Select(condition=Constant(value=value), then=then, otherwise=otherwise) as selection:
            chosen = then if value else otherwise
            return chosen if chosen.type == selection.type else selection
        case other:
            return other
