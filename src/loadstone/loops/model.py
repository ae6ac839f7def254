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


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, in textual order."""
    yield node
    match node:
        case For(body=body):
            yield from walk(body)
        case If(then=then, otherwise=otherwise):
            yield from walk(then)
            if otherwise is not None:
                yield from walk(otherwise)
        case Block(items=items):
            for item in items:
                yield from walk(item)
        case Instance():
            return


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
        case For(start=start, condition=condition, step=step, body=body):
            return replace(
                node, start=change(start), condition=change(condition), step=change(step), body=mapped(body, change)
            )
        case If(condition=condition, then=then, otherwise=otherwise):
            other = None if otherwise is None else mapped(otherwise, change)
            return If(change(condition), mapped(then, change), other)
        case Block(items=items):
            return Block(tuple(mapped(item, change) for item in items))
        case Instance(statement=statement, arguments=arguments):
            return Instance(statement, tuple(map(change, arguments)))


def with_instances(node: Node, change: Callable[[Instance], Node]) -> Node:
    """The tree with every instance replaced."""
    match node:
        case For(body=body):
            return replace(node, body=with_instances(body, change))
        case If(then=then, otherwise=otherwise):
            other = None if otherwise is None else with_instances(otherwise, change)
            return replace(node, then=with_instances(then, change), otherwise=other)
        case Block(items=items):
            return Block(tuple(with_instances(item, change) for item in items))
        case Instance():
            return change(node)
