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

from collections.abc import Callable, Collection, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field

from pycparser import c_ast

from loadstone.errors import Problems, Span, refused
from loadstone.frontend.c.declarations import Environment, ranks_declared, shape_of
from loadstone.frontend.c.returns import UnstructuredReturnError, without_returns
from loadstone.frontend.c.rewrites.places import Substitution, moves_by_steps, place_of, with_steps_counted
from loadstone.frontend.c.trees import (
    Rewriter,
    items_of,
    mapped,
    names_declared,
    names_used,
    parameters_of,
    renamed,
    walk,
)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of a function that is to be expanded."""

    node: c_ast.FuncCall
    function: c_ast.FuncDef

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.decl.name

    @property
    def arguments(self) -> list[c_ast.Node]:
        """The arguments of the call."""
        return list(self.node.args.exprs) if self.node.args else []


@dataclass(slots=True)
class Inliner(Rewriter):
    """Expands the calls of one kernel.

    `functions`: the functions to expand. `taken`: names in use. `local`: names declared by the kernel's function.
    `active`: the functions around the place. `expanded`: the functions whose calls were expanded. `references`: the
    parameters, by function and name, that stand for their arguments. `ranks`: the numbers of dimensions of variables.
    """

    functions: Mapping[str, c_ast.FuncDef]
    environment: Environment
    span: Callable[[c_ast.Node], Span]
    problems: Problems
    taken: set[str]
    local: Collection[str]
    active: list[str]
    expanded: set[str] = field(default_factory=set[str])
    references: Collection[tuple[str, str]] = frozenset()
    ranks: dict[str, int] = field(default_factory=dict[str, int])
    _names: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])

    def statement(self, node: c_ast.Node) -> list[c_ast.Node]:
        """What a statement becomes with its calls expanded."""
        match node:
            case c_ast.Compound():
                return [self.block(node)]
            case c_ast.Label():
                *before, last = self.statement(node.stmt)
                return [*before, mapped(node, lambda _: last)]
            case c_ast.If():
                before, condition = self._hoisted(node.cond)
                return [*before, self.with_blocks(node, cond=condition)]
            case c_ast.For():
                self._check_head(node.init, node.cond, node.next)
                return [self.with_blocks(node)]
            case c_ast.While() | c_ast.DoWhile():
                self._check_head(node.cond)
                return [self.with_blocks(node)]
            case c_ast.ExprList():
                return [part for expr in node.exprs for part in self.statement(expr)]
            case c_ast.FuncCall() if self._call(node):
                before, changed = self._with_hoisted_children(node)
                call = self._call(changed)
                return [*before, self._expanded(call, None)] if call else before
            case c_ast.Assignment() | c_ast.Decl() | c_ast.UnaryOp():
                before, changed = self._hoisted(node)
                return [*before, changed]
            case _:
                return [node]

    def _call(self, node: c_ast.Node) -> _Call | None:
        """The call that a node is, if it is one to expand."""
        if not isinstance(node, c_ast.FuncCall) or not isinstance(node.name, c_ast.ID):
            return None
        function = self.functions.get(node.name.name)
        return _Call(node, function) if function else None

    def _first_call(self, *nodes: c_ast.Node | None) -> _Call | None:
        """The first call to expand in some trees."""
        calls = (self._call(part) for node in nodes if node is not None for part in walk(node))
        return next((call for call in calls if call), None)

    def _check_head(self, *parts: c_ast.Node | None) -> None:
        call = self._first_call(*parts)
        if call:
            hint = "only functions that return one expression of their arguments can be called here"
            raise refused(f"'{call.name}' cannot be called in the head of a loop", self.span(call.node), hint)

    def _hoisted(self, node: c_ast.Node) -> tuple[list[c_ast.Node], c_ast.Node]:
        """Statements that execute the calls in an expression, and the expression with their results."""
        if not self._first_call(node):
            return [], node
        self._check_unconditional(_sometimes_evaluated(node))
        before, changed = self._with_hoisted_children(node)
        call = self._call(changed)
        if not call:
            return before, changed
        result = self._result(call)
        return [*before, result, self._expanded(call, result.name)], c_ast.ID(result.name, node.coord)

    def _with_hoisted_children(self, node: c_ast.Node) -> tuple[list[c_ast.Node], c_ast.Node]:
        before: list[c_ast.Node] = []

        def change(child: c_ast.Node) -> c_ast.Node:
            more, changed = self._hoisted(child)
            before.extend(more)
            return changed

        return before, mapped(node, change)

    def _check_unconditional(self, nodes: tuple[c_ast.Node, ...]) -> None:
        call = self._first_call(*nodes)
        if call:
            message = f"'{call.name}' is called only under a condition inside of an expression"
            raise refused(message, self.span(call.node), "call it in a statement of its own")

    def _result(self, call: _Call) -> c_ast.Decl:
        """The declaration of the variable for the result of a call."""
        kind = call.function.decl.type.type
        shape = shape_of(kind, self.environment)
        if shape.extents or (shape.element is None and not self.environment.is_structure(kind)):
            message = f"'{call.name}' returns neither a number nor a structure"
            raise refused(message, self.span(call.node), "use functions that return one")
        declaration = copy(call.function.decl)
        declaration.type, declaration.storage, declaration.funcspec = kind, [], []
        return renamed(declaration, self.fresh(f"{call.name}_result"))

    def _expanded(self, call: _Call, result: str | None) -> c_ast.Node:
        """The body of the called function, with its parameters bound to the arguments."""
        if call.name in self.active:
            hint = "kernels cannot call recursive functions"
            raise refused(f"'{call.name}' is recursive", self.span(call.node), hint)
        self._check_names(call)
        substitution = Substitution(self.span, self.environment, self._names_in(call.function))
        bindings = list(_Expansion(self, call.name, substitution).bound(call))
        body = items_of(call.function.body)
        pointers = [name for name in substitution.places if (call.name, name) not in self.references]
        for name in (each for each in pointers if moves_by_steps(body, each)):
            counted, place, body = with_steps_counted(name, substitution.places[name], body, self.fresh)
            substitution.places[name] = place
            bindings = [*counted, *bindings]
        body = [substitution.substituted(item) for item in body]
        try:
            body = without_returns(body, lambda node: _assigned(result, node))
        except UnstructuredReturnError as error:
            hint = "return at the end of the function, or at the end of the branches of a condition"
            message = f"'{call.name}' returns from inside of a loop or block"
            raise refused(message, self.span(error.node), hint) from None
        self.expanded.add(call.name)
        self.active.append(call.name)
        body = self.statements(body)
        self.active.pop()
        return c_ast.Compound([*bindings, *body], call.node.coord)

    def _check_names(self, call: _Call) -> None:
        body = call.function.body
        own = {*names_declared(body), *(p.name for p in parameters_of(call.function))}
        hidden = sorted((set(names_used(body)) - own) & set(self.local))
        if hidden:
            message = f"'{call.name}' uses the global '{hidden[0]}', which a local variable hides here"
            raise refused(message, self.span(call.node), "rename the local variable")
        for part in walk(body):
            if isinstance(part, c_ast.Decl) and "static" in part.storage:
                raise refused("a static variable keeps its value between calls", self.span(part), "make it a global")

    def _names_in(self, function: c_ast.FuncDef) -> dict[str, str]:
        """New names for the parameters and local variables of a function."""
        name = function.decl.name
        own = [*(p.name for p in parameters_of(function)), *names_declared(function.body)]
        for local in own:
            if (name, local) not in self._names:
                self._names[name, local] = self.fresh(f"{name}_{local}")
        names = {local: self._names[name, local] for local in own}
        self.ranks.update((names[local], rank) for local, rank in ranks_declared(function.body, self.environment))
        return names

    def fresh(self, name: str) -> str:
        """A name that is not in use yet."""
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
    substitution: Substitution

    def bound(self, call: _Call) -> Iterator[c_ast.Decl]:
        """The declarations that give parameters their values; pointers are bound to places instead."""
        parameters = parameters_of(call.function)
        if len(call.arguments) != len(parameters):
            wanted = f"{len(parameters)} argument{'s' * (len(parameters) != 1)}"
            message = f"'{self.function}' takes {wanted}, not {len(call.arguments)}"
            raise refused(message, self.inliner.span(call.node), "call it as it is declared")
        for parameter, argument in zip(parameters, call.arguments, strict=True):
            is_reference = (self.function, parameter.name) in self.inliner.references
            if is_reference or shape_of(parameter.type, self.inliner.environment).extents:
                yield from self._bound_pointer(parameter.name, argument)
            else:
                declaration = renamed(parameter, self.substitution.names[parameter.name])
                declaration.init = argument
                yield declaration

    def _bound_pointer(self, parameter: str, argument: c_ast.Node) -> Iterator[c_ast.Decl]:
        place = place_of(argument, self.inliner.environment, self.inliner.ranks)
        if place is None:
            hint = "pass an array, a row of one, or the address of an element"
            raise refused(f"'{self.function}' needs an array here", self.inliner.span(argument), hint)
        name = self.substitution.names[parameter]
        positions = (k for k, each in enumerate(place.subscripts) if not isinstance(each, c_ast.Constant))
        noted, fixed = place.fixed(lambda: self.inliner.fresh(f"{name}_{next(positions)}"))
        yield from noted
        self.substitution.places[parameter] = fixed


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
