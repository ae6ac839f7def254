"""Calls of functions that are known only by their declarations, as values of their arguments.

    int f(int, const int *);   void rotate(int, int *, int *);   void show(int);

    y[i] = f(i, a[i]);         ->   y[i] = f(i, a[i][some()]);
    rotate(k, &x[i], &t);      ->   rotate_1 = rotate(k, x[i], t); rotate_2 = rotate(k, x[i], t);
                                    x[i] = rotate_1; t = rotate_2;
    show(s);                   ->   show_calls = show(show_calls, s);

A function may read what its pointers point to, and change it where that is not constant; nothing else. An address is
that of one element, an array or a row is all of it: `some()` is a subscript that is not known. Functions that change
nothing are called in the order of the source, if their results are not used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeGuard

from pycparser import c_ast

from loadstone.errors import Problems, Span, refused
from loadstone.frontend.c.declarations import Environment, shape_of
from loadstone.frontend.c.trees import Rewriter, element, innermost, mapped, subscripted
from loadstone.model.functions import OPERATORS, OVERLOADED, SIGNATURES
from loadstone.model.types import INT, ScalarType

ALL = "*"
"""Stands for every function that is only declared."""
SOME = "some"
_PURE = re.compile(r"__attribute(?:__)?\s*\(\(\s*(?:__)?(?:const|pure)(?:__)?\s*\)\)")
_NAME_BEHIND = re.compile(r"[\s\w*]*?(\w+)\s*\(")
_NAME_BEFORE = re.compile(r"(\w+)\s*\([^()]*\)\s*$")
_BUILT_IN = frozenset({*OPERATORS, *SIGNATURES, *OVERLOADED, "ceild", SOME})


def attributed(text: str) -> set[str]:
    """The functions that a source declares with `__attribute__((const))` or `((pure))`."""
    found: set[str] = set()
    for attribute in _PURE.finditer(text):
        before = _NAME_BEFORE.search(text[: attribute.start()])
        behind = _NAME_BEHIND.match(text, attribute.end())
        found |= {match[1] for match in (before or behind,) if match}
    return found


@dataclass(slots=True)
class Externals(Rewriter):
    """Rewrites the calls of one kernel.

    `pure`: functions without effects beside those of their pointers. `declared`, `defined`: what the file declares and
    defines, `ranks`: the numbers of dimensions of variables. `types` gets the types of results, `calls` the scalars
    that keep calls without result in order, by function.
    """

    pure: Collection[str]
    declared: Mapping[str, c_ast.FuncDecl]
    defined: Collection[str]
    environment: Environment
    span: Callable[[c_ast.Node], Span]
    problems: Problems
    taken: set[str]
    ranks: dict[str, int] = field(default_factory=dict[str, int])
    types: dict[str, ScalarType] = field(default_factory=dict[str, ScalarType])
    calls: dict[str, c_ast.Decl] = field(default_factory=dict[str, c_ast.Decl])

    def statement(self, node: c_ast.Node) -> Iterator[c_ast.Node]:
        """What a statement becomes with calls as values."""
        match node:
            case c_ast.Compound():
                yield self.block(node)
            case c_ast.Label():
                *before, last = self.statement(node.stmt)
                yield from before
                yield mapped(node, lambda _: last)
            case c_ast.If() | c_ast.For() | c_ast.While() | c_ast.DoWhile():
                yield self.rewritten(node, self._value)
            case c_ast.FuncCall() if self._is_external(node):
                yield from self._called(node, None)
            case c_ast.Assignment(op="=", lvalue=lvalue, rvalue=c_ast.FuncCall() as call) if self._is_external(call):
                yield from self._called(call, self._value(lvalue))
            case _:
                yield self._value(node)

    def _is_external(self, node: c_ast.Node) -> TypeGuard[c_ast.FuncCall]:
        """Whether a node calls a function that is only declared, and pure."""
        if not isinstance(node, c_ast.FuncCall) or not isinstance(node.name, c_ast.ID):
            return False
        name = node.name.name
        if name in self.defined or name in _BUILT_IN:
            return False
        return name in self.pure or (ALL in self.pure and name in self.declared)

    def _value(self, node: c_ast.Node) -> c_ast.Node:
        """An expression with its calls as values."""
        if not self._is_external(node):
            return mapped(node, self._value)
        if self._outputs(node):
            hint = "call it in a statement of its own"
            raise refused(f"'{node.name.name}' changes its arguments inside of an expression", self.span(node), hint)
        return self._call(node)

    def _call(self, node: c_ast.FuncCall) -> c_ast.FuncCall:
        """The call with elements in place of pointers."""
        name = node.name.name
        self.types[name] = self._result(name)
        arguments = c_ast.ExprList([self._read(argument) for argument in _arguments(node)], node.coord)
        return c_ast.FuncCall(node.name, arguments, node.coord)

    def _result(self, name: str) -> ScalarType:
        declared = self.declared.get(name)
        return (declared and shape_of(declared.type, self.environment).element) or INT

    def _read(self, node: c_ast.Node) -> c_ast.Node:
        """What an argument reads: an element in place of a pointer."""
        place = self._place(node)
        return self._value(node) if place is None else place

    def _place(self, node: c_ast.Node) -> c_ast.Node | None:
        """The element that a pointer stands for; None where an argument is no pointer."""
        while isinstance(node, c_ast.Cast) and shape_of(node.to_type.type, self.environment).extents:
            node = node.expr
        address = node.expr if isinstance(node, c_ast.UnaryOp) and node.op == "&" else None
        base, subscripts = subscripted(address or node)
        rank = self.ranks.get(base.name, 0) if isinstance(base, c_ast.ID) else 0
        missing = rank - len(subscripts)
        if address is None and (missing <= 0 or not isinstance(base, c_ast.ID)):
            return None
        unknown = c_ast.FuncCall(c_ast.ID(SOME, node.coord), None, node.coord)
        self.types[SOME] = INT
        return element(base, [*map(self._value, subscripts), *[unknown] * max(missing, 0)])

    def _outputs(self, node: c_ast.FuncCall) -> list[c_ast.Node]:
        """The elements that a call may change."""
        declared = self.declared.get(node.name.name)
        parameters = list(declared.args.params) if declared is not None and declared.args else []
        found: list[c_ast.Node] = []
        for position, argument in enumerate(_arguments(node)):
            parameter = parameters[position] if position < len(parameters) else None
            place = self._place(argument)
            if place is not None and not _is_constant(parameter, self.environment):
                found.append(place)
        return found

    def _called(self, node: c_ast.FuncCall, target: c_ast.Node | None) -> Iterator[c_ast.Node]:
        """The statements of a call: its result and what it changes, all from the values before it."""
        targets = [*([target] if target is not None else []), *self._outputs(node)]
        value = self._call(node)
        if not targets:
            yield self._in_order(value)
        elif len(targets) == 1:
            yield c_ast.Assignment("=", targets[0], value, node.coord)
        else:
            names = [self.fresh(f"{node.name.name}_{k + 1}") for k in range(len(targets))]
            for name in names:
                yield self._scalar(name, node, value)
            for name, place in zip(names, targets, strict=True):
                yield c_ast.Assignment("=", place, c_ast.ID(name, node.coord), node.coord)

    def _in_order(self, call: c_ast.FuncCall) -> c_ast.Node:
        """A call whose result nobody uses, behind those before it."""
        function = call.name.name
        if function not in self.calls:
            self.calls[function] = self._scalar(self.fresh(f"{function}_calls"), call, None)
        before = c_ast.ID(self.calls[function].name, call.coord)
        arguments = c_ast.ExprList([before, *_arguments(call)], call.coord)
        return c_ast.Assignment("=", before, c_ast.FuncCall(call.name, arguments, call.coord), call.coord)

    def _scalar(self, name: str, node: c_ast.Node, value: c_ast.Node | None) -> c_ast.Decl:
        kind = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(["double"], node.coord), node.coord)
        return c_ast.Decl(name, [], [], [], [], kind, value, None, node.coord)


def declared_functions(definitions: Iterable[c_ast.Node]) -> dict[str, c_ast.FuncDecl]:
    """The functions that declarations name."""
    functions = (node for node in definitions if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl))
    return {node.name: node.type for node in functions}


def _arguments(node: c_ast.FuncCall) -> list[c_ast.Node]:
    return list(node.args.exprs) if node.args else []


def _is_constant(parameter: c_ast.Node | None, environment: Environment) -> bool:
    """Whether a function cannot change what a parameter points to."""
    if not isinstance(parameter, c_ast.Decl | c_ast.Typename):
        return False
    inner = innermost(parameter.type)
    return "const" in getattr(inner, "quals", ()) or shape_of(parameter.type, environment).constant
