"""Scalars that a loop steps by a constant, as affine values of its iterator.

    k = m;                                k = m;
    for (i = 0; i < n; i++) {             for (i = 0; i < n; i++) {
      a[k] = 0;                     ->      a[m + 2 * i] = 0;
      k += 2;
      b[k] = 1;                             b[m + 2 * (i + 1)] = 1;
    }                                     }
                                          k = m + 2 * max(0, n);

Only scalars that decide what is executed or accessed are replaced: sums over data stay what they are. A scalar that the
loop may leave, or step over, before it gets to its step keeps its own value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from loadstone.frontend import scopes, syntax
from loadstone.frontend.mapping import with_blocks, with_expressions, with_value
from loadstone.model.types import INT


def with_inductions(resolved: scopes.Resolved) -> scopes.Resolved:
    """The body with induction variables replaced."""
    return scopes.Resolved(_Inductions(resolved).block(resolved.body), resolved.symbols)


@dataclass(frozen=True, slots=True)
class _Step:
    """A scalar that a loop changes by `amount`, in the statement at `position` of its body, from `start` on."""

    name: str
    amount: int
    position: int
    start: syntax.Expr


@dataclass(frozen=True, slots=True)
class _Inductions:
    resolved: scopes.Resolved

    def block(self, block: syntax.Block) -> syntax.Block:
        """The block with its loops rewritten, outer ones first."""
        items: list[syntax.Node] = []
        for node in block.items:
            items.extend(self._rewritten(node, items) if isinstance(node, syntax.For) else (node,))
        return syntax.Block(tuple(with_blocks(node, self.block) for node in items))

    def _rewritten(self, loop: syntax.For, before: list[syntax.Node]) -> Iterator[syntax.Node]:
        """The loop without its induction variables, and their values behind it."""
        behind: list[syntax.Node] = []
        iterations = _iterations(loop, before)
        while (step := next(self._steps(loop, before, iterations is not None), None)) is not None:
            if iterations is not None and self._is_used_elsewhere(step.name, loop, before):
                target = syntax.Name(step.name, loop.span)
                behind.append(syntax.Assign(target, self._value(step, loop, iterations), loop.span))
            loop = self._without(step, loop)
        yield loop
        yield from behind

    def _steps(self, loop: syntax.For, before: list[syntax.Node], counted: bool) -> Iterator[_Step]:
        """The steps of a loop whose variables can be replaced; `counted`: the number of its iterations is known."""
        if loop.first_step != "after":
            return
        control = {
            name for part in (loop.condition, *scopes.control_expressions(loop.body)) for name in scopes.names_in(part)
        }
        for name, amount, position in _counted(loop.body):
            setting = _setting(name, before)
            if setting is None or name not in control or not self._is_integer(name):
                continue
            start = setting.value
            fixed = not scopes.names_in(start) & (scopes.written_names(loop.body) | {name, loop.iterator})
            if fixed and (counted or not self._is_used_elsewhere(name, loop, before)):
                yield _Step(name, amount, position, start)

    def _is_integer(self, name: str) -> bool:
        """Whether sums of a variable are affine: those of narrow types may wrap."""
        symbol = self.resolved.symbols.get(name)
        if symbol is None or symbol.extents:
            return False
        return symbol.type.is_integer and symbol.type.bits >= 32 and not symbol.type.widening

    def _is_used_elsewhere(self, name: str, loop: syntax.For, before: list[syntax.Node]) -> bool:
        """Whether somebody may look at a variable that is neither in the loop nor between its start and the loop."""
        start = next(k for k, item in reversed(list(enumerate(before))) if _sets(item, name))
        inside = _mentions(syntax.Block((*before[start:], loop)), name)
        return self.resolved.symbols[name].live_out or _mentions(self.resolved.body, name) > inside

    def _without(self, step: _Step, loop: syntax.For) -> syntax.For:
        """The loop with the values of a variable in place of it."""
        done = _iteration(loop)
        now = self._value(step, loop, done)
        later = self._value(step, loop, syntax.BinaryOp("+", done, _literal(1, loop), loop.span))
        items = loop.body.items
        body = (
            *(_replaced(item, step.name, now) for item in items[: step.position]),
            *(_replaced(item, step.name, later) for item in items[step.position + 1 :]),
        )
        return replace(loop, condition=with_value(loop.condition, step.name, now), body=syntax.Block(body))

    def _value(self, step: _Step, loop: syntax.For, steps: syntax.Expr) -> syntax.Expr:
        """The value of a variable after some steps, in its own type."""
        moved = syntax.BinaryOp("*", _literal(step.amount, loop), steps, loop.span)
        kind = self.resolved.symbols[step.name].type
        return syntax.Conversion(kind, syntax.BinaryOp("+", step.start, moved, loop.span), loop.span)


def _counted(body: syntax.Block) -> Iterator[tuple[str, int, int]]:
    """The scalars that each iteration changes once, by a constant: name, amount, position of the statement."""
    for position, item in enumerate(body.items):
        if any(not jump.leaves_loop for jump in scopes.jumps(syntax.Block(body.items[:position]))):
            return
        amount = _amount(item)
        if amount and isinstance(item, syntax.Assign) and isinstance(item.target, syntax.Name):
            name = item.target.id
            if sum(1 for node in scopes.nodes(body) if _writes(node, name)) == 1:
                yield name, amount, position


def _amount(node: syntax.Node) -> int | None:
    """By what a statement `k = k + 2` changes its scalar."""
    match node:
        case syntax.Assign(
            target=syntax.Name(id=name),
            value=syntax.BinaryOp(op="+" | "-" as op, left=syntax.Name(id=old), right=syntax.Literal(value=int(value))),
        ) if old == name:
            return value if op == "+" else -value
        case syntax.Assign(
            target=syntax.Name(id=name),
            value=syntax.BinaryOp(op="+", left=syntax.Literal(value=int(value)), right=syntax.Name(id=old)),
        ) if old == name:
            return value
        case _:
            return None


def _setting(name: str, before: list[syntax.Node]) -> syntax.Assign | None:
    """The statement that gives a scalar its value, where nothing behind it changes that."""
    for position, item in reversed(list(enumerate(before))):
        if _sets(item, name):
            if not isinstance(item, syntax.Assign) or name in scopes.names_in(item.value):
                return None
            changed = scopes.written_names(syntax.Block(tuple(before[position + 1 :])))
            return None if scopes.names_in(item.value) & changed else item
    return None


def _sets(node: syntax.Node, name: str) -> bool:
    return name in scopes.written_names(syntax.Block((node,)))


def _writes(node: syntax.Node, name: str) -> bool:
    return isinstance(node, syntax.Assign) and isinstance(node.target, syntax.Name) and node.target.id == name


def _mentions(block: syntax.Block, name: str) -> int:
    return sum(1 for use in scopes.uses(block) if isinstance(use, syntax.Name) and use.id == name)


def _replaced(node: syntax.Node, name: str, value: syntax.Expr) -> syntax.Node:
    return with_expressions(node, lambda expression: with_value(expression, name, value))


def _iteration(loop: syntax.For) -> syntax.Expr:
    """The number of the iteration, from 0."""
    iterator = syntax.Name(loop.iterator, loop.span)
    return _distance(loop, iterator)


def _iterations(loop: syntax.For, before: list[syntax.Node]) -> syntax.Expr | None:
    """How many iterations a loop has, by the end of its iterator or of a scalar that it steps."""
    tested = _tested_later(loop)
    if tested is not None:
        later = _iterations(tested, before)
        return later and syntax.BinaryOp("max", _literal(1, loop), later, loop.span)
    for each in (loop, *_seen_by_scalars(loop, before)):
        final = scopes.final_value(each)
        if final is not None:
            return _distance(each, final)
    return None


def _tested_later(loop: syntax.For) -> syntax.For | None:
    """A loop that tests from its second iteration on, with the condition that it tests then."""
    match loop.condition:
        case syntax.BinaryOp(
            op="||",
            left=syntax.BinaryOp(op="==", left=syntax.Name(id=name), right=syntax.Literal(value=first)),
            right=condition,
        ) if name == loop.iterator and loop.start == syntax.Literal(first, INT, str(first), loop.start.span):
            return replace(loop, condition=condition)
        case _:
            return None


def _seen_by_scalars(loop: syntax.For, before: list[syntax.Node]) -> Iterator[syntax.For]:
    """The loop with a scalar that it steps as its iterator."""
    for name, amount, position in _counted(loop.body):
        setting = _setting(name, before)
        if setting is not None:
            others = loop.body.items[:position] + loop.body.items[position + 1 :]
            yield replace(loop, iterator=name, start=setting.value, step=amount, body=syntax.Block(others))


def _distance(loop: syntax.For, value: syntax.Expr) -> syntax.Expr:
    """How many steps a value is behind the start of a loop."""
    ends = (value, loop.start) if loop.step > 0 else (loop.start, value)
    distance = syntax.BinaryOp("-", *ends, loop.span)
    if abs(loop.step) == 1:
        return distance
    return syntax.BinaryOp("floordiv", distance, _literal(abs(loop.step), loop), loop.span)


def _literal(value: int, loop: syntax.For) -> syntax.Literal:
    return syntax.Literal(value, INT, str(value), loop.span)
