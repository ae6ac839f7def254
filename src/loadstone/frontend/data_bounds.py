"""Loops whose bounds come from data, as loops over a range that holds all their iterations, under a condition.

    for (k = row[i]; k < row[i + 1]; k++)        for (k = 0; k < nnz; k++)
      s += value[k];                       ->      if (k >= row[i] && k < row[i + 1])
                                                     s += value[k];

The range is given by `#pragma loadstone assume(0 <= k && k < nnz)`, or by the extent of an array that the counter
subscripts. Conditions on data are what all later stages know: plans approximate, programs and hardware do what the
data ask for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from loadstone.frontend import syntax
from loadstone.frontend.mapping import with_blocks
from loadstone.frontend.scopes import expressions, iterators, names_in, nodes, written_names
from loadstone.frontend.typing import condition_parts
from loadstone.model.types import INT

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def with_ranges(program: syntax.Program) -> syntax.Program:
    """The program without bounds from data, where ranges for their loops are known."""
    counters = set(iterators(program.body))
    parts = [part for each in program.directives.assumptions for part in condition_parts(each)]
    ranges = [part for part in parts if names_in(part) & counters]
    symbols = {symbol.name: symbol for symbol in program.symbols}
    body = _Rewriting(ranges, symbols, _from_data(program.body)).block(program.body)
    kept = tuple(each for each in program.directives.assumptions if not names_in(each) & counters)
    directives = replace(program.directives, assumptions=kept) if ranges else program.directives
    return replace(program, body=body, directives=directives)


def _from_data(block: syntax.Block) -> set[str]:
    """The names of scalars whose values come from arrays."""
    assigned = [
        node for node in nodes(block) if isinstance(node, syntax.Assign) and isinstance(node.target, syntax.Name)
    ]
    found: set[str] = set()
    while more := {
        node.target.id
        for node in assigned
        if isinstance(node.target, syntax.Name) and node.target.id not in found and _has_data(node.value, found)
    }:
        found |= more
    return found


def _has_data(expression: syntax.Expr, scalars: set[str]) -> bool:
    """Whether the value of an expression depends on arrays."""
    return any(isinstance(part, syntax.Subscript) for part in expressions(expression)) or bool(
        names_in(expression) & scalars
    )


@dataclass(frozen=True, slots=True)
class _Rewriting:
    """What is known of counters: conditions of the user, arrays, and the scalars that hold data."""

    ranges: list[syntax.Expr]
    symbols: Mapping[str, syntax.Symbol]
    scalars: set[str]

    def block(self, block: syntax.Block) -> syntax.Block:
        """The block with its loops over ranges."""
        return syntax.Block(tuple(map(self._node, block.items)))

    def _node(self, node: syntax.Node) -> syntax.Node:
        inside = with_blocks(node, self.block)
        return self._over_range(inside) if isinstance(inside, syntax.For) and self._is_from_data(inside) else inside

    def _is_from_data(self, node: syntax.For) -> bool:
        """Whether a loop that counts upwards by one has bounds from data, which it does not change itself."""
        bounds = (node.start, node.condition)
        used = names_in(node.start) | names_in(node.condition)
        return (
            node.step == 1
            and node.declared is not None
            and any(_has_data(bound, self.scalars) for bound in bounds)
            and not used & written_names(node.body)
            and all(_is_upper_bound(part, node.iterator) for part in condition_parts(node.condition))
        )

    def _over_range(self, node: syntax.For) -> syntax.For:
        """The loop over the range of its counter, if that is known."""
        counter = syntax.Name(node.iterator, node.span)
        limits = self._given(node) or next(self._extents(node), None)
        if limits is None:
            return node
        first, end = limits
        from_start = syntax.BinaryOp(">=", counter, node.start, node.span)
        condition = syntax.BinaryOp("&&", from_start, node.condition, node.condition.span)
        guarded = syntax.If(condition, node.body, syntax.Block(()), node.span)
        return replace(node, start=first, condition=end, body=syntax.Block((guarded,)))

    def _given(self, node: syntax.For) -> tuple[syntax.Expr, syntax.Expr] | None:
        """The first value of a counter and the condition for its last one, as the user gives them."""
        bounds = [bound for part in self.ranges if (bound := _bound(part, node.iterator)) is not None]
        first = next((_first(bound) for bound in bounds if bound.op in (">", ">=")), None)
        end = next((bound for bound in bounds if bound.op in ("<", "<=")), None)
        return None if first is None or end is None else (first, end)

    def _extents(self, node: syntax.For) -> Iterator[tuple[syntax.Expr, syntax.Expr]]:
        """The ranges that arrays have for a counter which subscripts them."""
        counter = syntax.Name(node.iterator, node.span)
        for inner in nodes(node.body):
            for part in (each for top in _expressions_of(inner) for each in expressions(top)):
                symbol = self.symbols.get(part.base) if isinstance(part, syntax.Subscript) else None
                if not isinstance(part, syntax.Subscript) or symbol is None:
                    continue
                for index, extent in zip(part.indices, symbol.extents, strict=False):
                    if isinstance(index, syntax.Name) and index.id == node.iterator and extent is not None:
                        zero = syntax.Literal(0, INT, "0", node.span)
                        yield zero, syntax.BinaryOp("<", counter, extent, node.span)


def _expressions_of(node: syntax.Node) -> tuple[syntax.Expr, ...]:
    match node:
        case syntax.Assign(target=target, value=value):
            return (target, value)
        case syntax.If(condition=condition):
            return (condition,)
        case _:
            return ()


def _bound(part: syntax.Expr, counter: str) -> syntax.BinaryOp | None:
    """A condition on a counter with the counter on its left side."""
    if not isinstance(part, syntax.BinaryOp) or part.op not in _MIRRORED:
        return None
    if isinstance(part.left, syntax.Name) and part.left.id == counter:
        return part
    if isinstance(part.right, syntax.Name) and part.right.id == counter:
        return replace(part, op=_MIRRORED[part.op], left=part.right, right=part.left)
    return None


def _is_upper_bound(part: syntax.Expr, counter: str) -> bool:
    """Whether a condition that fails for one value of a counter fails for all greater ones."""
    bound = _bound(part, counter)
    return bound is not None and bound.op in ("<", "<=") and counter not in names_in(bound.right)


def _first(bound: syntax.BinaryOp) -> syntax.Expr:
    """The least value that a lower bound allows."""
    if bound.op == ">=":
        return bound.right
    return syntax.BinaryOp("+", bound.right, syntax.Literal(1, INT, "1", bound.span), bound.span)
