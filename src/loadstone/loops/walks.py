"""Loop trees as Python programs that list what a controller visits, run by run.

A controller needs a cycle for each instance, and for each part in which there is nothing to do: a loop without
iterations, a branch that is not taken, an empty block. An innermost loop around one instance is a single run, so that
the cost of a walk grows with the rows of a tile, not with its elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, assert_never

from loadstone.loops.known import terms
from loadstone.loops.model import Block, For, If, Instance, Node
from loadstone.model.expression import (
    Binary,
    Call,
    Cast,
    Constant,
    Expression,
    Operand,
    Select,
    Unary,
    Variable,
    walk,
)

IDLE = ""
"""The name of a visit without an instance."""
_IN = "    "
_INFIX = {"floordiv": "//", "/": "//", "mod": "%", "&&": "and", "||": "or"}


class Run(NamedTuple):
    """Instances of a name that follow each other: how many, the arguments of the first, and what these grow by."""

    name: str
    length: int
    arguments: tuple[int, ...]
    steps: tuple[int, ...]


Walk = Callable[..., list[Run]]
Shape = Callable[..., tuple[int, ...]]


def compiled_walk(tree: Node, names: Sequence[str]) -> Walk:
    """A function of variables, by position, that lists the runs of a tree in their order."""
    return _compiled(names, _walk_lines(tree, _IN), "out")


def compiled_shape(tree: Node, names: Sequence[str]) -> Shape:
    """A function of variables that tells trees of different shapes apart, at a cost that does not grow with them.

    It visits the first, the middle and the last iteration of each loop, and lists how many iterations there are. Where
    two lists are equal, the trees are taken to have the same shape. That is so where the sets are convex and cut by few
    planes, as tiles are; it is no proof.
    """
    return _compiled(names, _shape_lines(tree, _IN), "tuple(out)")


def _compiled(names: Sequence[str], lines: Iterator[str], result: str) -> Callable[..., Any]:
    head = f"def visit({', '.join(map(_named, names))}):"
    scope: dict[str, Any] = {"Run": Run, "IDLE": Run(IDLE, 1, (), ()), "corners": _corners}
    exec("\n".join([head, f"{_IN}out = []", f"{_IN}add = out.append", *lines, f"{_IN}return {result}"]), scope)
    return scope["visit"]


def _corners(values: range) -> Sequence[int]:
    """The first, the middle and the last of the values of a loop."""
    count = len(values)
    return values if count <= 3 else (values[0], values[count // 2], values[-1])


def _walk_lines(node: Node, indent: str) -> Iterator[str]:
    """The statements that list the runs of a node."""
    match node:
        case Instance(statement=name, arguments=arguments):
            yield f"{indent}add(Run({name!r}, 1, {_tuple(map(_text, arguments))}, {(0,) * len(arguments)}))"
        case Block(items=()):
            yield f"{indent}add(IDLE)"
        case Block(items=items):
            for item in items:
                yield from _walk_lines(item, indent)
        case If(condition=condition, then=then, otherwise=otherwise):
            yield f"{indent}if {_text(condition)}:"
            yield from _walk_lines(then, indent + _IN)
            yield f"{indent}else:"
            yield from _walk_lines(otherwise or Block(()), indent + _IN)
        case For():
            yield from _loop_lines(node, indent)
        case _:
            assert_never(node)


def _loop_lines(loop: For, indent: str) -> Iterator[str]:
    """The statements of a loop: one run where its body is an instance whose arguments grow by numbers."""
    iterator, inner = _named(loop.iterator), indent + _IN
    yield f"{indent}values = {_range(loop)}"
    yield f"{indent}if not values: add(IDLE)"
    steps = _steps(loop)
    if steps is None or not isinstance(loop.body, Instance):
        yield f"{indent}for {iterator} in values:"
        yield from _walk_lines(loop.body, inner)
        return
    yield f"{indent}else:"
    yield f"{inner}{iterator} = values[0]"
    arguments = _tuple(map(_text, loop.body.arguments))
    yield f"{inner}add(Run({loop.body.statement!r}, len(values), {arguments}, {_tuple(map(str, steps))}))"


def _shape_lines(node: Node, indent: str) -> Iterator[str]:
    """The statements that list how often loops are repeated, and which branches are taken."""
    match node:
        case Instance() | Block(items=()):
            yield f"{indent}pass"
        case Block(items=items):
            for item in items:
                yield from _shape_lines(item, indent)
        case If(condition=condition, then=then, otherwise=otherwise):
            yield f"{indent}if {_text(condition)}:"
            yield from _shape_lines(then, indent + _IN)
            yield f"{indent}else:"
            yield f"{indent}{_IN}add(-1)"
            yield from _shape_lines(otherwise or Block(()), indent + _IN)
        case For(body=body):
            yield f"{indent}values = {_range(node)}"
            yield f"{indent}add(len(values))"
            if not isinstance(body, Instance):
                yield f"{indent}for {_named(node.iterator)} in corners(values):"
                yield from _shape_lines(body, indent + _IN)
        case _:
            assert_never(node)


def _range(loop: For) -> str:
    """The values of the counter of a loop, whose condition bounds it from above, perhaps by several parts."""
    bounds = [_end(part, loop.iterator) for part in terms(loop.condition, "&&")]
    end = bounds[0] if len(bounds) == 1 else f"min({', '.join(bounds)})"
    return f"range({_text(loop.start)}, {end}, {_text(loop.step)})"


def _end(part: Expression, iterator: str) -> str:
    """The value before which a loop ends."""
    match part:
        case Binary(op="<" | "<=" as op, left=Variable(name=name), right=right) if name == iterator:
            return f"{_text(right)} + 1" if op == "<=" else _text(right)
        case _:
            raise AssertionError(f"a loop over {iterator} does not count up to a bound")


def _steps(loop: For) -> tuple[int, ...] | None:
    """What the arguments of the instance in a loop grow by; None where it is no number, or no instance alone."""
    if not isinstance(loop.body, Instance) or not isinstance(loop.step, Constant):
        return None
    growths = [_growth(argument, loop.iterator) for argument in loop.body.arguments]
    known = tuple(int(loop.step.value) * growth for growth in growths if growth is not None)
    return known if len(known) == len(growths) else None


def _growth(expression: Expression, iterator: str) -> int | None:
    """The factor of a variable in an expression that is linear in it; None if it is not."""
    match expression:
        case Variable(name=name) if name == iterator:
            return 1
        case Cast(operand=operand):
            return _growth(operand, iterator)
        case Unary(op="-", operand=operand):
            growth = _growth(operand, iterator)
            return None if growth is None else -growth
        case Binary(op="+" | "-" as op, left=left, right=right):
            one, other = _growth(left, iterator), _growth(right, iterator)
            return None if one is None or other is None else one + other if op == "+" else one - other
        case (
            Binary(op="*", left=Constant(value=factor), right=value)
            | Binary(op="*", left=value, right=Constant(value=factor))
        ):
            growth = _growth(value, iterator)
            return None if growth is None else int(factor) * growth
        case _:
            uses = any(isinstance(part, Variable) and part.name == iterator for part in walk(expression))
            return None if uses else 0


def _text(expression: Expression) -> str:
    """An integer expression in Python."""
    match expression:
        case Constant(value=value):
            return str(value)
        case Variable(name=name):
            return _named(name)
        case Cast(operand=operand):
            return _text(operand)
        case Unary(op=op, operand=operand):
            return f"({'not ' if op == '!' else op}{_text(operand)})"
        case Binary(op="min" | "max" as op, left=left, right=right):
            return f"{op}({_text(left)}, {_text(right)})"
        case Binary(op=op, left=left, right=right):
            return f"({_text(left)} {_INFIX.get(op, op)} {_text(right)})"
        case Select(condition=condition, then=then, otherwise=otherwise):
            return f"({_text(then)} if {_text(condition)} else {_text(otherwise)})"
        case Call() | Operand():
            raise AssertionError("bounds and addresses hold neither calls nor data")
        case _:
            assert_never(expression)


def _named(name: str) -> str:
    """A variable by a name that Python has no other use for."""
    return f"v_{name}"


def _tuple(texts: Iterator[str] | map[str]) -> str:
    return "(" + "".join(f"{text}, " for text in texts) + ")"
