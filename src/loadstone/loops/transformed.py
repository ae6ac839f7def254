"""The loops of a transformed program, with readable names: those of its own loops, as far as they do not clash."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import islpy as isl

from loadstone.loops.division import divisions, is_power_of_two
from loadstone.loops.generation import generate
from loadstone.loops.model import For, Instance, Node, mapped, walk, with_children
from loadstone.loops.simplify import simplified
from loadstone.model.expression import Expression, Variable, substituted
from loadstone.model.free_name import free_name
from loadstone.model.types import INT
from loadstone.transform.program import Program

Style = Literal["compact", "separated"]
_COUNTER = "loadstone_c"
LARGEST = 300
"""The largest tree, in nodes, whose bounds are simplified."""


def program_loops(program: Program, style: Style = "compact") -> Node:
    """The loops that execute a program.

    `compact`: each statement once, under conditions where loops of different bounds share a counter (CLooG's -f -1);
    `separated`: as many loops as it takes to need no conditions (CLooG's -f 1) [Devos, Example 6]. Where bounds have
    divisions that are no shifts, and can do without, they are simplified [Devos, 5.4], unless the loops are very many.
    """
    kernel = program.kernel
    length = max((2 * len(part.places) - 1 for part in program.parts), default=1)
    counters = [f"{_COUNTER}{position}" for position in range(length)]
    option = "atomic" if style == "compact" else "separate"
    tree = generate(kernel.schedule, kernel.context, counters, option=option)
    taken = frozenset((*kernel.parameters, *kernel.arrays))
    return _named(_simple(tree, kernel.context), program, taken)


def _simple(tree: Node, context: isl.Set) -> Node:
    """The loops without divisions that are no shifts, if they have some and can be had without."""
    if _only_shifts(tree) or sum(1 for _ in walk(tree)) > LARGEST:
        return tree
    candidate = simplified(tree, context)
    return candidate if _only_shifts(candidate) else tree


def _only_shifts(tree: Node) -> bool:
    return all(is_power_of_two(divisor) for divisor in divisions(tree))


def _named(node: Node, program: Program, taken: frozenset[str]) -> Node:
    """The tree with readable names for the counters of its loops."""
    if isinstance(node, For):
        name = free_name(_wanted(node, program), taken)
        values: dict[str, Expression] = {node.iterator: Variable(name, INT)}
        node = replace(mapped(node, lambda expression: substituted(expression, values)), iterator=name)
        taken |= {name}
    return with_children(node, lambda child: _named(child, program, taken))


def _wanted(loop: For, program: Program) -> str:
    """The name of a loop in the first statement inside of it that is in a loop of that depth."""
    depth = int(loop.iterator.removeprefix(_COUNTER)) // 2
    return next(_names(loop, program, depth), f"t{depth}")


def _names(loop: For, program: Program, depth: int) -> Iterator[str]:
    for leaf in walk(loop.body):
        if isinstance(leaf, Instance) and len(program.part(leaf.statement).loops) > depth:
            yield program.part(leaf.statement).loops[depth].name
