"""Parallel loops: loops that carry no dependence."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from loadstone.analysis import Dependences
from loadstone.poly.order import carried
from loadstone.poly.spaces import Dim
from loadstone.transform.legality import maps_of
from loadstone.transform.loop_names import shares_loop
from loadstone.transform.program import Nest, Part, Program


def parallel_loops(program: Program, dependences: Dependences) -> tuple[str, ...]:
    """The loops that carry no dependence, each named by the first statement in it; exact.

    Copies of an instance in different iterations count as dependent, since they write the same element.
    """
    orders = {part.name: order for part, order in program.orders()}
    known = program.base.context
    pairs = [*maps_of(dependences.all.intersect_params(known)), *_copied_instances(program)]
    return tuple(
        f"{nest.names[0]}.{program.part(nest.names[0]).loops[nest.depth].name}"
        for nest in nests(program)
        if not any(_carries(nest, program, orders, relation) for relation in pairs)
    )


def _copied_instances(program: Program) -> Iterator[isl.Map]:
    """The instances of statements that have copies, each with itself."""
    for statement in program.base.statements:
        if sum(part.base == statement.name for part in program.parts) > 1:
            yield statement.domain.intersect_params(program.base.context).identity()


def nests(program: Program) -> Iterator[Nest]:
    """All loops of a program, in textual order, outer ones first."""
    seen: set[tuple[int, tuple[int, ...]]] = set()
    for part in sorted(program.parts, key=lambda part: part.places):
        for depth in range(len(part.loops)):
            place = depth, part.places[: depth + 1]
            if place not in seen:
                seen.add(place)
                yield Nest(depth, tuple(_inside(program, part, depth)))


def _inside(program: Program, part: Part, depth: int) -> Iterator[str]:
    yield part.name
    for other in program.parts:
        if other.name != part.name and shares_loop(part, other, depth):
            yield other.name


def _carries(nest: Nest, program: Program, orders: dict[str, isl.Map], relation: isl.Map) -> bool:
    """Whether a loop has source and target of a dependence in different iterations, all loops around in the same."""
    ends = (relation.get_tuple_name(Dim.in_), relation.get_tuple_name(Dim.out))
    sources, targets = ([name for name in nest.names if program.part(name).base == end] for end in ends)
    position = 2 * nest.depth + 1
    return any(
        not carried(relation, orders[source], orders[target], position).is_empty()
        for source in sources
        for target in targets
    )
