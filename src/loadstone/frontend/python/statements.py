"""From Python's statements to our syntax tree, refusing what no kernel can hold."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from loadstone.errors import InputError, Problems, Span, refused
from loadstone.frontend import syntax
from loadstone.frontend.python.annotations import read_shape
from loadstone.frontend.python.calls import unknown_effects
from loadstone.frontend.python.constants import folded
from loadstone.frontend.python.expressions import Expressions
from loadstone.frontend.python.text import Script
from loadstone.frontend.scopes import names_in
from loadstone.model.types import DOUBLE, INT, LONG, ScalarType, promoted

_REFUSED: dict[type[ast.stmt], tuple[str, str]] = {
    ast.While: ("'while' loops are not static control", "write 'for i in range(...)' with affine bounds"),
    ast.Break: ("'break' is not static control", "put the exit condition into the loop bound"),
    ast.Continue: ("'continue' is not supported", "put the rest of the loop body under the opposite condition"),
    ast.Return: ("this 'return' is not supported", "return variables, and only at the end of the function"),
    ast.FunctionDef: ("a function inside the kernel is not supported", "move it before the kernel"),
    ast.AsyncFunctionDef: ("a function inside the kernel is not supported", "move it before the kernel"),
    ast.ClassDef: ("a class inside the kernel is not supported", "use arrays"),
    ast.Import: ("an import inside the kernel is not supported", "move it before the kernel"),
    ast.ImportFrom: ("an import inside the kernel is not supported", "move it before the kernel"),
    ast.With: ("'with' is not supported in a kernel", "move it out of the kernel"),
    ast.Try: ("'try' is not supported in a kernel", "move it out of the kernel"),
    ast.Raise: ("'raise' is not static control", "check the arguments before the kernel"),
    ast.Assert: ("'assert' inside of loops and conditions is not supported", "move it to the start of the kernel"),
    ast.Global: ("'global' is not supported in a kernel", "make it an argument of the function"),
    ast.Nonlocal: ("'nonlocal' is not supported in a kernel", "make it an argument of the function"),
    ast.Delete: ("'del' is not supported in a kernel", "remove it"),
    ast.Match: ("'match' is not supported in a kernel", "use 'if' and 'elif'"),
}
_C_WORDS = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"
)


@dataclass(slots=True)
class Statements:
    """Lowers the statements of one function; problems are collected statement by statement."""

    script: Script
    expressions: Expressions
    problems: Problems
    arguments: frozenset[str]
    variables: frozenset[str]

    def block(self, nodes: Iterable[ast.stmt]) -> syntax.Block:
        """The lowered statements; those with problems are left out."""
        items: list[syntax.Node] = []
        for node in nodes:
            try:
                items.extend(self._statement(node))
            except InputError as error:
                self.problems.extend(error)
                self._note_untyped(node)
        return syntax.Block(tuple(items))

    def _note_untyped(self, node: ast.stmt) -> None:
        """Remember a variable whose first assignment is wrong, so that its uses are not reported too."""
        for target in node.targets if isinstance(node, ast.Assign) else (getattr(node, "target", None),):
            if isinstance(target, ast.Name) and target.id not in self.expressions.symbols:
                self.expressions.untyped.add(target.id)
                self.expressions.symbols[target.id] = _local(target.id, DOUBLE, (), self.script.span(target))

    def check_name(self, name: str, span: Span) -> None:
        """Refuse names that the generated C could not have."""
        if not name.isascii() or name in _C_WORDS.split():
            raise refused(f"'{name}' cannot be a name in C", span, "rename it")

    def _statement(self, node: ast.stmt) -> Iterator[syntax.Node]:
        match node:
            case ast.For():
                yield from self._for(node)
            case ast.If(test=test, body=body, orelse=orelse):
                then, otherwise = self.block(body), self.block(orelse)
                yield syntax.If(self.expressions.condition(test), then, otherwise, self.script.span(node))
            case ast.Assign(targets=[target], value=value):
                yield from self._assignment(target, value, self.script.span(node))
            case ast.Assign(targets=targets):
                hint = "write one assignment per line"
                raise refused("several assignments at once are not supported", self.script.span(targets[1]), hint)
            case ast.AugAssign(target=target, op=op, value=value):
                yield self._update(target, op, value, self.script.span(node))
            case ast.AnnAssign():
                yield from self._declaration(node)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return
            case _:
                raise self._refused(node)

    def _refused(self, node: ast.stmt) -> InputError:
        span = self.script.span(node)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return unknown_effects(ast.unparse(node.value.func), span)
        unknown = ("this statement has no effect that a kernel can model", "a statement is an assignment")
        message, hint = _REFUSED.get(type(node), unknown)
        return refused(message, span, hint)

    def _for(self, node: ast.For) -> Iterator[syntax.Node]:
        """The loop; when its head has problems, those of the body are still found."""
        span = self.script.span(node)
        if node.orelse:
            hint = "write the statements after the loop"
            self.problems.add("'else' on a loop is not supported", self.script.span(node.orelse[0]), hint)
        try:
            iterator, start, condition, step = self._head(node)
        except InputError as error:
            self.problems.extend(error)
            self.block(node.body)
            return
        kind = self.expressions.iterators[iterator]
        yield syntax.For(iterator, kind, start, condition, step, self.block(node.body), span)

    def _head(self, node: ast.For) -> tuple[str, syntax.Expr, syntax.Expr, int]:
        """The iterator, the start, the condition to go on, and the step."""
        name = self._iterator(node.target)
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=[stop], keywords=[]):
                start: syntax.Expr = syntax.Literal(0, INT, "0", self.script.span(stop))
                step = 1
            case ast.Call(func=ast.Name(id="range"), args=[first, stop], keywords=[]):
                start, step = self._bound(first, name), 1
            case ast.Call(func=ast.Name(id="range"), args=[first, stop, by], keywords=[]):
                start, step = self._bound(first, name), self._step(by)
            case _:
                hint = "write 'for i in range(start, stop, step)'"
                raise refused("a loop must run over a range", self.script.span(node.iter), hint)
        end = self._bound(stop, name)
        wide = any(self.expressions.types.type_of(bound).bits > INT.bits for bound in (start, end))
        self.expressions.iterators[name] = LONG if wide else INT
        iterator = syntax.Name(name, self.script.span(node.target))
        return name, start, syntax.BinaryOp("<" if step > 0 else ">", iterator, end, end.span), step

    def _iterator(self, node: ast.expr) -> str:
        span = self.script.span(node)
        if not isinstance(node, ast.Name):
            raise refused("a loop has one iterator", span, "write 'for i in range(...)'")
        self.check_name(node.id, span)
        if node.id in self.arguments or node.id in self.variables:
            other = "an argument" if node.id in self.arguments else "a variable"
            raise refused(f"'{node.id}' is the iterator of a loop and {other} too", span, "rename one of them")
        return node.id

    def _bound(self, node: ast.expr, iterator: str) -> syntax.Expr:
        bound = self.expressions.expression(node)
        if self.expressions.types.has_fraction(bound):
            raise refused("a loop bound must be an integer", self.script.span(node), "divide with //")
        if iterator in names_in(bound):
            raise refused(f"the bound of the loop over '{iterator}' uses it", self.script.span(node), "rename it")
        return bound

    def _step(self, node: ast.expr) -> int:
        step = folded(node, self.expressions.constant)
        if not isinstance(step, int) or step == 0:
            hint = "write a number like 2 or -1"
            raise refused("the loop step is not a nonzero constant", self.script.span(node), hint)
        return step

    def _assignment(self, target: ast.expr, value: ast.expr, span: Span) -> Iterator[syntax.Node]:
        if not isinstance(target, ast.Name) or target.id in self.arguments:
            place = self._target(target)
            yield self._assigned(place, self.expressions.expression(value), span)
            return
        lowered = self.expressions.expression(value)
        yield from self._stored(target, promoted(self.expressions.types.type_of(lowered)), lowered, span)

    def _stored(self, target: ast.Name, kind: ScalarType, value: syntax.Expr, span: Span) -> Iterator[syntax.Node]:
        """An assignment to a local scalar, which it declares where no earlier one does."""
        where = self.script.span(target)
        symbol = self._known(_local(target.id, kind, (), where))
        place = self._target(target)
        yield syntax.Declare(replace(symbol, span=where))
        yield self._assigned(place, value, span)

    def _known(self, symbol: syntax.Symbol) -> syntax.Symbol:
        """The symbol that a local name stands for: the first one declared."""
        self.check_name(symbol.name, symbol.span)
        return self.expressions.symbols.setdefault(symbol.name, symbol)

    def _target(self, node: ast.expr) -> syntax.Name | syntax.Subscript:
        if not isinstance(node, ast.Name | ast.Subscript):
            hint = "assign to a scalar or an array element, one per statement"
            raise refused("this cannot be assigned to", self.script.span(node), hint)
        target = self.expressions.expression(node)
        assert isinstance(target, syntax.Name | syntax.Subscript)
        if isinstance(target, syntax.Name) and self._rank(target.id):
            hint = f"assign its elements: {target.id}[i] = ..."
            raise refused(f"the array '{target.id}' cannot be assigned as a whole", target.span, hint)
        return target

    def _rank(self, name: str) -> int:
        symbol = self.expressions.symbols.get(name)
        return len(symbol.extents) if symbol else 0

    def _assigned(self, target: syntax.Name | syntax.Subscript, value: syntax.Expr, span: Span) -> syntax.Assign:
        """The assignment; a number with a fraction does not silently become an integer."""
        types = self.expressions.types
        if types.are_integers(target) and types.has_fraction(value):
            name = target.id if isinstance(target, syntax.Name) else target.base
            hint = f"convert the value with int(...), or declare {name} with a floating-point type"
            raise refused(f"'{name}' holds integers, but the value is a floating-point number", value.span, hint)
        return syntax.Assign(target, value, span)

    def _update(self, target: ast.expr, op: ast.operator, value: ast.expr, span: Span) -> syntax.Assign:
        place = self._target(target)
        result = self.expressions.combined(op, place, self.expressions.expression(value), span)
        return self._assigned(place, result, span)

    def _declaration(self, node: ast.AnnAssign) -> Iterator[syntax.Node]:
        span = self.script.span(node.target)
        if not isinstance(node.target, ast.Name):
            raise refused("only a variable can be declared", span, "write name: type = value")
        name = node.target.id
        if name in self.arguments:
            raise refused(f"'{name}' is an argument and has a type already", span, "remove the type")
        shape = read_shape(node.annotation, self.script, self.expressions.type_alias)
        extents = tuple(e and self.expressions.expression_at(*e) for e in shape.extents)
        symbol = self._known(_local(name, shape.element, extents, span))
        if (symbol.type, len(symbol.extents)) != (shape.element, len(extents)):
            raise refused(f"'{name}' has another type already, in line {symbol.span.line}", span, "use another name")
        if node.value is None:
            yield syntax.Declare(replace(symbol, span=span))
        elif extents:
            hint = "declare it without a value, and assign the elements in a loop"
            raise refused("an array cannot be initialised where it is declared", self.script.span(node.value), hint)
        else:
            value = self.expressions.expression(node.value)
            yield from self._stored(node.target, shape.element, value, self.script.span(node))


def _local(name: str, kind: ScalarType, extents: tuple[syntax.Expr | None, ...], span: Span) -> syntax.Symbol:
    return syntax.Symbol(name, kind, extents, False, False, span, local=True)
