"""The loops of a tile over groups: statements with lanes get a mask for each of them behind their iterators.

Or lanes are loops of their own, inside of those over groups, under one condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import islpy as isl

from loadstone.loops.accelerator import Accelerator, compute_loops, time_names
from loadstone.loops.model import Instance, Node, walk, with_instances
from loadstone.model.expression import Expression, Variable, binary, integer, substituted
from loadstone.model.free_name import free_name
from loadstone.model.from_isl import from_ast
from loadstone.model.kernel import Statement
from loadstone.model.tidy import tidy
from loadstone.model.types import INT
from loadstone.parallel.groups import Grouping, Step
from loadstone.poly import map_from_values, set_space
from loadstone.poly.names import names_of
from loadstone.poly.spaces import (
    Dim,
    constant,
    dimension,
    first_to_others,
    inputs_to_parameters,
    variable,
    with_outer_parameters,
)


@lru_cache(maxsize=16)
def group_loops(accelerator: Accelerator, grouping: Grouping) -> Node:
    """The loops of a tile over groups; the arguments of statements with lanes are followed by a mask for each lane.

    They are kept for a while: hardware and predictions of an accelerator share them.
    """
    tree, parts = _plain_loops(accelerator, grouping)
    masks = {name: parts[name].masks() for name in grouping.steps}

    def masked(instance: Instance) -> Node:
        values = dict(zip(_base_names(len(instance.arguments)), instance.arguments, strict=True))
        extra = (substituted(mask, values) for mask in masks.get(instance.statement, ()))
        return Instance(instance.statement, (*instance.arguments, *extra))

    return with_instances(tree, masked)


@dataclass(frozen=True, slots=True)
class LaneLoops:
    """The lanes of a statement as loops: counters with their ends, and the iterators' steps along each of them.

    `exists` is a condition on counters and the iterators of lane 0, which have the names of `_base_names`.
    """

    counters: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    exists: Expression

    def iterators(self, first: Sequence[Expression]) -> tuple[Expression, ...]:
        """The iterators of a lane, by those of lane 0."""
        return self._moved(first, "+")

    def condition(self, iterators: Sequence[Expression]) -> Expression:
        """Whether a lane with some iterators has an instance."""
        first = self._moved(iterators, "-")
        return tidy(substituted(self.exists, dict(zip(_base_names(len(first)), first, strict=True))))

    def _moved(self, iterators: Sequence[Expression], way: str) -> tuple[Expression, ...]:
        found = list(iterators)
        for (name, _), step in zip(self.counters, self.steps, strict=True):
            moves = (binary("*", integer(by), Variable(name, INT)) for by in step)
            found = [binary(way, value, move) for value, move in zip(found, moves, strict=True)]
        return tuple(map(tidy, found))


def counted_lanes(accelerator: Accelerator, grouping: Grouping) -> tuple[Node, dict[str, LaneLoops]]:
    """The loops of a tile over groups, whose statements have the iterators of lane 0, and the loops over lanes."""
    tree, parts = _plain_loops(accelerator, grouping)
    tiles = grouping.tiles
    names, taken = time_names(tiles), frozenset((*_loop_names(grouping), *tiles.kernel.parameters, *tiles.coordinates))
    found: dict[str, LaneLoops] = {}
    for name in grouping.steps:
        axes = grouping.own_axes(name)
        counters = tuple((free_name(f"{names[axis.position]}_lane", taken), axis.count) for axis in axes)
        found[name] = LaneLoops(
            counters, grouping.own_steps(name), parts[name].exists(counters, grouping.own_steps(name))
        )
    return tree, found


def _plain_loops(accelerator: Accelerator, grouping: Grouping) -> tuple[Node, dict[str, _Part]]:
    """Loops whose statements have the iterators of lane 0, and the parts of statements."""
    tiles = accelerator.plan.tiles
    parts = {statement.name: _Part.of(grouping, statement) for statement in tiles.kernel.statements}
    return compute_loops(tiles, [part.schedule for part in parts.values()], _loop_names(grouping)), parts


def masked_lanes(tree: Node, statement: str, count: int) -> list[bool]:
    """Which lanes of a statement in loops over groups may have no instance."""
    found = [part for part in walk(tree) if isinstance(part, Instance) and part.statement == statement]
    return [any(instance.arguments[lane - count] != integer(1) for instance in found) for lane in range(count)]


def _loop_names(grouping: Grouping) -> list[str]:
    names = time_names(grouping.tiles)
    for axis in grouping.axes:
        names[axis.position] = free_name(f"{names[axis.position]}_group", frozenset(names))
    ordered = [names[position] for position in grouping.order]
    inserted = [free_name(name, frozenset(names)) for name in ("statement", *grouping.whole_names[: grouping.whole])]
    ordered[grouping.split : grouping.split] = inserted
    return ordered


def _base_names(count: int) -> list[str]:
    """Names for the iterators of lane 0 that nothing in a source has."""
    return [f"iterator {k}" for k in range(count)]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A statement in a tile, whose coordinates are parameters: its instances, and the groups to their times.

    `offsets` are those of its lanes.
    """

    offsets: tuple[Step, ...]
    domain: isl.Set
    schedule: isl.Map

    @classmethod
    def of(cls, grouping: Grouping, statement: Statement) -> _Part:
        """The part of a statement."""
        tiles, name = grouping.tiles, statement.name
        domain = with_outer_parameters(tiles.instance_to_tile(name), tiles.coordinates).domain()
        times = grouping.time(name).intersect_domain(domain)
        schedule = grouping.first(name).intersect_domain(domain).reverse().apply_range(_numbered(grouping, times))
        lanes = range(grouping.lanes(name)) if name in grouping.steps else ()
        return cls(tuple(grouping.offset(name, lane) for lane in lanes), domain, schedule.coalesce())

    def masks(self) -> list[Expression]:
        """Whether the instance of each lane exists, as conditions on the iterators of lane 0."""
        return [_condition(self._exists(offset), self.schedule.domain()) for offset in self.offsets]

    def exists(self, counters: Sequence[tuple[str, int]], steps: Sequence[Step]) -> Expression:
        """Whether the instance of a lane with some counters exists, as a condition on these and iterators of lane 0."""
        names, rank = [name for name, _ in counters], self.domain.dim(Dim.set)
        space = set_space(names_of(self.domain.get_space()), "", [*names, *_base_names(rank)])
        values = [dimension(space, len(names) + k) for k in range(rank)]
        for place, step in enumerate(steps):
            moves = (dimension(space, place).mul(constant(space, by)) for by in step)
            values = [value.add(move) for value, move in zip(values, moves, strict=True)]
        lanes = map_from_values(space, values).set_tuple_name(Dim.out, self.domain.get_tuple_name() or "")
        existing = inputs_to_parameters(first_to_others(self.domain.apply(lanes.reverse()), len(names)), names)
        ends = " and ".join(f"0 <= {name} < {count}" for name, count in counters)
        possible = isl.Set(f"[{', '.join(names)}] -> {{ : {ends} }}")
        return _condition(existing, self.schedule.domain().reset_tuple_id().intersect_params(possible))

    def _exists(self, offset: Step) -> isl.Set:
        space = self.domain.get_space()
        back = [dimension(space, k).sub(constant(space, by)) for k, by in enumerate(offset)]
        moved = map_from_values(space, back).set_tuple_name(Dim.out, space.get_tuple_name(Dim.set) or "")
        return self.domain.apply(moved)


def _numbered(grouping: Grouping, times: isl.Map) -> isl.Map:
    """The times with groups numbered in their tile."""
    space = times.range().get_space()
    values = [dimension(space, k) for k in range(space.dim(Dim.set))]
    for axis in grouping.axes:
        tile, place = variable(space, grouping.tiles.coordinates[axis.position]), grouping.place(axis.position)
        assert tile is not None
        origin = tile.mul(constant(space, grouping.tiles.sizes[axis.position]))
        values[place] = values[place].sub(origin).div(constant(space, axis.count)).floor()
    return times.apply_range(map_from_values(space, values))


def _condition(exists: isl.Set, groups: isl.Set) -> Expression:
    """A condition for a lane of known groups."""
    names = _base_names(groups.dim(Dim.set))
    where, known = (
        inputs_to_parameters(isl.Map.from_domain(each), names).params() for each in (exists.gist(groups), groups)
    )
    build = isl.AstBuild.from_context(known)
    return from_ast(build.expr_from_set(where.coalesce().gist(known)))
