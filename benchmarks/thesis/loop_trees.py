"""Loop trees for experiments with controllers [Devos, chapter 5]: loops of a depth, counters as arguments, and parts of
a block that may work at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import islpy as isl

from loadstone.loops.facts import condition_on, narrowed, range_of, surely, visited, with_iterator
from loadstone.loops.model import Block, For, If, Instance, Node
from loadstone.loops.paths import Path, children, places
from loadstone.model.affine import affine_value
from loadstone.model.expression import Expression, Variable, integer
from loadstone.model.types import INT
from loadstone.poly.dimensions import only_parameters
from loadstone.poly.linear import variable_names
from loadstone.poly.spaces import map_from_values, set_space


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


def _loops_around(tree: Node, path: Path) -> int:
    return sum(isinstance(node_at(tree, path[:length]), For) for length in range(len(path)))


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


def independent(tree: Node, path: Path, pair: tuple[int, int], dependences: isl.UnionMap, context: isl.Set) -> bool:
    """Whether no instance of an item of a block needs one of another item in the same execution of the block.

    `dependences` are those of the kernel that the tree executes. The items may be started together if the answer is
    yes; whether they share a statement's hardware is another question. Where it is too hard to say, it is no.
    """
    block = node_at(tree, path)
    assert isinstance(block, Block)
    around = _around(tree, path, context)
    first, second = (block.items[k] for k in pair)
    return surely(lambda: _apart(_executed(first, around), _executed(second, around), dependences))


def _executed(node: Node, around: isl.Set) -> isl.UnionSet:
    """The instances below a node, as functions of the variables around."""
    found = isl.UnionSet.empty(around.get_space())
    for value in _instances(node, around, variable_names(around.get_space())):
        found = found.union(value.to_union_set())
    return found


def _apart(one: isl.UnionSet, other: isl.UnionSet, dependences: isl.UnionMap) -> bool:
    forth = dependences.intersect_domain(one).intersect_range(other)
    back = dependences.intersect_domain(other).intersect_range(one)
    return forth.is_empty() and back.is_empty()


def _around(tree: Node, path: Path, facts: isl.Set) -> isl.Set:
    """What is known at a path."""
    for position in path:
        facts = _inside(tree, position, facts)
        tree = children(tree)[position]
    return facts


def _inside(node: Node, position: int, facts: isl.Set) -> isl.Set:
    """What is known at a child of a node."""
    match node:
        case For():
            values = range_of(node, facts)
            free = with_iterator(facts, node.iterator)
            return free if values is None else narrowed(free, lambda: visited(values, facts))
        case If(condition=condition) if position == 0:
            return narrowed(facts, lambda: condition_on(condition, facts))
        case If(condition=condition):
            return narrowed(facts, lambda: facts.subtract(condition_on(condition, facts)))
        case Block() | Instance():
            return facts


def _instances(node: Node, facts: isl.Set, outer: tuple[str, ...]) -> Iterator[isl.Set]:
    """The instances of each statement below a node."""
    if isinstance(node, Instance):
        space = set_space(variable_names(facts.get_space()), "", ())
        values = [affine_value(argument, space) for argument in node.arguments]
        every = map_from_values(space, values, node.statement).intersect_domain(isl.Set.from_params(facts))
        yield only_parameters(every.range(), outer)
    for position, child in enumerate(children(node)):
        yield from _instances(child, _inside(node, position, facts), outer)
