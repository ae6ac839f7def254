"""Loop trees as Python programs that list what a controller visits, run by run.

A controller needs a cycle for each instance, and for each part in which there is nothing to do: a loop without
iterations, a branch that is not taken, an empty block. An innermost loop around one instance is a single run, and so
are idle visits that follow each other: the cost of a walk grows with the rows of a tile, not with its elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple, assert_never

from loadstone.loops.facts import terms
from loadstone.loops.model import Block, For, If, Instance, Node
from loadstone.model import expression as expr

IDLE = ""
"""The name of visits without an instance."""
_IN = "    "
_ADD_IDLE = f"if idle: add(new(Run, ({IDLE!r}, idle, (), ())))"
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
    texts = _Texts(names)
    lines = [f"{_IN}idle = 0", *_walk_lines(tree, texts, _IN), _IN + _ADD_IDLE]
    return _compiled(names, [*texts.leave(_IN), *lines], "out")


def compiled_shape(tree: Node, names: Sequence[str]) -> Shape:
    """A function of variables that tells trees of different shapes apart, at a cost that does not grow with them.

    It visits the first, the middle and the last iteration of each loop, and lists how many iterations there are. Where
    two lists are equal, the trees are taken to have the same shape. That is so where the sets are convex and cut by few
    planes, as tiles are; it is no proof.
    """
    texts = _Texts(names)
    lines = list(_shape_lines(tree, texts, _IN))
    return _compiled(names, [*texts.leave(_IN), *lines], "tuple(out)")


def _compiled(names: Sequence[str], lines: Iterable[str], result: str) -> Callable[..., Any]:
    head = f"def visit({', '.join(map(_named, names))}):"
    scope: dict[str, Any] = {"Run": Run, "new": tuple[Any, ...].__new__, "corners": _corners}
    exec("\n".join([head, f"{_IN}out = []", f"{_IN}add = out.append", *lines, f"{_IN}return {result}"]), scope)
    return scope["visit"]


def _corners(values: range) -> Sequence[int]:
    """The first, the middle and the last of the values of a loop."""
    count = len(values)
    return values if count <= 3 else (values[0], values[count // 2], values[-1])


def _walk_lines(node: Node, texts: _Texts, indent: str) -> Iterator[str]:
    """The statements that list the runs of a node."""
    match node:
        case Instance():
            yield from _run_lines(node, texts, "1", (0,) * len(node.arguments), indent)
        case Block(items=()):
            yield f"{indent}idle += 1"
        case Block(items=items):
            for item in items:
                yield from _walk_lines(item, texts, indent)
        case If(condition=condition, then=then, otherwise=otherwise):
            yield f"{indent}if {texts.of(condition)}:"
            yield from _walk_lines(then, texts, indent + _IN)
            yield f"{indent}else:"
            yield from _walk_lines(otherwise or Block(()), texts, indent + _IN)
        case For():
            yield from _loop_lines(node, texts, indent)
        case _:
            assert_never(node)


def _loop_lines(loop: For, texts: _Texts, indent: str) -> Iterator[str]:
    """The statements of a loop: one run where its body is an instance whose arguments grow by numbers."""
    inner = indent + _IN
    yield f"{indent}values = {_range(loop, texts)}"
    yield f"{indent}if not values: idle += 1"
    steps = growths(loop)
    if steps is None or not isinstance(loop.body, Instance):
        yield f"{indent}for {texts.enter(loop.iterator)} in values:"
        lines = list(_walk_lines(loop.body, texts, inner))
        yield from (*texts.leave(inner), *lines)
        return
    yield f"{indent}else:"
    yield f"{inner}{texts.enter(loop.iterator)} = values[0]"
    lines = list(_run_lines(loop.body, texts, "len(values)", steps, inner))
    yield from (*texts.leave(inner), *lines)


def _run_lines(instance: Instance, texts: _Texts, length: str, steps: Sequence[int], indent: str) -> Iterator[str]:
    """The statements that list a run, behind the idle visits before it."""
    arguments = _tuple(map(texts.of, instance.arguments))
    yield f"{indent}{_ADD_IDLE}; idle = 0"
    yield f"{indent}add(new(Run, ({instance.statement!r}, {length}, {arguments}, {_tuple(map(str, steps))})))"


def _shape_lines(node: Node, texts: _Texts, indent: str) -> Iterator[str]:
    """The statements that list how often loops are repeated, and which branches are taken."""
    inner = indent + _IN
    match node:
        case Instance() | Block(items=()):
            yield f"{indent}pass"
        case Block(items=items):
            for item in items:
                yield from _shape_lines(item, texts, indent)
        case If(condition=condition, then=then, otherwise=otherwise):
            yield f"{indent}if {texts.of(condition)}:"
            yield from _shape_lines(then, texts, inner)
            yield f"{indent}else:"
            yield f"{inner}add(-1)"
            yield from _shape_lines(otherwise or Block(()), texts, inner)
        case For(body=body):
            yield f"{indent}values = {_range(node, texts)}"
            yield f"{indent}add(len(values))"
            if not isinstance(body, Instance):
                yield f"{indent}for {texts.enter(node.iterator)} in corners(values):"
                lines = list(_shape_lines(body, texts, inner))
                yield from (*texts.leave(inner), *lines)
        case _:
            assert_never(node)


def _range(loop: For, texts: _Texts) -> str:
    """The values of the counter of a loop, whose condition bounds it from above, perhaps by several parts."""
    bounds = [_end(part, loop.iterator, texts) for part in terms(loop.condition, "&&")]
    end = bounds[0] if len(bounds) == 1 else f"min({', '.join(bounds)})"
    return f"range({texts.of(loop.start)}, {end}, {texts.of(loop.step)})"


def _end(part: expr.Expression, iterator: str, texts: _Texts) -> str:
    """The value before which a loop ends."""
    match part:
        case expr.Binary(op="<" | "<=" as op, left=expr.Variable(name=name), right=right) if name == iterator:
            return f"{texts.of(right)} + 1" if op == "<=" else texts.of(right)
        case _:
            raise AssertionError(f"a loop over {iterator} does not count up to a bound")


def growths(loop: For) -> tuple[int, ...] | None:
    """What the arguments of the instance in a loop grow by; None where it is no number, or no instance alone."""
    if not isinstance(loop.body, Instance) or not isinstance(loop.step, expr.Constant):
        return None
    growths = [_growth(argument, loop.iterator) for argument in loop.body.arguments]
    known = tuple(int(loop.step.value) * growth for growth in growths if growth is not None)
    return known if len(known) == len(growths) else None


def _growth(expression: expr.Expression, iterator: str) -> int | None:
    """The factor of a variable in an expression that is linear in it; None if it is not."""
    match expression:
        case expr.Variable(name=name) if name == iterator:
            return 1
        case expr.Cast(operand=operand):
            return _growth(operand, iterator)
        case expr.Unary(op="-", operand=operand):
            growth = _growth(operand, iterator)
            return None if growth is None else -growth
        case expr.Binary(op="+" | "-" as op, left=left, right=right):
            one, other = _growth(left, iterator), _growth(right, iterator)
            return None if one is None or other is None else one + other if op == "+" else one - other
        case (
            expr.Binary(op="*", left=expr.Constant(value=factor), right=value)
            | expr.Binary(op="*", left=value, right=expr.Constant(value=factor))
        ):
            growth = _growth(value, iterator)
            return None if growth is None else int(factor) * growth
        case _:
            uses = any(isinstance(part, expr.Variable) and part.name == iterator for part in expr.walk(expression))
            return None if uses else 0


class _Texts:
    """Integer expressions in Python; what does not change in a loop is computed before it.

    Variables have levels: 0 for given ones, and 1, 2 and so on for the counters of nested loops.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._levels = dict.fromkeys(names, 0)
        self._computed: list[dict[str, str]] = [{}]
        self._count = 0

    def enter(self, iterator: str) -> str:
        """Begins the body of a loop; the name of its counter."""
        self._levels[iterator] = len(self._computed)
        self._computed.append({})
        return _named(iterator)

    def leave(self, indent: str) -> list[str]:
        """Ends the body of a loop; the statements at its begin."""
        return [f"{indent}{name} = {text}" for text, name in self._computed.pop().items()]

    def of(self, expression: expr.Expression) -> str:
        """The text of an expression in the body of the loop at hand."""
        return self._seen_from(len(self._computed) - 1, self._found(expression))

    def _seen_from(self, level: int, found: _Found) -> str:
        """What stands for a text in a level: a name, if it is computed in one outside."""
        text, own = found
        if own >= level or "(" not in text:
            return text
        self._count += 1
        return self._computed[own].setdefault(text, f"c_{self._count}")

    def _found(self, expression: expr.Expression) -> _Found:
        match expression:
            case expr.Constant(value=value):
                return str(value), 0
            case expr.Variable(name=name):
                return _named(name), self._levels[name]
            case expr.Cast(operand=operand):
                return self._found(operand)
            case expr.Unary(op=op, operand=operand):
                text, level = self._found(operand)
                return f"({'not ' if op == '!' else op}{text})", level
            case expr.Binary(op="min" | "max" | "+" | "&&" | "||" as op):
                return self._chained(op, terms(expression, op))
            case expr.Binary(op=op, left=left, right=right):
                return self._joined(f"({{}} {_INFIX.get(op, op)} {{}})", left, right)
            case expr.Select(condition=condition, then=then, otherwise=otherwise):
                return self._joined("({} if {} else {})", then, condition, otherwise)
            case expr.Call() | expr.Operand():
                raise AssertionError("bounds and addresses hold neither calls nor data")
            case _:
                assert_never(expression)

    def _joined(self, form: str, *operands: expr.Expression) -> _Found:
        found = [self._found(each) for each in operands]
        level = max(own for _, own in found)
        return form.format(*(self._seen_from(level, each) for each in found)), level

    def _chained(self, op: str, operands: Iterable[expr.Expression]) -> _Found:
        """A chain of an associative and commutative operator, loop-invariant operands first."""
        found = sorted(map(self._found, operands), key=_level)
        result = found[0]
        for level, group in groupby(found, key=_level):
            outer = [] if result is found[0] else [self._seen_from(level, result)]
            result = _chain(op, [*outer, *(text for text, _ in group)]), level
        return result


_Found = tuple[str, int]
"""A text, and the level of the loop in which it changes."""


def _level(found: _Found) -> int:
    return found[1]


def _chain(op: str, texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return f"{op}({', '.join(texts)})" if op in ("min", "max") else f"({f' {_INFIX.get(op, op)} '.join(texts)})"


def _named(name: str) -> str:
    """A variable by a name that Python has no other use for."""
    return f"v_{name}"


def _tuple(texts: Iterator[str] | map[str]) -> str:
    return "(" + "".join(f"{text}, " for text in texts) + ")"
