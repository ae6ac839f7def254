"""Places in loop trees: the positions of children on the way down from the root.

The body of a loop is its child 0. The branches of a condition are 0 and 1, the items of a block count from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from loadstone.loops.model import Block, For, If, Instance, Node
from loadstone.model.expression import Expression, Variable, integer
from loadstone.model.types import INT

Path = tuple[int, ...]


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below a node."""
    match node:
        case For(body=body):
            return (body,)
        case If(then=then, otherwise=otherwise):
            return (then,) if otherwise is None else (then, otherwise)
        case Block(items=items):
            return items
        case Instance():
            return ()


def places(tree: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """All nodes of a tree with their paths, parents first."""
    yield path, tree
    for position, child in enumerate(children(tree)):
        yield from places(child, (*path, position))


def node_at(tree: Node, path: Path) -> Node:
    """The node at a path."""
    for position in path:
        tree = children(tree)[position]
    return tree


def loops_at(tree: Node, depth: int) -> frozenset[Path]:
    """The paths of the loops that are inside of `depth` others."""
    return frozenset(
        path for path, node in places(tree) if isinstance(node, For) and _loops_around(tree, path) == depth
    )


def blocks(tree: Node) -> frozenset[Path]:
    """The paths of the blocks with several items."""
    return frozenset(path for path, node in places(tree) if isinstance(node, Block) and len(node.items) > 1)


def _loops_around(tree: Node, path: Path) -> int:
    return sum(isinstance(node_at(tree, path[:length]), For) for length in range(len(path)))


def statements(tree: Node) -> dict[str, int]:
    """The statements of a tree in textual order, with the number of their arguments."""
    return {node.statement: len(node.arguments) for _, node in places(tree) if isinstance(node, Instance)}


def with_counters(tree: Node) -> Node:
    """The tree with the counters of the loops around as the arguments of its instances, outermost first.

    Arguments are the iterators of the statement as it was written; these are those of the loops as they are. A
    statement in loops of several depths has zeros for the missing ones.
    """
    depths: dict[str, int] = {}
    for path, node in places(tree):
        if isinstance(node, Instance):
            depths[node.statement] = max(depths.get(node.statement, 0), _loops_around(tree, path))
    return _counting(tree, (), depths)


def _counting(node: Node, around: tuple[Expression, ...], depths: Mapping[str, int]) -> Node:
    match node:
        case For(iterator=iterator, body=body):
            return replace(node, body=_counting(body, (*around, Variable(iterator, INT)), depths))
        case If(then=then, otherwise=otherwise):
            other = None if otherwise is None else _counting(otherwise, around, depths)
            return replace(node, then=_counting(then, around, depths), otherwise=other)
        case Block(items=items):
            return Block(tuple(_counting(item, around, depths) for item in items))
        case Instance(statement=statement):
            zeros = (integer(0),) * (depths[statement] - len(around))
            return Instance(statement, (*around, *zeros))
