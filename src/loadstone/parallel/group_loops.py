"""The loops of a tile over groups: statements with lanes get a mask for each of them behind their iterators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import islpy as isl

from loadstone.loops.accelerator import Accelerator, compute_loops, time_names
from loadstone.loops.model import Instance, Node, walk, with_instances
from loadstone.model.expression import Expression, integer, substituted
from loadstone.model.free_name import free_name
from loadstone.model.from_isl import from_ast
from loadstone.model.kernel import Statement
from loadstone.parallel.groups import Grouping, Step
from loadstone.poly import map_from_values
from loadstone.poly.spaces import Dim, constant, dimension, inputs_to_parameters, variable, with_outer_parameters


@lru_cache(maxsize=16)
def group_loops(accelerator: Accelerator, grouping: Grouping) -> Node:
    """The loops of a tile over groups; the arguments of statements with lanes are followed by a mask for each lane.

    They are kept for a while: hardware and predictions of an accelerator share them.
    """
    tiles = accelerator.plan.tiles
    parts = {statement.name: _Part.of(grouping, statement) for statement in tiles.kernel.statements}
    tree = compute_loops(tiles, [part.schedule for part in parts.values()], _loop_names(grouping))
    masks = {name: parts[name].masks() for name in grouping.steps}

    def masked(instance: Instance) -> Node:
        values = dict(zip(_base_names(len(instance.arguments)), instance.arguments, strict=True))
        extra = (substituted(mask, values) for mask in masks.get(instance.statement, ()))
        return Instance(instance.statement, (*instance.arguments, *extra))

    return with_instances(tree, masked)


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
