"""From Python's expressions to our syntax tree, with Python's meaning of division, powers, comparisons and calls."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from functools import reduce

from loadstone.errors import Span, refused
from loadstone.frontend import syntax
from loadstone.frontend.python.calls import Callee, Functions, math_constant, unknown_effects
from loadstone.frontend.python.constants import Value, literal, table
from loadstone.frontend.python.environment import Environment, Helper, Known, Library, constant, type_alias
from loadstone.frontend.python.inference import Inference
from loadstone.frontend.python.text import Finder, Text
from loadstone.model.types import DOUBLE, INT, ScalarType

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_REFUSED: dict[type[ast.expr], tuple[str, str]] = {
    ast.Lambda: ("a lambda is not supported in a kernel", "write the expression in place, or a function with 'def'"),
    ast.ListComp: ("comprehensions are not supported in a kernel", "write a 'for' loop"),
    ast.SetComp: ("comprehensions are not supported in a kernel", "write a 'for' loop"),
    ast.DictComp: ("comprehensions are not supported in a kernel", "write a 'for' loop"),
    ast.GeneratorExp: ("generators are not supported in a kernel", "write a 'for' loop"),
    ast.NamedExpr: ("an assignment inside an expression is not supported", "assign in a statement"),
    ast.Slice: ("slices are not supported", "write a loop over single elements"),
    ast.Tuple: ("tuples are not supported in a kernel", "write one statement per value"),
    ast.List: ("lists are not supported in a kernel", "use an array"),
    ast.Dict: ("dictionaries are not supported in a kernel", "use an array"),
    ast.Set: ("sets are not supported in a kernel", "use an array"),
    ast.Starred: ("'*' in front of a value is not supported in a kernel", "write the values one by one"),
    ast.JoinedStr: ("strings are not supported in a kernel", "use numbers"),
    ast.Attribute: ("attributes are not supported in a kernel", "pass the value as an argument of the function"),
    ast.Await: ("'await' is not supported in a kernel", "compute the value before the kernel"),
    ast.Yield: ("'yield' is not supported in a kernel", "write the results into an array"),
    ast.YieldFrom: ("'yield' is not supported in a kernel", "write the results into an array"),
}
_LARGEST_EXPANDED_POWER = 8


@dataclass(slots=True)
class Expressions:
    """Lowers the expressions of one function.

    `symbols` and `iterators` are what the function declares, and grow as it is read; `assigned` are the names that
    belong to the function although they may not have a type yet, `untyped` those whose declaration is wrong.
    Constant arrays outside of it are called by their names with `prefix` in front.
    """

    span: Finder
    environment: Environment
    assigned: frozenset[str] = frozenset()
    symbols: dict[str, syntax.Symbol] = field(default_factory=dict[str, syntax.Symbol])
    iterators: dict[str, ScalarType] = field(default_factory=dict[str, ScalarType])
    functions: Functions = field(default_factory=Functions)
    untyped: set[str] = field(default_factory=set[str])
    prefix: str = ""

    @property
    def types(self) -> Inference:
        """The types of the expressions that are known so far."""
        return Inference(self.symbols, self.iterators, self.functions.types, self.untyped)

    def constant(self, name: str) -> Value | None:
        """The constant that a name outside of the function stands for."""
        return None if name in self.assigned else constant(self.environment, name)

    def type_alias(self, name: str) -> str | None:
        """The type, spelled as in C, that a name outside of the function stands for."""
        return None if name in self.assigned else type_alias(self.environment, name)

    def expression_at(self, node: ast.expr, span: Finder) -> syntax.Expr:
        """An expression that stands elsewhere, with a position finder of its own."""
        return replace(self, span=span).expression(node)

    def condition_in(self, text: Text) -> syntax.Expr:
        """The condition that a text states."""
        tree, span = text.parse()
        return replace(self, span=span).condition(tree)

    def values_in(self, text: Text) -> tuple[syntax.Expr, ...]:
        """The values that a text lists, separated by commas."""
        tree, span = text.parse()
        parts = tree.elts if isinstance(tree, ast.Tuple) else (tree,)
        return tuple(self.expression_at(part, span) for part in parts)

    def condition(self, node: ast.expr) -> syntax.Expr:
        """An expression of which only the truth matters."""
        match node:
            case ast.BoolOp(op=op, values=values):
                return self._logical(op, [self.condition(value) for value in values], self.span(node))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return syntax.UnaryOp("!", self.condition(operand), self.span(node))
            case _:
                return self.expression(node)

    def expression(self, node: ast.expr) -> syntax.Expr:
        """The lowered expression."""
        span = self.span(node)
        match node:
            case ast.Name():
                return self._name(node, span)
            case ast.Constant():
                return self._literal(node.value, span)
            case ast.Subscript():
                return self._subscript(node, span)
            case ast.BinOp(op=op, left=left, right=right):
                return self.combined(op, self.expression(left), self.expression(right), span)
            case ast.UnaryOp():
                return self._unary(node, span)
            case ast.Compare():
                return self._comparison(node, span)
            case ast.BoolOp():
                return self._truth(node, span)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return syntax.Conditional(self.condition(test), self.expression(body), self.expression(orelse), span)
            case ast.Call():
                return self._call(node, span)
            case ast.Attribute(value=ast.Name(id=module), attr=attr) if self._module(module) == "math":
                return self._math_constant(attr, span)
            case _:
                message, hint = _REFUSED.get(type(node), ("this expression is not supported in a kernel", ""))
                raise refused(message, span, hint)

    def _name(self, node: ast.Name, span: Span) -> syntax.Expr:
        name = node.id
        if name in self.symbols or name in self.iterators:
            return syntax.Name(name, span)
        if name in self.assigned:
            hint = f"give it a value before, or declare its type: {name}: float"
            raise refused(f"'{name}' is used before it is assigned", span, hint)
        match self.environment.find(name):
            case Known(value=value) if isinstance(value, int | float):
                return self._literal(value, span)
            case Known(value=value) if symbol := table(self.prefix + name, value, span):
                self.symbols[symbol.name] = symbol
                return syntax.Name(symbol.name, span)
            case Library(module="math", name=attr) if attr:
                return self._math_constant(attr, span)
            case _:
                hint = "make it an argument of the function, or a constant of the module"
                raise refused(f"'{name}' is not declared", span, hint)

    def _literal(self, value: object, span: Span) -> syntax.Literal:
        if not isinstance(value, int | float):
            what = "strings" if isinstance(value, str | bytes) else f"values like {value!r}"
            raise refused(f"{what} are not supported in a kernel", span, "use numbers")
        result = literal(value, span)
        if result is None:
            raise refused(f"the number {value} is too large", span, "integers have at most 64 bits")
        return result

    def _math_constant(self, name: str, span: Span) -> syntax.Literal:
        value = math_constant(name)
        if value is None:
            raise refused(f"'math.{name}' is not a number that a kernel can hold", span, "known are: pi, e, tau")
        return self._literal(value, span)

    def _subscript(self, node: ast.Subscript, span: Span) -> syntax.Subscript:
        parts: list[ast.expr] = []
        base: ast.expr = node
        while isinstance(base, ast.Subscript):
            parts = [*(base.slice.elts if isinstance(base.slice, ast.Tuple) else (base.slice,)), *parts]
            base = base.value
        if not isinstance(base, ast.Name):
            raise refused("only a named array can be subscripted", span, "make it an argument of the function")
        array = self._name(base, span)
        if not isinstance(array, syntax.Name):
            raise refused(f"'{base.id}' is a number and cannot be subscripted", span)
        return syntax.Subscript(array.id, tuple(self._index(part) for part in parts), span)

    def _index(self, node: ast.expr) -> syntax.Expr:
        index = self.expression(node)
        if self.types.has_fraction(index):
            raise refused("a subscript must be an integer", self.span(node), "divide with //, or convert with int(...)")
        if isinstance(index, syntax.UnaryOp) and index.op == "-" and isinstance(index.operand, syntax.Literal):
            hint = "count from the start: the last element of an array of n is n - 1"
            raise refused("subscripts from the end of an array are not supported", self.span(node), hint)
        return index

    def _unary(self, node: ast.UnaryOp, span: Span) -> syntax.Expr:
        match node.op:
            case ast.UAdd():
                return self.expression(node.operand)
            case ast.Not():
                return syntax.UnaryOp("!", self.condition(node.operand), span)
            case ast.Invert():
                return syntax.UnaryOp("~", self.expression(node.operand), span)
            case _:
                return syntax.UnaryOp("-", self.expression(node.operand), span)

    def _comparison(self, node: ast.Compare, span: Span) -> syntax.Expr:
        """The conjunction of the links of a chain `a < b <= c`."""
        operands = [self.expression(part) for part in (node.left, *node.comparators)]
        links: list[syntax.Expr] = []
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
            if type(op) not in _COMPARISONS:
                raise refused("'in' and 'is' are not supported in a kernel", span, "compare numbers with <, ==, ...")
            links.append(syntax.BinaryOp(_COMPARISONS[type(op)], left, right, left.span))
        return self._logical(ast.And(), links, span)

    def _logical(self, op: ast.boolop, operands: list[syntax.Expr], span: Span) -> syntax.Expr:
        sign = "&&" if isinstance(op, ast.And) else "||"
        return reduce(lambda left, right: syntax.BinaryOp(sign, left, right, span), operands)

    def _truth(self, node: ast.BoolOp, span: Span) -> syntax.Expr:
        """A logical operation used as a number: in Python one of its operands, so only truth values can stand there."""
        operands = [self.expression(value) for value in node.values]
        for operand in operands:
            if not self.types.is_truth(operand):
                hint = "write 'y if x else z', or compare the operands"
                raise refused("'and' and 'or' of numbers give one of the numbers", operand.span, hint)
        return self._logical(node.op, operands, span)

    def combined(self, op: ast.operator, left: syntax.Expr, right: syntax.Expr, span: Span) -> syntax.Expr:
        """A binary operation as Python defines it."""
        integers = self.types.are_integers(left, right)
        match op:
            case ast.Div():
                return syntax.BinaryOp("/", syntax.Conversion(DOUBLE, left, span) if integers else left, right, span)
            case ast.FloorDiv() | ast.Mod() if self.types.has_fraction(left) or self.types.has_fraction(right):
                sign, hint = ("//", "math.floor(x / y)") if isinstance(op, ast.FloorDiv) else ("%", "math.fmod(x, y)")
                raise refused(f"'{sign}' needs integer operands", span, f"use {hint} for floating-point numbers")
            case ast.FloorDiv():
                return syntax.BinaryOp("floordiv", left, right, span)
            case ast.Mod():
                return syntax.BinaryOp("mod", left, right, span)
            case ast.Pow():
                return self.power(left, right, span)
            case _ if type(op) in _OPERATORS:
                return syntax.BinaryOp(_OPERATORS[type(op)], left, right, span)
            case _:
                raise refused("'@' is not supported in a kernel", span, "write the loops of the product")

    def power(self, base: syntax.Expr, exponent: syntax.Expr, span: Span) -> syntax.Expr:
        """A power: a product when the exponent is a small constant, else the library's function."""
        if isinstance(exponent, syntax.Literal) and isinstance(exponent.value, int):
            if exponent.value == 0:
                return syntax.Literal(1, INT, "1", span)
            if exponent.value <= _LARGEST_EXPANDED_POWER:
                return reduce(lambda left, right: syntax.BinaryOp("*", left, right, span), [base] * exponent.value)
        negative = isinstance(exponent, syntax.UnaryOp) and exponent.op == "-"
        if self.types.are_integers(base, exponent) and not negative:
            hint = "write a product, 1 << k for a power of 2, or make the base a float"
            raise refused("this power of an integer is not supported", span, hint)
        return syntax.Invocation("pow", (base, exponent), span)

    def _call(self, node: ast.Call, span: Span) -> syntax.Expr:
        callee = self._callee(node.func, span)
        if node.keywords:
            raise refused("arguments by keyword are not supported in a kernel", self.span(node.keywords[0]))
        arguments = tuple(self.expression(argument) for argument in node.args)
        if isinstance(callee, Helper):
            return self.functions.inlined(callee, arguments, span)
        match callee.name, arguments:
            case "bool", (value,):
                return syntax.BinaryOp("!=", value, syntax.Literal(0, INT, "0", span), span)
            case "pow", (base, exponent) if callee.module != "math":
                return self.power(base, exponent, span)
            case _:
                return self.functions.called(callee, arguments, self.types, span)

    def _callee(self, node: ast.expr, span: Span) -> Callee | Helper:
        match node:
            case ast.Name(id=name) if name in self.assigned:
                raise refused(f"'{name}' is not a function", span)
            case ast.Name(id=name):
                return self._named_callee(name, span)
            case ast.Attribute(value=ast.Name(id=owner), attr=attr) if module := self._module(owner):
                return Callee(module, attr)
            case _:
                raise unknown_effects(ast.unparse(node), span)

    def _named_callee(self, name: str, span: Span) -> Callee | Helper:
        match self.environment.find(name):
            case Helper() as helper:
                return helper
            case Library(module=module, name=original) if original:
                return Callee(module.split(".")[0], original)
            case None:
                return Callee("", name)
            case _:
                raise unknown_effects(name, span)

    def _module(self, name: str) -> str | None:
        """The module that a name stands for; the usual names need no import."""
        binding = None if name in self.assigned else self.environment.find(name)
        if isinstance(binding, Library) and not binding.name:
            return binding.module.split(".")[0]
        usual = {"math": "math", "np": "numpy", "numpy": "numpy"}
        return usual.get(name) if binding is None and name not in self.assigned else None
