"""Places in loop trees: the positions of children on the way down from the root.

The body of a loop is its child 0. The branches of a condition are 0 and 1, the items of a block count from 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.loops.model import Block, Instance, Node, children

Path = tuple[int, ...]


def places(tree: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """All nodes of a tree with their paths, parents first."""
    yield path, tree
    for position, child in enumerate(children(tree)):
        yield from places(child, (*path, position))


def blocks(tree: Node) -> frozenset[Path]:
    """The paths of the blocks with several items."""
    return frozenset(path for path, node in places(tree) if isinstance(node, Block) and len(node.items) > 1)


def statements(tree: Node) -> dict[str, int]:
    """The statements of a tree in textual order, with the number of their arguments."""
    return {node.statement: len(node.arguments) for _, node in places(tree) if isinstance(node, Instance)}
