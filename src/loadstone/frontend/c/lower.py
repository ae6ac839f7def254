"""From pycparser's statements and expressions to our syntax tree, refusing what no kernel can hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from pycparser import c_ast

from loadstone.errors import Diagnostic, InputError, Problems, Span, refused
from loadstone.frontend import syntax
from loadstone.frontend.c.counters import (
    constant_sum,
    counted_loops,
    has_counter,
    is_stepped_last,
    plain_loop,
    repeated,
    stepped_in_body,
)
from loadstone.frontend.c.declarations import (
    Environment,
    Shape,
    constant_number,
    constant_values,
    literal_value,
    shape_of,
)
from loadstone.frontend.c.rewrites.factors import hint_of_step
from loadstone.frontend.c.rewrites.initialisers import completed, initial_values
from loadstone.frontend.c.rewrites.switches import UnstructuredSwitchError, as_conditions
from loadstone.frontend.c.trees import innermost, items_of, subscripted, summands
from loadstone.model.types import INT, ULONG, Number, ScalarType

_REFUSED_STATEMENTS: dict[type[c_ast.Node], tuple[str, str]] = {
    c_ast.Goto: ("'goto' is not static control", "use loops, conditions, 'break' and 'continue'"),
    c_ast.Return: (
        "'return' inside the kernel is not static control",
        "end the kernel with the return of a scalar variable, or of nothing",
    ),
}
KILL = "__pencil_kill"
ASSUMED = ("__pencil_assume", "__builtin_assume")
_UNREACHABLE = "__builtin_unreachable"
_WITHOUT_EFFECT = (KILL, _UNREACHABLE)
_COMPOUND = {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
_ESCAPES = {r"\0": "\0", r"\n": "\n", r"\t": "\t", r"\r": "\r", r"\\": "\\", r"\'": "'", r"\"": '"'}
_INCREMENTS = {"p++": "+", "++": "+", "p--": "-", "--": "-"}


@dataclass(slots=True)
class Lowering:
    """Lowers the nodes of one file; problems are collected statement by statement.

    `unsupported` holds what is wrong with declarations that matter only where they are used, `ranks` the numbers of
    dimensions of what is declared, `depth` the number of loops around, `inside` that of loops and
    conditions. `assumptions` are what statements say of parameters. `may_be_open`: ends of loops may depend on data.
    """

    span: Callable[[c_ast.Node], Span]
    environment: Environment
    problems: Problems
    unsupported: dict[str, Diagnostic] = field(default_factory=dict[str, Diagnostic])
    labels: set[str] = field(default_factory=set[str])
    ranks: dict[str, int] = field(default_factory=dict[str, int])
    depth: int = 0
    inside: int = 0
    may_be_open: bool = False
    assumptions: list[syntax.Expr] = field(default_factory=list[syntax.Expr])

    def expression_at(self, node: c_ast.Node, span: Callable[[c_ast.Node], Span]) -> syntax.Expr:
        """An expression that stands elsewhere, with a position finder of its own."""
        return replace(self, span=span).expression(node)

    def block(self, node: c_ast.Node | None) -> syntax.Block:
        """A statement as a block of its own scope."""
        if node is None:
            return syntax.Block(())
        items = node.block_items or () if isinstance(node, c_ast.Compound) else (node,)
        return syntax.Block(tuple(self.statements(items)))

    def statements(self, nodes: Iterable[c_ast.Node]) -> Iterator[syntax.Node]:
        """The lowered statements; those with problems are left out."""
        for node in counted_loops(nodes):
            try:
                yield from self._statement(node, "")
            except InputError as error:
                self.problems.extend(error)

    def _statement(self, node: c_ast.Node, label: str) -> Iterator[syntax.Node]:
        match node:
            case c_ast.Compound():
                yield self.block(node)
            case c_ast.Label():
                yield from self._statement(node.stmt, self._label(node))
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                yield self._loop(node)
            case c_ast.Break() | c_ast.Continue():
                yield self._jump(node)
            case c_ast.If():
                yield self._if(node)
            case c_ast.Decl() | c_ast.Typedef():
                yield from self._declaration(node)
            case c_ast.EmptyStatement() | c_ast.Pragma():
                return
            case c_ast.ExprList(exprs=exprs):
                for position, expr in enumerate(exprs):
                    yield from self._statement(expr, label if position == len(exprs) - 1 else "")
            case c_ast.Assignment() | c_ast.UnaryOp():
                yield from self._assignment(node, label)
            case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in (*ASSUMED, *_WITHOUT_EFFECT):
                self._assume(node)
            case _:
                raise self._refused_statement(node)

    def _if(self, node: c_ast.If) -> syntax.Node:
        condition = self.expression(node.cond)
        if _is_unreachable(node.iftrue) and node.iffalse is None and not self.inside:
            self.assumptions.append(syntax.UnaryOp("!", condition, self.span(node)))
        self.inside += 1
        then, otherwise = self.block(node.iftrue), self.block(node.iffalse)
        self.inside -= 1
        return syntax.If(condition, then, otherwise, self.span(node))

    def _assume(self, node: c_ast.FuncCall) -> None:
        """Note what a call says of parameters, where it is always executed."""
        if node.name.name in ASSUMED and not self.inside and node.args:
            self.assumptions.append(self.expression(node.args.exprs[0]))

    def _label(self, node: c_ast.Label) -> str:
        """The name that a label gives; none where it is taken."""
        if node.name in self.labels:
            self.problems.add(f"the label '{node.name}' is used twice", self.span(node), "rename one of them")
            return ""
        self.labels.add(node.name)
        return node.name

    def _refused_statement(self, node: c_ast.Node) -> InputError:
        span = self.span(node)
        if isinstance(node, c_ast.FuncCall):
            name = f"'{node.name.name}'" if isinstance(node.name, c_ast.ID) else "this function"
            hint = "define the function, or declare that it has no effects: __attribute__((const)), or --pure NAME"
            return refused(f"the call of {name} has unknown effects", span, hint)
        if isinstance(node, c_ast.Switch):
            return self._refused_switch(node)
        message, hint = _REFUSED_STATEMENTS.get(
            type(node), ("this statement has no effect that a kernel can model", "a statement is an assignment")
        )
        return refused(message, span, hint)

    def _refused_switch(self, node: c_ast.Switch) -> InputError:
        """Why a 'switch' is no choice between bodies."""
        try:
            as_conditions(node)
        except UnstructuredSwitchError as error:
            return refused(error.message, self.span(error.node), error.hint)
        return refused("'switch' is not supported here", self.span(node), "use 'if' and 'else'")

    def _declaration(self, node: c_ast.Decl | c_ast.Typedef) -> Iterator[syntax.Node]:
        self.environment.declare(node)
        if isinstance(node, c_ast.Typedef) or node.name is None:
            return
        static = "static" in node.storage or "extern" in node.storage
        try:
            self._check_no_pointer(node)
            self._check_name(node, static=static)
            symbol = self.symbol(node, initialised=static, live_out=static)
        except InputError as error:
            self.unsupported[node.name] = error.diagnostics[0]
            return
        own = not static or symbol.constant
        yield syntax.Declare(replace(symbol, local=own, initialised=symbol.initialised or symbol.constant))
        if node.init is not None and not symbol.constant and not static:
            yield from self._initialiser(node, symbol)

    def _check_name(self, node: c_ast.Decl, *, static: bool) -> None:
        """Static variables are memory of the caller, under their names."""
        if static and node.name in self.ranks:
            hint = "rename it, or declare it outside of the kernel only"
            self.problems.add(f"the static variable '{node.name}' has the name of another one", self.span(node), hint)

    def _check_no_pointer(self, node: c_ast.Decl) -> None:
        if shape_of(node.type, self.environment).pointer:
            span = self.span(innermost(node.type))
            hint = "declare an array, or use the one that it points to"
            raise refused(f"the pointer '{node.name}' is declared inside the kernel", span, hint)

    def _initialiser(self, node: c_ast.Decl, symbol: syntax.Symbol) -> Iterator[syntax.Node]:
        if not symbol.extents:
            target = syntax.Name(symbol.name, symbol.span)
            yield syntax.Assign(target, self.expression(node.init), symbol.span)
            return
        sizes = self._sizes(node, symbol)
        if len(sizes) < len(symbol.extents) or not isinstance(node.init, c_ast.InitList):
            raise refused("this initialiser is not supported inside the kernel", symbol.span, "assign the elements")
        for assigned in initial_values(node, sizes, self.environment.enumerators, self.span):
            yield from self._statement(assigned, "")

    def _sizes(self, node: c_ast.Decl, symbol: syntax.Symbol) -> list[int]:
        """The extents of an array that are numbers."""
        names = self.environment.enumerators
        numbers = [constant_number(extent, names) for extent in shape_of(node.type, self.environment).extents]
        if numbers == [None]:
            numbers = [each.value for each in symbol.extents if isinstance(each, syntax.Literal)]
        return [number for number in numbers if isinstance(number, int)]

    def symbol(self, node: c_ast.Decl, *, initialised: bool, live_out: bool) -> syntax.Symbol:
        """What a declaration declares."""
        span = self.span(innermost(node.type))
        shape = shape_of(node.type, self.environment)
        if shape.element is None:
            hint = "use integers, float, double, and arrays and structures of them"
            raise refused(f"'{node.name}' has a type that kernels cannot hold", span, hint)
        extents = tuple(None if dim is None else self.expression(dim) for dim in shape.extents)
        self.ranks[node.name] = len(extents)
        values = self._constant_values(node, shape)
        return syntax.Symbol(
            node.name,
            shape.element,
            completed(extents, node.init, span),
            initialised,
            live_out,
            span,
            values is not None,
            values,
        )

    def _constant_values(self, node: c_ast.Decl, shape: Shape) -> tuple[Number, ...] | None:
        """The contents of what is declared constant, where they are numbers."""
        if node.init is None or not shape.constant or shape.pointer or shape.element is None:
            return None
        names = self.environment.enumerators
        numbers = (constant_number(extent, names) for extent in shape.extents)
        extents = [number if isinstance(number, int) else None for number in numbers]
        values = constant_values(node.init, extents, names)
        return None if values is None else tuple(map(shape.element.wrap, values))

    def _loop(self, node: c_ast.For | c_ast.While | c_ast.DoWhile) -> syntax.Node:
        """The loop; one without counter gets one."""
        if not has_counter(node):
            return self._for(repeated(node))
        if self.may_be_open and not self._has_constant_step(node) and is_stepped_last(node):
            return self.block(c_ast.Compound(stepped_in_body(node), node.coord))
        return self._for(node)

    def _for(self, node: c_ast.For) -> syntax.For:
        span = self.span(node)
        node, first_step = plain_loop(node)
        iterator, declared, start = self._loop_start(node, span)
        step = self._loop_step(node, iterator, span)
        self.depth, self.inside = self.depth + 1, self.inside + 1
        body = self.block(node.stmt)
        self.depth, self.inside = self.depth - 1, self.inside - 1
        condition = syntax.Literal(1, INT, "1", span) if node.cond is None else self.expression(node.cond)
        return syntax.For(iterator, declared, start, condition, step, body, span, first_step)

    def _jump(self, node: c_ast.Break | c_ast.Continue) -> syntax.Jump:
        leaves_loop = isinstance(node, c_ast.Break)
        if not self.depth:
            word = "break" if leaves_loop else "continue"
            hint = "move the loop into the kernel"
            raise refused(f"this '{word}' stands in no loop of the kernel", self.span(node), hint)
        return syntax.Jump(leaves_loop, self.span(node))

    def _has_constant_step(self, node: c_ast.For) -> bool:
        """Whether a loop steps by a constant, as far as its head tells."""
        if node.next is None:
            return True
        span = self.span(node)
        try:
            self._loop_step(node, self._loop_start(node, span)[0], span)
        except InputError:
            return False
        return True

    def _loop_start(self, node: c_ast.For, span: Span) -> tuple[str, ScalarType | None, syntax.Expr]:
        match node.init:
            case c_ast.DeclList(decls=[c_ast.Decl(init=c_ast.Node()) as declared]):
                shape = shape_of(declared.type, self.environment)
                kind = shape.element
                if kind is None or shape.extents or not kind.is_integer:
                    message = f"the iterator '{declared.name}' is not an integer"
                    raise refused(message, self.span(declared), "declare it as int")
                return declared.name, kind, self.expression(declared.init)
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name)):
                return name, None, self.expression(node.init.rvalue)
            case _:
                hint = "write for (i = 0; ...)"
                raise refused("the loop must start with one assignment to its iterator", span, hint)

    def _loop_step(self, node: c_ast.For, iterator: str, span: Span) -> int:
        step: object = None
        match node.next:
            case c_ast.UnaryOp(op=op, expr=c_ast.ID(name=name)) if name == iterator and op in _INCREMENTS:
                step = 1 if _INCREMENTS[op] == "+" else -1
            case c_ast.Assignment(op="+=" | "-=" as op, lvalue=c_ast.ID(name=name), rvalue=amount) if name == iterator:
                step = self._amount(amount, op[0])
            case c_ast.Assignment(
                op="=", lvalue=c_ast.ID(name=name), rvalue=c_ast.BinaryOp(op="+" | "-" as op, left=left, right=right)
            ) if name == iterator:
                step = self._update(left, op, right, iterator)
            case _:
                pass
        if not isinstance(step, int) or step == 0:
            where = self.span(node.next) if node.next else span
            message = f"the loop does not change '{iterator}' by a nonzero constant"
            raise refused(message, where, hint_of_step(node, iterator))
        return step

    def _update(self, left: c_ast.Node, op: str, right: c_ast.Node, iterator: str) -> object:
        if isinstance(left, c_ast.ID) and left.name == iterator:
            return self._amount(right, op)
        if op == "+" and isinstance(right, c_ast.ID) and right.name == iterator:
            return self._amount(left, op)
        return None

    def _amount(self, node: c_ast.Node, sign: str) -> object:
        value = constant_number(node, self.environment.enumerators)
        value = constant_sum(node, self.environment.enumerators) if value is None else value
        return -value if sign == "-" and value is not None else value

    def _assignment(self, node: c_ast.Node, label: str) -> Iterator[syntax.Node]:
        span = self.span(node)
        match node:
            case c_ast.UnaryOp(op=op, expr=expr) if op in _INCREMENTS:
                target = self._target(expr)
                one = syntax.Literal(1, INT, "1", span)
                yield syntax.Assign(target, syntax.BinaryOp(_INCREMENTS[op], target, one, span), span, label)
            case c_ast.Assignment(op=op, lvalue=lvalue, rvalue=rvalue):
                target = self._target(lvalue)
                if isinstance(rvalue, c_ast.Assignment):
                    yield from self._assignment(rvalue, "")
                    rvalue = rvalue.lvalue
                value = self.expression(rvalue)
                if op in _COMPOUND:
                    value = syntax.BinaryOp(op[:-1], target, value, span)
                yield syntax.Assign(target, value, span, label)
            case _:
                raise self._refused_statement(node)

    def _target(self, node: c_ast.Node) -> syntax.Name | syntax.Subscript:
        is_place = isinstance(node, c_ast.ID | c_ast.ArrayRef) or (isinstance(node, c_ast.UnaryOp) and node.op == "*")
        target = self.expression(node)
        if not is_place or not isinstance(target, syntax.Name | syntax.Subscript):
            raise refused("this cannot be assigned to", self.span(node), "assign to a scalar or an array element")
        return target

    def expression(self, node: c_ast.Node) -> syntax.Expr:
        """The lowered expression."""
        span = self.span(node)
        match node:
            case c_ast.ID(name=name) if name in self.environment.enumerators:
                value = self.environment.enumerators[name]
                return syntax.Literal(value, INT, str(value), span)
            case c_ast.ID(name=name):
                return syntax.Name(name, span)
            case c_ast.Constant():
                return self._literal(node, span)
            case c_ast.ArrayRef():
                return self._subscript(node, span)
            case c_ast.BinaryOp(op=op, left=left, right=right):
                return syntax.BinaryOp(op, self.expression(left), self.expression(right), span)
            case c_ast.UnaryOp():
                return self._unary(node, span)
            case c_ast.TernaryOp(cond=cond, iftrue=then, iffalse=otherwise):
                return syntax.Conditional(
                    self.expression(cond), self.expression(then), self.expression(otherwise), span
                )
            case c_ast.FuncCall():
                return self._call(node, span)
            case c_ast.Cast(to_type=to_type, expr=expr):
                return self._cast(to_type, expr, span)
            case _:
                raise self._refused_expression(node, span)

    def _refused_expression(self, node: c_ast.Node, span: Span) -> InputError:
        match node:
            case c_ast.StructRef() if diagnostic := self._unsupported_base(node):
                return InputError(diagnostic)
            case c_ast.StructRef():
                hint = "declare the structure with its members, and name a variable before the member"
                return refused("this member of a structure cannot be resolved", span, hint)
            case c_ast.Assignment():
                return refused("an assignment inside an expression is not supported", span, "assign in a statement")
            case c_ast.ExprList():
                return refused("the comma operator is not supported", span, "write separate statements")
            case _:
                hint = "use arithmetic on scalars and array elements"
                return refused("this expression is not supported in a kernel", span, hint)

    def _unsupported_base(self, node: c_ast.Node) -> Diagnostic | None:
        """What is wrong with the declaration of the variable whose member is used."""
        while isinstance(node, c_ast.StructRef | c_ast.ArrayRef):
            node = node.name
        return self.unsupported.get(node.name) if isinstance(node, c_ast.ID) else None

    def _literal(self, node: c_ast.Constant, span: Span) -> syntax.Literal:
        if node.type == "char":
            return syntax.Literal(self._character(node.value, span), INT, node.value, span)
        if node.type == "string":
            raise refused("character strings are not supported in a kernel", span, "use numbers")
        value, kind = literal_value(node.value)
        if kind is None:
            hint = "use a literal of type int, long, float or double"
            raise refused(f"the literal {node.value} has a type that is not supported", span, hint)
        return syntax.Literal(value, kind, node.value, span)

    def _character(self, text: str, span: Span) -> int:
        """The value of a character constant."""
        character = _ESCAPES.get(text[1:-1], text[1:-1])
        if len(character) != 1 or not character.isascii():
            raise refused(f"the character {text} is not supported in a kernel", span, "use its number")
        return ord(character)

    def _subscript(self, node: c_ast.ArrayRef, span: Span) -> syntax.Subscript:
        base, subscripts = subscripted(node)
        for subscript in subscripts:
            if isinstance(subscript, c_ast.ExprList):
                raise refused("a comma inside of a subscript is not supported", self.span(subscript), "write a[i][j]")
        indices = [self.expression(subscript) for subscript in subscripts]
        if isinstance(base, c_ast.UnaryOp) and base.op == "*" and isinstance(base.expr, c_ast.ID):
            indices.insert(0, syntax.Literal(0, INT, "0", span))
            base = base.expr
        if isinstance(base, c_ast.BinaryOp):
            start = self._pointed(base, span)
            last = syntax.BinaryOp("+", start.indices[-1], indices[0], span)
            return replace(start, indices=(*start.indices[:-1], last, *indices[1:]))
        if isinstance(base, c_ast.StructRef):
            raise self._refused_expression(base, self.span(base))
        if not isinstance(base, c_ast.ID):
            raise refused("only a named array can be subscripted", span, "subscript a named array")
        return syntax.Subscript(base.name, tuple(indices), span)

    def _pointed(self, node: c_ast.Node, span: Span) -> syntax.Subscript:
        """The element that the sum of an array, or of a row of it, and of integers points to."""
        terms = list(summands(node))
        base = next((k for k, (sign, term) in enumerate(terms) if sign == "+" and self._is_pointer(term)), 0)
        array, subscripts = subscripted(terms.pop(base)[1])
        if not isinstance(array, c_ast.ID) or len(subscripts) >= self.ranks.get(array.name, 0):
            raise refused("this pointer is not the sum of an array and integers", span, "subscript a named array")
        offset: syntax.Expr = syntax.Literal(0, INT, "0", span)
        for position, (sign, term) in enumerate(terms):
            value = self.expression(term)
            offset = value if position == 0 and sign == "+" else syntax.BinaryOp(sign, offset, value, span)
        return syntax.Subscript(array.name, (*map(self.expression, subscripts), offset), span)

    def _is_pointer(self, node: c_ast.Node) -> bool:
        """Whether an expression names an array, or a row of one."""
        base, subscripts = subscripted(node)
        return isinstance(base, c_ast.ID) and len(subscripts) < self.ranks.get(base.name, 0)

    def _unary(self, node: c_ast.UnaryOp, span: Span) -> syntax.Expr:
        match node.op:
            case "+":
                return self.expression(node.expr)
            case "-" | "!" | "~":
                return syntax.UnaryOp(node.op, self.expression(node.expr), span)
            case "*" if isinstance(node.expr, c_ast.ID):
                return syntax.Subscript(node.expr.name, (syntax.Literal(0, INT, "0", span),), span)
            case "*":
                return self._pointed(node.expr, span)
            case "&":
                raise refused("taking an address is not supported here", span, "name the variable itself")
            case "sizeof":
                return self._sizeof(node.expr, span)
            case _:
                hint = "change the variable in a statement of its own"
                raise refused(f"'{node.op.strip('p')}' inside an expression is not supported", span, hint)

    def _sizeof(self, node: c_ast.Node, span: Span) -> syntax.Literal:
        shape = shape_of(node.type, self.environment) if isinstance(node, c_ast.Typename) else None
        if shape is None or shape.element is None or shape.extents:
            raise refused("this 'sizeof' is not supported", span, "only sizes of arithmetic types are")
        size = shape.element.storage.bits // 8
        return syntax.Literal(size, ULONG, f"{size}ul", span)

    def _call(self, node: c_ast.FuncCall, span: Span) -> syntax.Expr:
        if not isinstance(node.name, c_ast.ID):
            raise refused("calls through pointers are not supported", span, "call a function by its name")
        arguments = tuple(self.expression(a) for a in (node.args.exprs if node.args else ()))
        return syntax.Invocation(node.name.name, arguments, span)

    def _cast(self, to_type: c_ast.Typename, operand: c_ast.Node, span: Span) -> syntax.Expr:
        shape = shape_of(to_type.type, self.environment)
        if shape.element is None or shape.extents:
            raise refused("this cast is not supported in a kernel", span, "cast to an arithmetic type")
        return syntax.Conversion(shape.element, self.expression(operand), span)


def _is_unreachable(node: c_ast.Node) -> bool:
    match items_of(node):
        case [c_ast.FuncCall(name=c_ast.ID(name=name))]:
            return name == _UNREACHABLE
        case _:
            return False
