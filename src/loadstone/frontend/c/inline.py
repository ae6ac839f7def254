"""Calls of the file's own functions replaced by their bodies.

    void add(double *to, double by) { if (by == 0) return; *to += by; }
    int get(int *from, int pos) { int value = from[pos]; return value; }

    add(&s, a[i]);      ->   { double add_by = a[i]; if (add_by == 0) { } else { s += add_by; } }
    y[i] = get(a, i);   ->   int get_result;
                             { int get_pos = i; int get_value = a[get_pos]; get_result = get_value; }
                             y[i] = get_result;

Functions that return one expression of scalars are not touched here: expressions call them as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field

from pycparser import c_ast

from loadstone.errors import InputError, Problems, Span
from loadstone.frontend.c.declarations import Environment, shape_of
from loadstone.frontend.c.lower import refused
from loadstone.frontend.c.returns import UnstructuredReturnError, without_returns
from loadstone.frontend.c.trees import (
    element,
    integer_declaration,
    items_of,
    mapped,
    names_declared,
    names_used,
    parameters_of,
    renamed,
    subscripted,
    walk,
)


@dataclass(frozen=True, slots=True)
class _Place:
    """What a pointer parameter points to: the elements of `base[subscripts]`, or that one where it is an address."""

    base: c_ast.Node
    subscripts: list[c_ast.Node]
    is_address: bool


@dataclass(slots=True)
class Inliner:
    """Expands the calls of one kernel.

    `functions` are those to expand, `taken` the names that are in use, `local` those that the kernel's function
    declares; `active` are the functions around the place. `used`: there was a call to expand.
    """

    functions: Mapping[str, c_ast.FuncDef]
    environment: Environment
    span: Callable[[c_ast.Node], Span]
    problems: Problems
    taken: set[str]
    local: Collection[str]
    active: list[str]
    used: bool = False
    _names: dict[tuple[str, str], str] = field(default_factory=dict)

    def statements(self, nodes: Iterable[c_ast.Node]) -> list[c_ast.Node]:
        """The statements with calls expanded; those with problems are left out."""
        result: list[c_ast.Node] = []
        for node in nodes:
            try:
                result.extend(self._statement(node))
            except InputError as error:
                self.problems.extend(error)
        return result

    def _statement(self, node: c_ast.Node) -> list[c_ast.Node]:
        match node:
            case c_ast.Compound():
                return [self._block(node)]
            case c_ast.Label():
                *before, last = self._statement(node.stmt)
                return [*before, mapped(node, lambda _: last)]
            case c_ast.If():
                before, condition = self._hoisted(node.cond)
                return [*before, self._with_blocks(node, cond=condition)]
            case c_ast.For():
                self._check_head(node)
                return [self._with_blocks(node)]
            case c_ast.ExprList():
                return [part for expr in node.exprs for part in self._statement(expr)]
            case c_ast.FuncCall() if self._called(node):
                before, call = self._with_hoisted_children(node)
                return [*before, self._expanded(call, None)]
            case c_ast.Assignment() | c_ast.Decl() | c_ast.UnaryOp():
                before, changed = self._hoisted(node)
                return [*before, changed]
            case _:
                return [node]

    def _block(self, node: c_ast.Node) -> c_ast.Node:
        return c_ast.Compound(self.statements(items_of(node)), node.coord)

    def _with_blocks(self, node: c_ast.Node, **changes: c_ast.Node) -> c_ast.Node:
        result = copy(node)
        for slot in ("stmt", "iftrue", "iffalse"):
            child = getattr(node, slot, None)
            if child is not None:
                changes[slot] = self._block(child)
        for slot, child in changes.items():
            setattr(result, slot, child)
        return result

    def _called(self, node: c_ast.Node) -> c_ast.FuncDef | None:
        """The function to expand that a node calls."""
        is_call = isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID)
        return self.functions.get(node.name.name) if is_call else None

    def _calls(self, node: c_ast.Node) -> Iterator[c_ast.Node]:
        return (part for part in walk(node) if self._called(part))

    def _check_head(self, node: c_ast.For) -> None:
        heads = (head for head in (node.init, node.cond, node.next) if head is not None)
        call = next((call for head in heads for call in self._calls(head)), None)
        if call is not None:
            name = self._called(call).decl.name
            hint = "only functions that return one expression of their arguments can be called here"
            raise refused(f"'{name}' cannot be called in the head of a loop", self.span(call), hint)

    def _hoisted(self, node: c_ast.Node) -> tuple[list[c_ast.Node], c_ast.Node]:
        """Statements that execute the calls in an expression, and the expression with their results."""
        if not any(self._calls(node)):
            return [], node
        for side in _sometimes_evaluated(node):
            self._check_unconditional(side)
        before, changed = self._with_hoisted_children(node)
        if not self._called(changed):
            return before, changed
        result = self._result(changed)
        expansion = self._expanded(changed, result.name)
        return [*before, result, expansion], c_ast.ID(result.name, node.coord)

    def _with_hoisted_children(self, node: c_ast.Node) -> tuple[list[c_ast.Node], c_ast.Node]:
        before: list[c_ast.Node] = []

        def change(child: c_ast.Node) -> c_ast.Node:
            more, changed = self._hoisted(child)
            before.extend(more)
            return changed

        return before, mapped(node, change)

    def _check_unconditional(self, node: c_ast.Node) -> None:
        call = next(self._calls(node), None)
        if call is not None:
            name = self._called(call).decl.name
            hint = "call it in a statement of its own"
            raise refused(f"'{name}' is called only under a condition inside of an expression", self.span(call), hint)

    def _result(self, call: c_ast.Node) -> c_ast.Decl:
        """The declaration of the variable for the result of a call."""
        function = self._called(call)
        kind = function.decl.type.type
        shape = shape_of(kind, self.environment)
        name = function.decl.name
        if shape.element is None or shape.extents:
            raise refused(f"'{name}' returns no number", self.span(call), "use functions that return a number")
        declaration = copy(function.decl)
        declaration.type, declaration.storage, declaration.funcspec = kind, [], []
        return renamed(declaration, self._fresh(f"{name}_result"))

    def _expanded(self, call: c_ast.Node, result: str | None) -> c_ast.Node:
        """The body of the called function, with its parameters bound to the arguments."""
        function = self._called(call)
        name = function.decl.name
        if name in self.active:
            raise refused(f"'{name}' is recursive", self.span(call), "kernels cannot call recursive functions")
        self._check_names(function, call)
        expansion = _Expansion(self, name, self._names_in(function))
        bindings = list(expansion.bound(call, parameters_of(function)))
        body = [expansion.substituted(item) for item in items_of(function.body)]
        try:
            body = without_returns(body, lambda node: _assigned(result, node))
        except UnstructuredReturnError as error:
            hint = "return at the end of the function, or at the end of the branches of a condition"
            raise refused(f"'{name}' returns from inside of a loop or block", self.span(error.node), hint) from None
        self.used = True
        self.active.append(name)
        body = self.statements(body)
        self.active.pop()
        return c_ast.Compound([*bindings, *body], call.coord)

    def _check_names(self, function: c_ast.FuncDef, call: c_ast.Node) -> None:
        own = {*names_declared(function.body), *(p.name for p in parameters_of(function))}
        hidden = sorted((set(names_used(function.body)) - own) & set(self.local))
        if hidden:
            message = f"'{function.decl.name}' uses the global '{hidden[0]}', which a local variable hides here"
            raise refused(message, self.span(call), "rename the local variable")
        for part in walk(function.body):
            if isinstance(part, c_ast.Decl) and "static" in part.storage:
                raise refused("a static variable keeps its value between calls", self.span(part), "make it a global")

    def _names_in(self, function: c_ast.FuncDef) -> dict[str, str]:
        """New names for the parameters and local variables of a function."""
        name = function.decl.name
        own = [*(p.name for p in parameters_of(function)), *names_declared(function.body)]
        for local in own:
            if (name, local) not in self._names:
                self._names[name, local] = self._fresh(f"{name}_{local}")
        return {local: self._names[name, local] for local in own}

    def _fresh(self, name: str) -> str:
        candidate, number = name, 2
        while candidate in self.taken:
            candidate, number = f"{name}_{number}", number + 1
        self.taken.add(candidate)
        return candidate


@dataclass(slots=True)
class _Expansion:
    """One call being expanded: new names for what the function declares, places for its pointers."""

    inliner: Inliner
    function: str
    names: dict[str, str]
    places: dict[str, _Place] = field(default_factory=dict)

    def bound(self, call: c_ast.Node, parameters: list[c_ast.Decl]) -> Iterator[c_ast.Decl]:
        """The declarations that give parameters their values; pointers are bound to places instead."""
        arguments = call.args.exprs if call.args else []
        if len(arguments) != len(parameters):
            wanted = f"{len(parameters)} argument{'s' * (len(parameters) != 1)}"
            raise refused(f"'{self.function}' takes {wanted}, not {len(arguments)}", self.inliner.span(call))
        for parameter, argument in zip(parameters, arguments, strict=True):
            if shape_of(parameter.type, self.inliner.environment).extents:
                yield from self._bound_pointer(parameter.name, argument)
            else:
                declaration = renamed(parameter, self.names[parameter.name])
                declaration.init = argument
                yield declaration

    def _bound_pointer(self, parameter: str, argument: c_ast.Node) -> Iterator[c_ast.Decl]:
        is_address = isinstance(argument, c_ast.UnaryOp) and argument.op == "&"
        base, subscripts = subscripted(argument.expr if is_address else argument)
        if not isinstance(base, c_ast.ID | c_ast.StructRef):
            raise refused("pointer arithmetic is not supported", self.inliner.span(argument), "pass an array")
        for position, subscript in enumerate(subscripts):
            if not isinstance(subscript, c_ast.Constant):
                name = self.inliner._fresh(f"{self.names[parameter]}_{position}")
                yield integer_declaration(name, subscript)
                subscripts[position] = c_ast.ID(name, subscript.coord)
        self.places[parameter] = _Place(base, subscripts, is_address)

    def substituted(self, node: c_ast.Node) -> c_ast.Node:
        """A part of the body with names and pointers replaced, without labels."""
        match node:
            case c_ast.Label():
                return self.substituted(node.stmt)
            case c_ast.Decl():
                return mapped(renamed(node, self.names[node.name]) if node.name else node, self.substituted)
            case c_ast.StructRef(type="->"):
                zero = c_ast.Constant("int", "0", node.coord)
                pointed = self.substituted(c_ast.ArrayRef(node.name, zero, node.coord))
                return c_ast.StructRef(pointed, ".", node.field, node.coord)
            case c_ast.StructRef():
                return c_ast.StructRef(self.substituted(node.name), node.type, node.field, node.coord)
            case c_ast.UnaryOp(op="*"):
                return self.substituted(c_ast.ArrayRef(node.expr, c_ast.Constant("int", "0", node.coord), node.coord))
            case c_ast.ArrayRef() | c_ast.ID():
                return self._access(node)
            case _:
                return mapped(node, self.substituted)

    def _access(self, node: c_ast.Node) -> c_ast.Node:
        base, subscripts = subscripted(node)
        indices = [self.substituted(subscript) for subscript in subscripts]
        if not isinstance(base, c_ast.ID):
            return element(self.substituted(base), indices)
        if base.name in self.places:
            return self._at(self.places[base.name], indices, node)
        return element(c_ast.ID(self.names.get(base.name, base.name), base.coord), indices)

    def _at(self, place: _Place, indices: list[c_ast.Node], node: c_ast.Node) -> c_ast.Node:
        """The element of a place, or the place itself where there is no subscript."""
        if not place.is_address:
            return _moved(element(place.base, [*place.subscripts, *indices]), node)
        if not indices:
            return c_ast.UnaryOp("&", element(place.base, place.subscripts), node.coord)
        first, *rest = indices
        if isinstance(first, c_ast.Constant) and first.value == "0":
            return _moved(element(place.base, [*place.subscripts, *rest]), node)
        if len(place.subscripts) != 1:
            raise refused("this leaves the element that was passed", self.inliner.span(node), "pass the whole array")
        moved = c_ast.BinaryOp("+", place.subscripts[0], first, first.coord)
        return _moved(element(place.base, [moved, *rest]), node)


def _moved(node: c_ast.Node, to: c_ast.Node) -> c_ast.Node:
    """The node as if it stood where another does."""
    result = copy(node)
    result.coord = to.coord
    return result


def _assigned(result: str | None, node: c_ast.Return) -> list[c_ast.Node]:
    if result is None or node.expr is None:
        return []
    return [c_ast.Assignment("=", c_ast.ID(result, node.coord), node.expr, node.coord)]


def _sometimes_evaluated(node: c_ast.Node) -> tuple[c_ast.Node, ...]:
    match node:
        case c_ast.TernaryOp(iftrue=then, iffalse=otherwise):
            return then, otherwise
        case c_ast.BinaryOp(op="&&" | "||", right=right):
            return (right,)
        case _:
            return ()
