"""Printing C: expressions, loop trees and whole kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from loadstone.emit.c.arithmetic import arithmetic_helper, conversion_name, literal, must_be_spelled, operation_name
from loadstone.emit.c.code import EMPTY, INDENT, PLAIN, Block, Body, Helper, Text, code, under, verbatim
from loadstone.frontend.c.headers import MACROS
from loadstone.loops import model as loop_tree
from loadstone.loops.model import For, If, Instance, Node, expressions
from loadstone.model.expression import (
    COMPARISONS,
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
from loadstone.model.tidy import settled, tidy
from loadstone.model.types import FLOAT, INT, ScalarType

ElementText = Callable[[str, Sequence[Text], bool], Text]
"""Prints the reference to an element: array, subscripts, and whether it is written."""

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
_CLEAR = {"&&": 3, "||": 3, "<<": 10, ">>": 10, "&": 10, "^": 10, "|": 10}
_UNARY, _ATOM = 11, 12
_HELPERS = {
    "floordiv": ("floord", "x / y - (x % y != 0 && (x < 0) != (y < 0))", "x / y"),
    "mod": ("modulo", "x % y + (x % y != 0 && (x < 0) != (y < 0) ? y : 0)", "x % y"),
    "min": ("min", "x < y ? x : y", "x < y ? x : y"),
    "max": ("max", "x > y ? x : y", "x > y ? x : y"),
}
"""Functions that stand for operators: their names, and their results for signed and for unsigned arguments."""


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
        case Unary():
            return _unary(expression, operands)
        case Cast(operand=operand) if name := conversion_name(expression):
            return f"{name}({_emit(operand, operands)[0]})", _ATOM
        case Cast(operand=operand, implicit=True) if not must_be_spelled(expression):
            return _emit(operand, operands)
        case Cast(operand=operand, type=kind):
            return f"({kind}){_inner(operand, operands, _UNARY)}", _UNARY
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(_argument(a, operands) for a in arguments)})", _ATOM
        case Select(condition=condition, then=then, otherwise=otherwise):
            parts = (_inner(part, operands, 1) for part in (condition, _signed(then), _signed(otherwise)))
            return "{} ? {} : {}".format(*parts), 0
        case Binary():
            return _binary(expression, operands)
        case _:
            assert_never(expression)


def _unary(expression: Unary, operands: Sequence[str]) -> tuple[str, int]:
    op, operand, name = expression.op, expression.operand, operation_name(expression)
    if op == "units":
        return _emit(operand, operands)
    if name:
        return f"{name}({_emit(operand, operands)[0]})", _ATOM
    text = _inner(operand, operands, _UNARY)
    return f"{op}{' ' if text.startswith(op) else ''}{text}", _UNARY


def _argument(expression: Expression, operands: Sequence[str]) -> str:
    """The argument of a call; conversions are written out, since C++ chooses functions by the types of arguments."""
    shown = replace(expression, implicit=False) if isinstance(expression, Cast) else expression
    return _emit(shown, operands)[0]


def _signed(expression: Expression) -> Expression:
    """The same value, with a conversion written out if it changes the sign, which compilers warn of."""
    if not isinstance(expression, Cast) or isinstance(expression.operand, Constant):
        return expression
    source, target = expression.operand.type, expression.type
    changes = source.is_integer and target.is_integer and source.signed != target.signed
    return replace(expression, implicit=False) if changes else expression


def _inner(expression: Expression, operands: Sequence[str], least: int) -> str:
    text, precedence = _emit(expression, operands)
    return text if precedence >= least else f"({text})"


def _binary(expression: Binary, operands: Sequence[str]) -> tuple[str, int]:
    op, left, right = expression.op, expression.left, expression.right
    if op in COMPARISONS:
        left, right = _signed(left), _signed(right)
    function = _helper_name(op, expression.type) if op in _HELPERS else operation_name(expression)
    if function:
        return f"{function}({_emit(left, operands)[0]}, {_emit(right, operands)[0]})", _ATOM
    level = _PRECEDENCE[op]
    if op == "+" and isinstance(right, Unary) and right.op == "-":
        return f"{_inner(left, operands, level)} - {_inner(right.operand, operands, level + 1)}", level
    least = level if level >= 9 else _CLEAR.get(op, 8)
    chained = op in ("&&", "||") and isinstance(left, Binary) and left.op == op
    first = _inner(left, operands, level if chained else least)
    return f"{first} {op} {_inner(right, operands, max(least, level + 1))}", level


def _constant(constant: Constant) -> tuple[str, int]:
    if constant.text:
        return constant.text, _UNARY if constant.text.startswith("-") else _ATOM
    value = constant.value
    if isinstance(value, int):
        return str(value) if constant.type.is_c else literal(value, constant.type), _ATOM if value >= 0 else _UNARY
    if not math.isfinite(value):
        return ("NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"), _UNARY
    return value.hex() + ("f" if constant.type == FLOAT else ""), _ATOM if value >= 0 else _UNARY


def written(expression: Expression, operands: Sequence[Text] = ()) -> Text:
    """The expression as C, with the variables, helpers and operands that it uses."""
    uses = helpers_in((expression,)) | {part.name for part in walk(expression) if isinstance(part, Variable)}
    read = (operands[part.position].uses for part in walk(expression) if isinstance(part, Operand))
    return Text(emit_expression(expression, [operand.text for operand in operands]), uses.union(*read))


def instance_code(statement: Statement, arguments: Sequence[Expression], element: ElementText) -> Body:
    """The assignment that an instance of a statement executes; `element` prints references to array elements."""
    values = dict(zip(statement.iterators, arguments, strict=True))
    operands = operands_of(statement, values, element)
    target = element(statement.write.array, _subscripts(statement.write, values, operands), True)
    value = written(settled(substituted(statement.value, values)), operands)
    assignment = replace(code("@ = @;", target, value), origin=statement.name)
    condition = statement.condition
    guard = None if condition is None else written(settled(substituted(condition, values)), operands)
    return under(guard, (assignment,))


def operands_of(statement: Statement, values: dict[str, Expression], element: ElementText) -> list[Text]:
    """The references to what an instance reads, for the values of its iterators."""
    operands: list[Text] = []
    for read in statement.reads:
        operands.append(element(read.array, _subscripts(read, values, operands), False))
    return operands


def _subscripts(access: Access, values: dict[str, Expression], operands: Sequence[Text]) -> list[Text]:
    return [written(settled(tidy(substituted(subscript, values))), operands) for subscript in access.subscripts]


def test_of(condition: Expression) -> tuple[Body, Text]:
    """A condition as a test, and nothing in front of it."""
    return (), written(condition)


def head_of(loop: For) -> tuple[Body, Text]:
    """The head of a loop, and nothing in front of it."""
    return (), loop_head(loop, written(loop.start), written(loop.condition))


@dataclass(frozen=True, slots=True, eq=False)
class LoopCode:
    """How loop trees are written: `instance` gives leaves, `begun` what loops begin with, `special` some loops whole.

    `head` and `test` give the head of a loop and the test of a condition, with declarations in front of it.
    """

    instance: Callable[[Instance], Body]
    begun: Callable[[For], Body] = lambda _: ()
    special: Callable[[For], Body | None] = lambda _: None
    head: Callable[[For], tuple[Body, Text]] = head_of
    test: Callable[[Expression], tuple[Body, Text]] = test_of

    def code(self, node: Node) -> Body:
        """The code of a tree."""
        match node:
            case For() if (own := self.special(node)) is not None:
                return own
            case For(body=body):
                declared, head = self.head(node)
                return _behind(declared, (Block(head, (*self.begun(node), *self.code(body))),))
            case If(condition=condition, then=then, otherwise=otherwise):
                declared, test = self.test(condition)
                rest = () if otherwise is None else (Block(Text("else"), self.code(otherwise)),)
                return _behind(declared, (Block(code("if (@)", test), self.code(then)), *rest))
            case loop_tree.Block(items=items):
                return tuple(statement for item in items for statement in self.code(item))
            case Instance():
                return self.instance(node)
            case _:
                assert_never(node)


def _behind(declared: Body, body: Body) -> Body:
    """Statements behind declarations, in a block of their own if there are any."""
    return (Block(EMPTY, (*declared, *body)),) if declared else body


def loop_code(node: Node, instance: Callable[[Instance], Body], begun: Callable[[For], Body] = lambda _: ()) -> Body:
    """A loop tree; `instance` gives its leaves, and `begun` what loops begin with."""
    return LoopCode(instance, begun).code(node)


def emit_loops(node: Node, instance: Callable[[Instance], list[str]]) -> list[str]:
    """The lines of a loop tree; `instance` prints its leaves."""
    return list(PLAIN.lines(loop_code(node, lambda leaf: verbatim(*instance(leaf)))))


def loop_head(loop: For, start: Text, condition: Text) -> Text:
    """The head of a loop with a start and a condition."""
    name, step = loop.iterator, loop.step
    increment = Text(f"{name}++") if is_constant(step, 1) else code("@ += @", name, written(step))
    return code("for (int @ = @; @; @)", name, start, condition, increment)


def is_constant(expression: Expression, value: int) -> bool:
    """Whether the expression is a literal of a value."""
    return isinstance(expression, Constant) and expression.value == value


def braced(head: str, body: Sequence[str]) -> list[str]:
    """A block with its lines indented."""
    return [f"{head} {{" if head else "{", *(INDENT + line for line in body), "}"]


def helpers_in(trees: Iterable[Expression]) -> frozenset[Helper]:
    """The functions that stand for operators and conversions in expressions."""
    return frozenset(found for tree in trees for part in walk(tree) if (found := _helper_of(part)) is not None)


def _helper_of(part: Expression) -> Helper | None:
    if isinstance(part, Binary) and part.op in _HELPERS:
        return helper(part.op, part.type)
    return arithmetic_helper(part)


def definitions(helpers: Iterable[Helper]) -> list[str]:
    """The definitions of helpers, in their order."""
    return [line for each in sorted(helpers, key=lambda each: each.order) for line in each.lines]


def helpers_used(trees: Iterable[Expression]) -> list[str]:
    """The definitions of the functions that stand for operators and conversions in expressions."""
    return definitions(helpers_in(trees))


def warnings_of_source(kernel: Kernel) -> list[str]:
    """Pragmas against warnings that the kernel's own text deserves, and that its generated program must not fail on."""
    compared = (
        side
        for tree in expressions_of(kernel)
        for part in walk(tree)
        if isinstance(part, Binary) and part.op in COMPARISONS
        for side in (part.left, part.right)
    )
    if any(not (part.type.signed and part.type.is_c) for side in compared for part in walk(side)):
        return ['#pragma GCC diagnostic ignored "-Wtype-limits" /* the source may compare with ends of ranges */', ""]
    return []


def helper(op: str, kind: ScalarType) -> Helper:
    """The function that stands for an operator on a type."""
    _, signed, unsigned = _HELPERS[op]
    name = _helper_name(op, kind)
    body = braced("", [f"return {signed if kind.signed else unsigned};"])
    lines = (f"static inline {kind} {name}({kind} x, {kind} y)", *body, "")
    return Helper((list(_HELPERS).index(op), str(kind)), name, lines)


def _helper_name(op: str, kind: ScalarType) -> str:
    name = _HELPERS[op][0]
    return name if kind == INT else f"{name}_{str(kind).replace(' ', '_')}"


def expressions_of(kernel: Kernel) -> Iterator[Expression]:
    """The expressions in the kernel's statements."""
    for statement in kernel.statements:
        yield from _statement_expressions(statement)


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
    head = ", ".join(_declared(array, pointers) for array in kernel.arrays.values() if not _is_temporary(array))
    parameters = ", ".join(f"{kind} {parameter}" for parameter, kind in kernel.parameter_types.items())
    arguments = ", ".join(part for part in (parameters, head) if part) or "void"
    temporaries = [INDENT + f"{declaration(array)};" for array in kernel.arrays.values() if _is_temporary(array)]

    def element(array: str, subscripts: Sequence[Text], _: bool) -> Text:
        if _is_by_address(kernel.arrays[array]):
            return Text(f"{array}[{_address(kernel.arrays[array], subscripts)}]")
        name = f"(*{array})" if array in pointers else array
        return Text(name + "".join(f"[{subscript.text}]" for subscript in subscripts))

    def instance(leaf: Instance) -> Body:
        return instance_code(kernel.statement(leaf.statement), leaf.arguments, element)

    body = [INDENT + line for line in PLAIN.lines(loop_code(loops, instance))]
    helpers = helpers_used((*expressions(loops), *expressions_of(kernel)))
    headers = ("#include <math.h>", "#include <stdlib.h>", *undefined_macros(kernel), "", *helpers)
    return "\n".join((*headers, f"void {name}({arguments})", "{", *temporaries, *body, "}", ""))


def undefined_macros(kernel: Kernel) -> Iterator[str]:
    """Directives that free the kernel's names of what headers define."""
    scalars = (name for _, name in kernel.original.scalars) if kernel.original else ()
    iterators = (name for statement in kernel.statements for name in statement.iterators)
    names = {*kernel.parameters, *kernel.arrays, *scalars, *iterators}
    return (f"#undef {name}" for name in sorted(names & MACROS))


def scalars_by_pointer(kernel: Kernel) -> frozenset[str]:
    """The scalars whose value leaves the kernel."""
    return frozenset(a.name for a in kernel.arrays.values() if a.rank == 0 and a.live_out)


def _is_temporary(array: Array) -> bool:
    return not array.initialised and not array.live_out


def _declared(array: Array, pointers: frozenset[str]) -> str:
    is_pointer = array.name in pointers or _is_by_address(array)
    return f"{array.type} *{array.name}" if is_pointer else declaration(array)


def _is_by_address(array: Array) -> bool:
    """Whether a function takes an array as a pointer to its first element, as the source does."""
    return array.flat == array.rank > 1 and not _is_temporary(array)


def _address(array: Array, subscripts: Sequence[Text]) -> str:
    """The position of an element, row by row."""
    text = subscripts[0].text
    for extent, subscript in zip(array.extents[1:], subscripts[1:], strict=True):
        size = emit_expression(extent)
        row = text if text.isidentifier() else f"({text})"
        text = f"{row} * {size if isinstance(extent, Constant | Variable) else f'({size})'} + {subscript.text}"
    return text


def declaration(array: Array) -> str:
    """The declaration of an array or scalar."""
    return f"{array.type} {array.name}" + "".join(f"[{emit_expression(e)}]" for e in array.extents)


def cast_to_rows(array: Array) -> str:
    """The declarator of a pointer to the rows of an array, as the source sees them."""
    rest = "".join(f"[{emit_expression(e)}]" for e in array.extents[max(array.flat, 1) : array.outer_rank])
    return f"{array.record.type if array.record else array.type} (*{array.variable}){rest}"
