"""The loop tree that all back ends print."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from loadstone.model.expression import Expression


@dataclass(frozen=True, slots=True)
class For:
    """`for (iterator = start; condition; iterator += step) body`."""

    iterator: str
    start: Expression
    condition: Expression
    step: Expression
    body: Node


@dataclass(frozen=True, slots=True)
class If:
    """`if (condition) then else otherwise`."""

    condition: Expression
    then: Node
    otherwise: Node | None


@dataclass(frozen=True, slots=True)
class Block:
    """Nodes one after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of a statement; `arguments` are the values of its iterators."""

    statement: str
    arguments: tuple[Expression, ...]


Node = For | If | Block | Instance


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


def with_children(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with `change` applied to the nodes directly below it."""
    match node:
        case For(body=body):
            return replace(node, body=change(body))
        case If(then=then, otherwise=otherwise):
            return replace(node, then=change(then), otherwise=None if otherwise is None else change(otherwise))
        case Block(items=items):
            return Block(tuple(map(change, items)))
        case Instance():
            return node


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, in textual order."""
    yield node
    for child in children(node):
        yield from walk(child)


def expressions(node: Node) -> Iterator[Expression]:
    """The expressions of a tree: bounds, conditions, arguments."""
    for part in walk(node):
        match part:
            case For(start=start, condition=condition, step=step):
                yield from (start, condition, step)
            case If(condition=condition):
                yield condition
            case Instance(arguments=arguments):
                yield from arguments
            case Block():
                pass


def mapped(node: Node, change: Callable[[Expression], Expression]) -> Node:
    """The tree with every expression changed."""
    match node:
        case For(start=start, condition=condition, step=step):
            node = replace(node, start=change(start), condition=change(condition), step=change(step))
        case If(condition=condition):
            node = replace(node, condition=change(condition))
        case Instance(statement=statement, arguments=arguments):
            return Instance(statement, tuple(map(change, arguments)))
        case Block():
            pass
    return with_children(node, lambda child: mapped(child, change))


def with_instances(node: Node, change: Callable[[Instance], Node]) -> Node:
    """The tree with every instance replaced."""
    if isinstance(node, Instance):
        return change(node)
    return with_children(node, lambda child: with_instances(child, change))
