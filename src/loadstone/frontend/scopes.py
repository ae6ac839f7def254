"""Name resolution: every declared object gets a name of its own, every use is tied to its declaration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from loadstone.errors import Diagnostic, Problems, Source, Span
from loadstone.frontend import syntax
from loadstone.frontend.mapping import with_parts
from loadstone.model.free_name import free_name
from loadstone.model.types import DOUBLE, INT, ScalarType


@dataclass(frozen=True, slots=True)
class Resolved:
    """A kernel body in which a name means one thing everywhere, and all declared objects by that name."""

    body: syntax.Block
    symbols: dict[str, syntax.Symbol]


def resolve(program: syntax.Program, problems: Problems) -> Resolved:
    """The program's body with unique names."""
    declared = (*program.symbols, *_inferred(program)) if program.infer_symbols else program.symbols
    symbols = {symbol.name: symbol for symbol in declared}
    resolver = _Resolver(problems, dict(symbols), [{name: name for name in symbols}], program.unsupported)
    resolver.iterators |= set(iterators(program.body))
    resolver.assigned |= _assigned_iterators(program.body)
    resolver.taken |= set(symbols) | resolver.iterators
    resolver.reserved |= set(_free_names(program.body, frozenset())) | set(_outer_names(program, symbols))
    body = resolver.block(program.body)
    resolver.report_iterators()
    return Resolved(body, resolver.symbols)


def _assigned_iterators(block: syntax.Block) -> set[str]:
    """The variables that loops count with and statements assign to."""
    loops = (node for node in nodes(block) if isinstance(node, syntax.For) and node.declared is None)
    return {loop.iterator for loop in loops} & written_names(block)


def _free_names(block: syntax.Block, bound: frozenset[str]) -> Iterator[str]:
    """The names that a block uses without binding them, as iterators or by declarations."""
    for node in block.items:
        inside = bound
        if isinstance(node, syntax.For):
            yield from _unbound((node.start,), bound)
            inside = bound | {node.iterator}
        yield from _unbound(own_expressions(node), inside)
        for block_inside in blocks(node):
            yield from _free_names(block_inside, inside)
        if isinstance(node, syntax.Declare):
            bound |= {node.symbol.name}


def _unbound(parts: tuple[syntax.Expr | None, ...], bound: frozenset[str]) -> Iterator[str]:
    return (name for part in parts if part is not None for name in names_in(part) if name not in bound)


def _outer_names(program: syntax.Program, symbols: Mapping[str, syntax.Symbol]) -> Iterator[str]:
    """The names that assumptions, functions and the extents of what the body uses refer to."""
    yield from _unbound(program.directives.assumptions, frozenset())
    for function in program.functions:
        yield from _unbound((function.result,), frozenset(name for name, _ in function.parameters))
    for name in _free_names(program.body, frozenset()):
        yield from _unbound(symbols[name].extents if name in symbols else (), frozenset())


def expressions(node: syntax.Expr) -> Iterator[syntax.Expr]:
    """The expression and everything below it."""
    yield node
    match node:
        case syntax.Name() | syntax.Literal():
            return
        case syntax.Subscript(indices=parts) | syntax.Invocation(arguments=parts):
            for part in parts:
                yield from expressions(part)
        case syntax.UnaryOp(operand=operand) | syntax.Conversion(operand=operand):
            yield from expressions(operand)
        case syntax.BinaryOp(left=left, right=right):
            yield from expressions(left)
            yield from expressions(right)
        case syntax.Conditional(condition=condition, then=then, otherwise=otherwise):
            for part in (condition, then, otherwise):
                yield from expressions(part)
        case _:
            assert_never(node)


def nodes(block: syntax.Block) -> Iterator[syntax.Node]:
    """All statements of a block, outer ones first."""
    for item in block.items:
        yield item
        for inside in blocks(item):
            yield from nodes(inside)


def blocks(node: syntax.Node) -> tuple[syntax.Block, ...]:
    """The blocks right below a statement, itself if it is one."""
    match node:
        case syntax.For(body=body):
            return (body,)
        case syntax.If(then=then, otherwise=otherwise):
            return then, otherwise
        case syntax.Block():
            return (node,)
        case _:
            return ()


def own_expressions(node: syntax.Node) -> tuple[syntax.Expr, ...]:
    """The expressions right below a statement: bounds, a condition, the sides of an assignment, extents."""
    match node:
        case syntax.For(start=start, condition=condition):
            return start, condition
        case syntax.If(condition=condition):
            return (condition,)
        case syntax.Assign(target=target, value=value):
            return target, value
        case syntax.Declare(symbol=symbol):
            return tuple(extent for extent in symbol.extents if extent is not None)
        case syntax.Block() | syntax.Jump():
            return ()
        case _:
            assert_never(node)


def jumps(block: syntax.Block) -> Iterator[syntax.Jump]:
    """The jumps of a block that leave the loop around it, or its iteration; not those of the loops inside of it."""
    for item in block.items:
        if isinstance(item, syntax.Jump):
            yield item
        for inside in () if isinstance(item, syntax.For) else blocks(item):
            yield from jumps(inside)


def control_expressions(block: syntax.Block) -> Iterator[syntax.Expr]:
    """The expressions that decide what is executed and which element is accessed: bounds, conditions, subscripts."""
    for node in nodes(block):
        if not isinstance(node, syntax.Assign):
            yield from own_expressions(node)
            continue
        for part in (*expressions(node.target), *expressions(node.value)):
            yield from part.indices if isinstance(part, syntax.Subscript) else ()
            yield from (part.condition,) if isinstance(part, syntax.Conditional) else ()


def written_names(block: syntax.Block) -> set[str]:
    """The scalars and arrays that a block assigns to."""
    targets = (node.target for node in nodes(block) if isinstance(node, syntax.Assign))
    return {target.id if isinstance(target, syntax.Name) else target.base for target in targets}


def names_in(expression: syntax.Expr) -> set[str]:
    """The names of scalars and arrays that an expression uses."""
    used: set[str] = set()
    for part in expressions(expression):
        match part:
            case syntax.Name(id=name) | syntax.Subscript(base=name):
                used.add(name)
            case _:
                pass
    return used


def iterators(block: syntax.Block) -> Iterator[str]:
    """The iterators of all loops."""
    return (node.iterator for node in nodes(block) if isinstance(node, syntax.For))


def _inferred(program: syntax.Program) -> Iterator[syntax.Symbol]:
    """Symbols for the undeclared names of a nest that stands alone: arrays and written scalars are double, other
    scalars are integer parameters where they steer control and double elsewhere."""
    known = {symbol.name for symbol in program.symbols} | set(iterators(program.body))
    known |= {node.symbol.name for node in nodes(program.body) if isinstance(node, syntax.Declare)}
    steering = {name for e in control_expressions(program.body) for name in names_in(e)}
    written = written_names(program.body)
    for use in uses(program.body):
        name = use.base if isinstance(use, syntax.Subscript) else use.id
        if name in known:
            continue
        known.add(name)
        rank = len(use.indices) if isinstance(use, syntax.Subscript) else 0
        kind = INT if rank == 0 and name in steering and name not in written else DOUBLE
        yield syntax.Symbol(name, kind, (None,) * rank, True, True, use.span)


def uses(block: syntax.Block) -> Iterator[syntax.Name | syntax.Subscript]:
    """Every mention of a scalar or an array in a block, targets and extents included."""
    for node in nodes(block):
        for part in own_expressions(node):
            yield from (e for e in expressions(part) if isinstance(e, syntax.Name | syntax.Subscript))


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


def selecting_names(block: syntax.Block) -> set[str]:
    """The names in subscripts: `row` in `a[row + k]`."""
    elements = (use for use in uses(block) if isinstance(use, syntax.Subscript))
    return {name for element in elements for index in element.indices for name in names_in(index)}


def final_value(loop: syntax.For) -> syntax.Expr | None:
    """What the iterator is after a loop with a bound on the iterator itself; None for other loops.

    `for (i = a; i < b; i++)` leaves the greater of a and b.
    """
    condition = loop.condition
    if any(jump.leaves_loop for jump in jumps(loop.body)):
        return None
    if not isinstance(condition, syntax.BinaryOp) or condition.op not in _MIRRORED:
        return None
    if loop.first_step != "after":
        return None
    if _is_name(condition.left, loop.iterator):
        op, bound = condition.op, condition.right
    elif _is_name(condition.right, loop.iterator):
        op, bound = _MIRRORED[condition.op], condition.left
    else:
        return None
    if names_in(bound) & ({loop.iterator} | written_names(loop.body)):
        return None
    if op == "!=":
        return bound
    upward = loop.step > 0
    if op not in (("<", "<=") if upward else (">", ">=")):
        return None
    one = syntax.Literal(1, INT, "1", loop.span)
    beyond = syntax.BinaryOp("+" if upward else "-", bound, one, loop.span) if "=" in op else bound
    return syntax.BinaryOp("max" if upward else "min", loop.start, _reached(loop, beyond), loop.span)


def _reached(loop: syntax.For, bound: syntax.Expr) -> syntax.Expr:
    """The first value from a bound on that the steps of a loop meet: that of `start + step * k`."""
    size, span = abs(loop.step), loop.span
    if size == 1:
        return bound
    ends = (bound, loop.start) if loop.step > 0 else (loop.start, bound)
    last, amount = (syntax.Literal(value, INT, str(value), span) for value in (size - 1, size))
    ahead = syntax.BinaryOp("+", syntax.BinaryOp("-", *ends, span), last, span)
    steps = syntax.BinaryOp("floordiv", ahead, amount, span)
    return syntax.BinaryOp("+" if loop.step > 0 else "-", loop.start, syntax.BinaryOp("*", amount, steps, span), span)


def _is_name(expression: syntax.Expr, name: str) -> bool:
    return isinstance(expression, syntax.Name) and expression.id == name


_ASSIGNED = syntax.Literal(0, INT, "", Span(Source("", ""), 1, 1))
"""Stands among the values that iterators keep for one that a statement has assigned since."""


@dataclass(slots=True)
class _Resolver:
    """Gives names to what a body declares.

    `iterators` are the names of all iterators, `loops` the iterators around the place, `reserved` the names that
    the body uses for something outside of it. `loop_symbols` are variables that serve as iterators, and `seen` where
    variables were used. `finals` holds, for each open block, the values that iterators keep after loops in it; None
    where the value is not known. `assigned` are iterators that statements assign to, outside of their loops: these
    are variables, and their loops have iterators of their own.
    """

    problems: Problems
    symbols: dict[str, syntax.Symbol]
    scopes: list[dict[str, str]]
    unsupported: Mapping[str, Diagnostic]
    taken: set[str] = field(default_factory=set[str])
    reserved: set[str] = field(default_factory=set[str])
    iterators: set[str] = field(default_factory=set[str])
    assigned: set[str] = field(default_factory=set[str])
    loops: list[str] = field(default_factory=list[str])
    loop_symbols: set[str] = field(default_factory=set[str])
    seen: list[tuple[str, syntax.Name | syntax.Subscript]] = field(
        default_factory=list[tuple[str, syntax.Name | syntax.Subscript]]
    )

    finals: list[dict[str, syntax.Expr | None]] = field(default_factory=list[dict[str, syntax.Expr | None]])

    def block(self, block: syntax.Block) -> syntax.Block:
        self.scopes.append({})
        self.finals.append({})
        items = [part for item in block.items for part in self.parts(item)]
        self.finals.pop()
        self.scopes.pop()
        return syntax.Block(tuple(items))

    def parts(self, node: syntax.Node) -> Iterator[syntax.Node]:
        """The statement; a loop over a variable that is also assigned leaves its last value there."""
        if not isinstance(node, syntax.For):
            yield self.node(node)
            return
        loop = self.loop(node)
        yield loop
        variable = self.lookup(node.iterator)
        if variable in self.assigned and node.declared is None and (final := self.final_of(node.iterator)) is not None:
            yield syntax.Assign(syntax.Name(variable, node.span), final, node.span)
            self.finals[-1][variable] = _ASSIGNED

    def node(self, node: syntax.Node) -> syntax.Node:
        match node:
            case syntax.Block():
                return self.block(node)
            case syntax.Declare(symbol=symbol):
                return syntax.Declare(self.declare(symbol))
            case syntax.Assign():
                return self.assign(node)
            case syntax.If(condition=condition, then=then, otherwise=otherwise):
                return replace(
                    node,
                    condition=self.expression(condition),
                    then=self.block(then),
                    otherwise=self.block(otherwise),
                )
            case syntax.For():
                return self.loop(node)
            case syntax.Jump():
                return node
            case _:
                assert_never(node)

    def declare(self, symbol: syntax.Symbol) -> syntax.Symbol:
        name = self.fresh(symbol.name)
        extents = tuple(None if e is None else self.expression(e) for e in symbol.extents)
        self.scopes[-1][symbol.name] = name
        self.assigned |= {name} if symbol.name in self.assigned else set()
        self.symbols[name] = replace(symbol, name=name, extents=extents)
        return self.symbols[name]

    def fresh(self, name: str) -> str:
        fresh = free_name(name, self.taken, "_")
        self.taken.add(fresh)
        return fresh

    def assign(self, node: syntax.Assign) -> syntax.Node:
        if isinstance(node.target, syntax.Name) and self.lookup(node.target.id) in self.loops:
            message = f"the iterator '{node.target.id}' is changed inside its loop"
            self.problems.add(message, node.target.span, "use another variable")
            return syntax.Block(())
        value = self.expression(node.value)
        if isinstance(node.target, syntax.Name):
            if self.lookup(node.target.id) in self.assigned:
                self.finals[-1][self.lookup(node.target.id) or ""] = _ASSIGNED
            target: syntax.Expr = replace(node.target, id=self.use(node.target, node.target.id))
        else:
            target = self.expression(node.target)
        assert isinstance(target, syntax.Name | syntax.Subscript)
        return replace(node, target=target, value=value)

    def loop(self, node: syntax.For) -> syntax.For:
        start = self.expression(node.start)
        iterator, kind = self.iterator(node)
        self.forget_finals(node.body)
        self.scopes.append({node.iterator: iterator})
        self.loops.append(iterator)
        condition, body = self.expression(node.condition), self.block(node.body)
        self.loops.pop()
        self.scopes.pop()
        resolved = replace(node, iterator=iterator, declared=kind, start=start, condition=condition, body=body)
        if node.declared is None:
            self.note_final(self.lookup(node.iterator) or node.iterator, final_value(resolved))
        return resolved

    def forget_finals(self, body: syntax.Block) -> None:
        """Forget what iterators were before a loop whose body uses them again: its next iteration sees other values."""
        for inner in nodes(body):
            if isinstance(inner, syntax.For) and inner.declared is None:
                self.note_final(self.lookup(inner.iterator) or inner.iterator, None)

    def note_final(self, iterator: str, value: syntax.Expr | None) -> None:
        """Remember what an iterator is after its loop, here; outside of this block that is not known."""
        for block in self.finals:
            block[iterator] = None
        self.finals[-1][iterator] = value

    def final_of(self, name: str) -> syntax.Expr | None:
        """The value that an iterator has kept after its loop, where that is known."""
        unique = self.lookup(name) or name
        if unique in self.loops:
            return None
        found = next((block[unique] for block in reversed(self.finals) if unique in block), None)
        return None if found is _ASSIGNED else found

    def is_unknown(self, variable: str) -> bool:
        """Whether a variable may have been left by a loop with a value that is not known."""
        return next((block[variable] is None for block in reversed(self.finals) if variable in block), False)

    def iterator(self, node: syntax.For) -> tuple[str, ScalarType]:
        """The name and type of a loop's iterator."""
        name = node.iterator
        if node.declared is not None:
            hides = name in self.reserved or name in self.loops
            return self.fresh(name) if hides else name, node.declared
        if self.lookup(name) in self.loops:
            hint = "give each loop an iterator of its own"
            self.problems.add(f"'{name}' is already the iterator of an enclosing loop", node.span, hint)
        symbol = self.symbols.get(self.lookup(name) or "")
        if symbol is None:
            return name, INT
        if symbol.extents or not symbol.type.is_integer:
            self.problems.add(f"the iterator '{name}' is not an integer", node.span, "declare it as int")
        kind = symbol.type if symbol.type.is_integer else INT
        if symbol.name in self.assigned:
            return self.fresh(name), kind
        self.loop_symbols.add(symbol.name)
        return name, kind

    def lookup(self, name: str) -> str | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def expression(self, node: syntax.Expr) -> syntax.Expr:
        match node:
            case syntax.Name(id=name):
                return self.final_of(name) or replace(node, id=self.use(node, name))
            case syntax.Subscript(base=base):
                return with_parts(replace(node, base=self.use(node, base)), self.expression)
            case _:
                return with_parts(node, self.expression)

    def use(self, node: syntax.Name | syntax.Subscript, name: str) -> str:
        unique = self.lookup(name)
        if unique is None:
            self.report_unknown(node, name)
            return name
        if unique not in self.loops:
            self.seen.append((unique, node))
        if unique in self.assigned and self.is_unknown(unique):
            self.report_outside(node, name)
        return unique

    def report_iterators(self) -> None:
        """Report the uses of iterators outside of their loops."""
        for unique, node in self.seen:
            if unique in self.loop_symbols:
                self.report_outside(node, node.base if isinstance(node, syntax.Subscript) else node.id)

    def report_outside(self, node: syntax.Name | syntax.Subscript, name: str) -> None:
        hint = "compute the value from the loop's bounds, or note it in a variable before the loop ends"
        self.problems.add(f"the iterator '{name}' is used outside of its loop", node.span, hint)

    def report_unknown(self, node: syntax.Name | syntax.Subscript, name: str) -> None:
        """Report a name without declaration, once, and declare it."""
        rank = len(node.indices) if isinstance(node, syntax.Subscript) else 0
        self.symbols[name] = syntax.Symbol(name, DOUBLE if rank else INT, (None,) * rank, True, True, node.span)
        self.scopes[0][name] = name
        if name in self.unsupported:
            diagnostic = self.unsupported[name]
            self.problems.add(diagnostic.message, diagnostic.span, diagnostic.hint)
        elif name in self.iterators:
            self.report_outside(node, name)
        else:
            hint = "declare it as a parameter of the function, as a global or as a local "
            what, kind = (f"the array '{name}'", "array") if rank else (f"'{name}'", "variable")
            self.problems.add(f"{what} is not declared", node.span, hint + kind)
