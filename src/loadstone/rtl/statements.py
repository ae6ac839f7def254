"""Statements of processes, and what they assign and read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loadstone.rtl import expressions as expr
from loadstone.rtl.types import Enum


@dataclass(frozen=True, slots=True, eq=False)
class Assign:
    """A signal gets a value of its type; of several assignments the last one counts."""

    target: expr.Signal
    value: expr.Value


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """The body of the first condition that holds, else the other one."""

    branches: tuple[tuple[expr.Value, Body], ...]
    otherwise: Body = ()


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """The body of the arm that lists the value of a signal, else the default; None stands for no default."""

    selector: expr.Signal
    arms: tuple[tuple[tuple[expr.Const, ...], Body], ...]
    default: Body | None = None

    @property
    def is_full(self) -> bool:
        """Whether the arms list every value of the selector's type."""
        count = sum(len(values) for values, _ in self.arms)
        return count == value_count(self.selector)


Statement = Assign | If | Case
Body = tuple[Statement, ...]


def value_count(selector: expr.Signal) -> int:
    """How many values the type of a signal has."""
    return len(selector.type.members) if isinstance(selector.type, Enum) else 1 << selector.width


def bodies(statement: Statement) -> tuple[Body, ...]:
    """The bodies that a statement chooses from."""
    match statement:
        case Assign():
            return ()
        case If():
            return (*(body for _, body in statement.branches), statement.otherwise)
        case Case():
            return (*(body for _, body in statement.arms), statement.default or ())


def targets(body: Body) -> tuple[expr.Signal, ...]:
    """The signals that a body assigns, each once, in the order of their first assignment."""
    found: dict[expr.Signal, None] = {}
    for statement in body:
        if isinstance(statement, Assign):
            found[statement.target] = None
        for inner in bodies(statement):
            found.update(dict.fromkeys(targets(inner)))
    return tuple(found)


def always_assigned(body: Body) -> set[expr.Signal]:
    """The signals that get a value on every path through a body."""
    found: set[expr.Signal] = set()
    for statement in body:
        match statement:
            case Assign():
                found.add(statement.target)
            case If():
                found |= _on_all(bodies(statement))
            case Case():
                found |= _on_all(bodies(statement)[: -1 if statement.default is None and statement.is_full else None])
    return found


def _on_all(choices: Iterable[Body]) -> set[expr.Signal]:
    """The signals that each of some bodies assigns."""
    return set[expr.Signal].intersection(*(always_assigned(body) for body in choices))


def expressions(body: Body) -> Iterator[expr.Value]:
    """The expressions that a body evaluates."""
    for statement in body:
        match statement:
            case Assign():
                yield statement.value
            case If():
                yield from (condition for condition, _ in statement.branches)
            case Case():
                yield statement.selector
        for inner in bodies(statement):
            yield from expressions(inner)


def children(value: expr.Value) -> tuple[expr.Value, ...]:
    """The expressions that an expression is made of."""
    match value:
        case expr.Unary() | expr.Extend() | expr.Reinterpret() | expr.Slice() | expr.Reduce():
            return (value.operand,)
        case expr.Binary() | expr.Compare():
            return (value.left, value.right)
        case expr.Shift():
            return (value.operand, value.amount)
        case expr.Concat():
            return value.parts
        case expr.Mux():
            return (value.condition, value.left, value.right)
        case _:
            return ()


def leaves(values: Iterable[expr.Value]) -> set[expr.Signal]:
    """The signals that expressions read."""
    found: set[expr.Signal] = set()
    pending = list(values)
    seen: set[int] = set()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, expr.Signal):
            found.add(value)
        pending.extend(children(value))
    return found
