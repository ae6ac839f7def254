"""Loops whose ends depend on data, as loops over as many iterations as a new parameter allows, under a flag.

                                 first = s; goes_on = 1;
    for (x = s; p(x); x += 2)    for (trip = 0; trip < iterations_3; trip++) {
      S;                    ->     x = first + 2 * trip;
                                   if (goes_on) goes_on = p(x) != 0;
                                   if (goes_on) S;
                                 }

This tells what such a loop reads and writes. It is executed only where its end is known: see `check_executable`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from loadstone.errors import Diagnostic, Span
from loadstone.frontend import syntax
from loadstone.frontend.mapping import with_blocks
from loadstone.frontend.scopes import iterators, nodes, uses
from loadstone.model.types import INT


class OpenEnd(Exception):
    """The end of a loop depends on data."""

    def __init__(self, loop: syntax.For, reason: str) -> None:
        super().__init__()
        self.loop = loop
        self.reason = reason


def with_limit(program: syntax.Program, loop: syntax.For, reason: str) -> syntax.Program:
    """The program with a loop over as many iterations as a new parameter allows; `reason`: why its end is open."""
    used = {symbol.name for symbol in program.symbols} | set(_names(program.body))
    limit = _fresh(f"iterations_{loop.span.line}", used)
    rewriting = _Rewriting(loop, limit, frozenset(used))
    symbol = syntax.Symbol(limit, INT, (), True, False, loop.span)
    body = rewriting.block(program.body)
    hint = "bound the loop, and leave it with 'break': for (k = 0; k < 100; k++) { if (!condition) break; ... }"
    open_ends = (*program.open_ends, Diagnostic(reason, loop.condition.span, hint))
    return replace(program, symbols=(*program.symbols, symbol), body=body, open_ends=open_ends)


def open_remark(found: Diagnostic) -> str:
    """What is taken for granted of a loop."""
    line = f"line {found.span.line}: " if found.span else ""
    return f"{line}{found.message}: a parameter bounds the loop, which cannot be executed so"


def _names(block: syntax.Block) -> Iterator[str]:
    yield from iterators(block)
    yield from (node.symbol.name for node in nodes(block) if isinstance(node, syntax.Declare))
    yield from (use.id if isinstance(use, syntax.Name) else use.base for use in uses(block))


def _fresh(name: str, used: frozenset[str] | set[str]) -> str:
    while name in used:
        name += "_"
    return name


@dataclass(frozen=True, slots=True)
class _Rewriting:
    """Rewrites one loop; `used` are the names of the program."""

    loop: syntax.For
    limit: str
    used: frozenset[str]

    def block(self, block: syntax.Block) -> syntax.Block:
        """The block with the loop rewritten."""
        return syntax.Block(tuple(map(self._node, block.items)))

    def _node(self, node: syntax.Node) -> syntax.Node:
        if isinstance(node, syntax.For) and node.span == self.loop.span:
            return self._limited(node)
        return with_blocks(node, self.block)

    def _limited(self, loop: syntax.For) -> syntax.Block:
        span = loop.span
        first, goes_on, trip = (syntax.Name(_fresh(each, self.used), span) for each in ("first", "goes_on", "trip"))
        moved = syntax.BinaryOp("*", _number(loop.step, loop), trip, span)
        value = syntax.BinaryOp("+", first, moved, span)
        counter = syntax.Assign(syntax.Name(loop.iterator, span), value, span)
        truth = syntax.UnaryOp("!", syntax.UnaryOp("!", loop.condition, span), span)
        test = syntax.Assign(goes_on, truth, span)
        body: tuple[syntax.Node, ...] = (_under(goes_on, test), _under(goes_on, self.block(loop.body)))
        if loop.declared is None:
            body = (_under(goes_on, counter), *body)
        else:
            body = (_local(loop.iterator, loop), counter, *body)
        within = syntax.BinaryOp("<", trip, syntax.Name(self.limit, span), span)
        return syntax.Block(
            (
                _local(first.id, loop),
                syntax.Assign(first, loop.start, span),
                _local(goes_on.id, loop),
                syntax.Assign(goes_on, _number(1, loop), span),
                syntax.For(trip.id, INT, _number(0, loop), within, 1, syntax.Block(body), _inner(loop)),
            )
        )


def _inner(loop: syntax.For) -> Span:
    """Where the new loop stands: not where the old one does, which could be rewritten again."""
    return loop.condition.span


def _under(flag: syntax.Name, node: syntax.Node) -> syntax.If:
    block = node if isinstance(node, syntax.Block) else syntax.Block((node,))
    return syntax.If(flag, block, syntax.Block(()), flag.span)


def _local(name: str, loop: syntax.For) -> syntax.Declare:
    kind = loop.declared if name == loop.iterator and loop.declared else INT
    return syntax.Declare(syntax.Symbol(name, kind, (), False, False, loop.span, local=True))


def _number(value: int, loop: syntax.For) -> syntax.Literal:
    return syntax.Literal(value, INT, str(value), loop.span)
