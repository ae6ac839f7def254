"""Long conditions and bounds under names, in front of what they guard.

    if ((a && b) || (c && d))              const bool guard_1 = a && b;
      for (x = first; x <= last; x++)  ->  const bool guard_2 = c && d;
        ...                                if (guard_1 || guard_2) {
                                             const int loop_first = first;
                                             const int loop_last = last;
                                             for (x = loop_first; x <= loop_last; x++)
                                               ...

HLS compilers then see loops whose bounds do not change in them, and engineers what is tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from loadstone.emit.c.code import EMPTY, Block, Body, Fence, Get, Put, Text, code, listed
from loadstone.emit.c.printer import loop_head, written
from loadstone.loops.facts import terms
from loadstone.loops.model import For
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Binary, Expression, Variable, walk

LONGEST = 120
"""The characters of a condition or a bound that needs no name."""
MOST_GUARDS = 32
GUARDS = tuple(f"guard_{number}" for number in range(1, MOST_GUARDS + 1))
_FIRST, _LAST = "loop_first", "loop_last"


def named_test(condition: Expression) -> tuple[Body, Text]:
    """A condition as a test, behind declarations of its alternatives where it is long."""
    text, alternatives = written(condition), [each for each in terms(condition, "||") if not _is_false(each)]
    if len(text.text) <= LONGEST or not 1 < len(alternatives) <= MOST_GUARDS:
        return (), text
    found = list(zip(GUARDS, alternatives, strict=False))
    declared = (code(f"const bool {name} = @;", written(each)) for name, each in found)
    return tuple(declared), listed((Text(name) for name, _ in found), " || ")


def named_head(loop: For) -> tuple[Body, Text]:
    """The head of a loop, behind declarations of its bounds where they are long."""
    start, condition = written(loop.start), written(loop.condition)
    declared: list[Text] = []
    if len(start.text) > LONGEST:
        declared.append(code(f"const int {_FIRST} = @;", start))
        start = Text(_FIRST)
    match loop.condition:
        case Binary(op="<=" | "<" as op, left=Variable(name=name), right=right) if (
            name == loop.iterator and len(condition.text) > LONGEST and name not in set(_names(right))
        ):
            declared.append(code(f"const int {_LAST} = @;", written(right)))
            condition = Text(f"{name} {op} {_LAST}")
        case _:
            pass
    return tuple(declared), loop_head(loop, start, condition)


def _is_false(condition: Expression) -> bool:
    return not any(_names(condition)) and not evaluate(condition, {}, ())


def unnested(body: Body) -> Body:
    """Statements without braces around all that is in other braces."""
    return tuple(_flat(each) if isinstance(each, Block) else each for each in body)


def _flat(block: Block) -> Block:
    body = unnested(block.body)
    match body:
        case (*pragmas, Block(head=head, body=inner)) if head == EMPTY and block.head != EMPTY:
            if not any(isinstance(each, Text | Block | Get | Put | Fence) for each in pragmas):
                return replace(block, body=(*pragmas, *inner), braced=True)
        case _:
            pass
    return replace(block, body=body)


def _names(expression: Expression) -> Iterator[str]:
    return (part.name for part in walk(expression) if isinstance(part, Variable))
