"""The scopes of local variables: a Python function has one, the kernel is best served by the smallest ones.

Every assignment to a local variable comes with a declaration. One stays where no other is in sight:

    for i in range(n):              for i in range(n):
        t = a[i]                        double t; t = a[i]; b[i] = t
        b[i] = t
    for i in range(n):              for i in range(n):
        t = b[i]                        double t; t = b[i]; c[i] = t
        c[i] = t

A variable that is used out of sight of its declarations is declared once, at the top.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from loadstone.frontend import syntax
from loadstone.frontend.mapping import with_blocks
from loadstone.frontend.scopes import names_in, nodes, own_expressions


def with_scopes(body: syntax.Block, results: frozenset[str]) -> syntax.Block:
    """The body with each variable declared once in each of its scopes; `results` are used after it."""
    declarations = [node for node in nodes(body) if isinstance(node, syntax.Declare)]
    declared = {node.symbol.name: node.symbol for node in reversed(declarations)}
    scopes = _Scopes(frozenset(declared))
    reduced = scopes.block(body, results)
    hoisted = tuple(syntax.Declare(declared[name]) for name in sorted(scopes.escaping))
    kept = _without(reduced, frozenset(scopes.escaping))
    return syntax.Block(tuple(_returned(item, results) for item in (*hoisted, *kept.items)))


def _returned(node: syntax.Node, results: frozenset[str]) -> syntax.Node:
    if isinstance(node, syntax.Declare) and node.symbol.name in results:
        return syntax.Declare(replace(node.symbol, live_out=True))
    return node


def _without(block: syntax.Block, names: frozenset[str]) -> syntax.Block:
    """The block without the declarations of some names."""
    kept = (node for node in block.items if not (isinstance(node, syntax.Declare) and node.symbol.name in names))
    return syntax.Block(tuple(with_blocks(node, lambda inside: _without(inside, names)) for node in kept))


@dataclass(slots=True)
class _Scopes:
    """Removes declarations in sight of another, and collects the variables that are used out of sight of all."""

    declared: frozenset[str]
    visible: frozenset[str] = frozenset()
    escaping: set[str] = field(default_factory=set[str])

    def block(self, block: syntax.Block, used_after: frozenset[str] = frozenset()) -> syntax.Block:
        outside = self.visible
        items = tuple(item for node in block.items for item in self._node(node))
        self._use(set(used_after))
        self.visible = outside
        return syntax.Block(items)

    def _node(self, node: syntax.Node) -> Iterator[syntax.Node]:
        self._use({name for part in own_expressions(node) for name in names_in(part)})
        if isinstance(node, syntax.Declare):
            if node.symbol.name in self.visible:
                return
            self.visible |= {node.symbol.name}
        yield with_blocks(node, self.block)

    def _use(self, names: set[str]) -> None:
        self.escaping |= (names & self.declared) - self.visible
