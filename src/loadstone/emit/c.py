"""Printing C: expressions, loop trees and whole kernels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import assert_never

from loadstone.loops.model import Block, For, If, Instance, Node, expressions
from loadstone.model.expression import (
    Binary,
    Call,
    Cast,
    Constant,
    Expression,
    Operand,
    Select,
    Unary,
    Variable,
    substituted,
    walk,
)
from loadstone.model.kernel import Access, Array, Kernel, Statement
from loadstone.model.types import FLOAT, ScalarType

INDENT = "  "

_PRECEDENCE = {
    "*": 10,
    "/": 10,
    "%": 10,
    "+": 9,
    "-": 9,
    "<<": 8,
    ">>": 8,
    "<": 7,
    "<=": 7,
    ">": 7,
    ">=": 7,
    "==": 6,
    "!=": 6,
    "&": 5,
    "^": 4,
    "|": 3,
    "&&": 2,
    "||": 1,
}
_UNARY, _ATOM = 11, 12
_MACROS = {
    "floordiv": ("floord", "#define floord(n, d) ((n) / (d) - ((n) % (d) != 0 && ((n) < 0) != ((d) < 0)))"),
    "mod": ("modulo", "#define modulo(n, d) ((n) % (d) + ((n) % (d) != 0 && ((n) < 0) != ((d) < 0) ? (d) : 0))"),
    "min": ("min", "#define min(x, y) ((x) < (y) ? (x) : (y))"),
    "max": ("max", "#define max(x, y) ((x) > (y) ? (x) : (y))"),
}


def emit_expression(expression: Expression, operands: Sequence[str] = ()) -> str:
    """The expression as C; `operands` are the texts of the statement's reads.

    >>> from loadstone.model.expression import binary, integer
    >>> emit_expression(binary("*", binary("+", integer(1), integer(2)), integer(3)))
    '(1 + 2) * 3'
    """
    return _emit(expression, operands)[0]


def _emit(expression: Expression, operands: Sequence[str]) -> tuple[str, int]:
    """The text and the precedence of its outermost operator."""
    match expression:
        case Constant():
            return _constant(expression)
        case Variable(name=name):
            return name, _ATOM
        case Operand(position=position):
            return operands[position], _ATOM
        case Unary(op=op, operand=operand):
            text = _inner(operand, operands, _UNARY)
            return f"{op}{' ' if text.startswith(op) else ''}{text}", _UNARY
        case Cast(operand=operand, implicit=True):
            return _emit(operand, operands)
        case Cast(operand=operand, type=kind):
            return f"({kind}){_inner(operand, operands, _UNARY)}", _UNARY
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(_emit(a, operands)[0] for a in arguments)})", _ATOM
        case Select(condition=condition, then=then, otherwise=otherwise):
            parts = (_inner(part, operands, 1) for part in (condition, then, otherwise))
            return "{} ? {} : {}".format(*parts), 0
        case Binary():
            return _binary(expression, operands)
        case _:
            assert_never(expression)


def _inner(expression: Expression, operands: Sequence[str], least: int) -> str:
    text, precedence = _emit(expression, operands)
    return text if precedence >= least else f"({text})"


def _binary(expression: Binary, operands: Sequence[str]) -> tuple[str, int]:
    op, left, right = expression.op, expression.left, expression.right
    if op in _MACROS:
        return f"{_MACROS[op][0]}({_emit(left, operands)[0]}, {_emit(right, operands)[0]})", _ATOM
    level = _PRECEDENCE[op]
    if op == "+" and isinstance(right, Unary) and right.op == "-":
        return f"{_inner(left, operands, level)} - {_inner(right.operand, operands, level + 1)}", level
    careful = level if level >= 9 or op in ("&&", "||") else level + 1
    return f"{_inner(left, operands, careful)} {op} {_inner(right, operands, level + 1)}", level


def _constant(constant: Constant) -> tuple[str, int]:
    if constant.text:
        return constant.text, _UNARY if constant.text.startswith("-") else _ATOM
    value = constant.value
    if isinstance(value, int):
        return str(value), _ATOM if value >= 0 else _UNARY
    if not math.isfinite(value):
        return ("NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"), _UNARY
    return value.hex() + ("f" if constant.type == FLOAT else ""), _ATOM if value >= 0 else _UNARY


def emit_access(
    access: Access, operands: Sequence[str], values: dict[str, Expression], pointers: frozenset[str]
) -> str:
    """A reference to an array element, with iterators replaced by values; `pointers` are scalars held by pointer."""
    name = f"(*{access.array})" if access.array in pointers else access.array
    return name + "".join(f"[{emit_expression(substituted(s, values), operands)}]" for s in access.subscripts)


def emit_instance(statement: Statement, arguments: Sequence[Expression], pointers: frozenset[str]) -> str:
    """The assignment that an instance of a statement executes."""
    values = dict(zip(statement.iterators, arguments, strict=True))
    operands: list[str] = []
    for read in statement.reads:
        operands.append(emit_access(read, operands, values, pointers))
    target = emit_access(statement.write, operands, values, pointers)
    assignment = f"{target} = {emit_expression(substituted(statement.value, values), operands)};"
    if statement.condition is None:
        return assignment
    condition = emit_expression(substituted(statement.condition, values), operands)
    return f"if ({condition})\n{INDENT}{assignment}"


def emit_loops(node: Node, kernel: Kernel, pointers: frozenset[str] = frozenset()) -> list[str]:
    """The lines of a loop tree."""
    match node:
        case For(iterator=iterator, start=start, condition=condition, step=step, body=body):
            head = (
                f"for (int {iterator} = {emit_expression(start)}; {emit_expression(condition)}; "
                f"{_increment(iterator, step)})"
            )
            return _braced(head, body, kernel, pointers)
        case If(condition=condition, then=then, otherwise=otherwise):
            lines = _braced(f"if ({emit_expression(condition)})", then, kernel, pointers)
            return lines if otherwise is None else lines + _braced("else", otherwise, kernel, pointers)
        case Block(items=items):
            return [line for item in items for line in emit_loops(item, kernel, pointers)]
        case Instance(statement=name, arguments=arguments):
            return emit_instance(kernel.statement(name), arguments, pointers).split("\n")
        case _:
            assert_never(node)


def _increment(iterator: str, step: Expression) -> str:
    text = emit_expression(step)
    return f"{iterator}++" if text == "1" else f"{iterator} += {text}"


def _braced(head: str, body: Node, kernel: Kernel, pointers: frozenset[str]) -> list[str]:
    inner = [INDENT + line for line in emit_loops(body, kernel, pointers)]
    return [f"{head} {{", *inner, "}"]


def macros_used(node: Node, kernel: Kernel) -> list[str]:
    """The definitions of the helper macros that a loop tree and the kernel's statements need."""
    trees = [*expressions(node), *(e for s in kernel.statements for e in _statement_expressions(s))]
    ops = {part.op for tree in trees for part in walk(tree) if isinstance(part, Binary)}
    return [definition for op, (_, definition) in _MACROS.items() if op in ops]


def _statement_expressions(statement: Statement) -> Iterator[Expression]:
    yield statement.value
    if statement.condition is not None:
        yield statement.condition
    for access in (*statement.reads, statement.write):
        yield from access.subscripts


def emit_kernel(kernel: Kernel, loops: Node, name: str) -> str:
    """A C function that executes a loop tree over the kernel's statements.

    Parameters and scalars that are only read come by value, scalars that are written and visible outside by pointer,
    arrays as such; temporaries are local.
    """
    pointers = scalars_by_pointer(kernel)
    head = ", ".join(_argument(array, pointers) for array in kernel.arrays.values() if not _is_temporary(array))
    parameters = ", ".join(f"{kind} {parameter}" for parameter, kind in kernel.parameter_types.items())
    arguments = ", ".join(part for part in (parameters, head) if part) or "void"
    temporaries = [INDENT + f"{declaration(array)};" for array in kernel.arrays.values() if _is_temporary(array)]
    body = [INDENT + line for line in emit_loops(loops, kernel, pointers)]
    headers = ("#include <math.h>", "#include <stdlib.h>", *macros_used(loops, kernel), "")
    return "\n".join((*headers, f"void {name}({arguments})", "{", *temporaries, *body, "}", ""))


def scalars_by_pointer(kernel: Kernel) -> frozenset[str]:
    """The scalars whose value leaves the kernel."""
    return frozenset(a.name for a in kernel.arrays.values() if a.rank == 0 and a.live_out)


def _is_temporary(array: Array) -> bool:
    return not array.initialised and not array.live_out


def _argument(array: Array, pointers: frozenset[str]) -> str:
    return f"{array.type} *{array.name}" if array.name in pointers else declaration(array)


def declaration(array: Array) -> str:
    """The declaration of an array or scalar."""
    return f"{array.type} {array.name}" + "".join(f"[{emit_expression(e)}]" for e in array.extents)


def cast_to_rows(array: Array, kind: ScalarType) -> str:
    """The declarator of a pointer to the rows of an array."""
    rest = "".join(f"[{emit_expression(e)}]" for e in array.extents[1:])
    return f"{kind} (*{array.name}){rest}"
